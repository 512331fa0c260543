export { http, sse } from './http.ts'
export type { ExtraHeaders, Fetch, HttpOptions, OutgoingRequest } from './options.ts'
export { type SseEvent, sseEvents, SseOverflowError, SseParser } from './sse-parser.ts'
