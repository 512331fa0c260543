export type { AuthInfo } from '../runtime/auth.ts'
export type { SealKey } from '../runtime/seal.ts'
export { type Authenticate, bearer, type BearerOptions, Rejection } from './auth.ts'
export { doorPaths, type LegacySseOptions } from './doors.ts'
export { createEndpoint, type Endpoint, type MountedRequest } from './endpoint.ts'
export { type FetchHandler, type FetchOptions, type FetchSelector, toFetch } from './fetch.ts'
export type { HealthOptions, Probe } from './health.ts'
export type { EndpointOptions, KeepAliveOptions, SealedSessionOptions, SessionOptions } from './options.ts'
export { type ByteStream, collectStream, readStream, readWebStream } from './read-stream.ts'
export type { RejectListener } from './rejections.ts'
export { repeatedHeader } from './repeated.ts'
export type { Servable, ServerSelector } from './tenants.ts'
export {
  BodyError,
  type Door,
  type FrameSink,
  type HttpHead,
  type HttpReply,
  type HttpRequest,
} from './types.ts'
export { toReadableStream } from './web-stream.ts'
