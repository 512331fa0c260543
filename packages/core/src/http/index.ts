export type {
  Overflowed,
  Rejected,
  RequestOutcome,
  RequestServed,
  RootsChanged,
  SessionClosed,
  SessionOpened,
} from '../call/server-events.ts'
export type { Closable } from '../session/server-runtime.ts'
export type { Gauges, MountStats } from '../session/stats.ts'
export { type AuthInfo, networkOf } from '../stores/principal.ts'
export { createSealer, type Sealer, type SealerOptions, type SealKey } from '../util/sealer.ts'
export {
  type Authenticate,
  type DescribedMount,
  documentsOf,
  type ProtectedMount,
  Rejection,
  type RejectionReason,
  type ServerCard,
  type WellKnown,
  type WellKnownRequest,
} from './authenticate.ts'
export { bearer, type BearerOptions } from './guard/bearer.ts'
export { answerWith, type ReadBody } from './adapter/accept.ts'
export { routePaths, type LegacySseOptions } from './sse-paths.ts'
export { createEndpoint, type Endpoint, type RequestWithLocals } from './endpoint.ts'
export { type FetchHandler, type FetchOptions, type FetchSelector, toFetch } from './fetch.ts'
export type { HealthOptions, Probe } from './health.ts'
export { createHostGuard, type HostGuard, isLoopbackAddress } from './guard/hosts.ts'
export { checkMountOptions } from './mount-options.ts'
export type {
  EndpointOptions,
  EndpointPlace,
  KeepAliveOptions,
  MountLimits,
  RejectListener,
  SealedSessionOptions,
  SessionOptions,
  StreamOptions,
  SubscriptionLimits,
} from './options.ts'
export { readWebStream } from './adapter/read-body.ts'
export type { Servable, ServerSelector } from './servers/served-servers.ts'
export {
  type AcceptedRequest,
  BodyError,
  type BodyReading,
  type Route,
  type FrameSink,
  type HttpHead,
  type HttpReply,
  type HttpRequest,
  LARGE_REPLY,
  type ReplyLimits,
  type RequestBody,
} from './types.ts'
export { streamHeaders, toReadableStream } from './adapter/readable-stream.ts'
export { type WebConnection, WebRequest } from './adapter/web-request.ts'
