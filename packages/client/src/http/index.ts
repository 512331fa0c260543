export { http, sse } from './http.ts'
export type { ExtraHeaders, Fetch, HttpOptions, OutgoingRequest } from './options.ts'
