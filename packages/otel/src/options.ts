import type { ReceivedCall } from '@jetway/core/telemetry'
import type { RequestContext } from '@jetway/core'
import type { Attributes, MeterProvider, TracerProvider } from '@opentelemetry/api'

/**
 * How to use the trace context of a peer. `parent`: as parent of the call's span, with a link to the active
 * span. `link`: as a link, with the active span as parent, so that no stranger decides what is recorded.
 * `ignore`: not at all.
 */
export type RemoteParent = 'parent' | 'link' | 'ignore'

/** The contents of calls to record. Each text is cut to `maxBytes` of UTF-8. */
export interface CaptureOptions {
  /** Records the arguments of tools as JSON. @default false */
  readonly arguments?: boolean
  /** Records the results of tools as JSON. @default false */
  readonly results?: boolean
  /** @default 4_096 */
  readonly maxBytes?: number
  /**
   * Changes a text before it is recorded; undefined records nothing.
   *
   * @param tool - the registered name
   */
  readonly redact?: (kind: 'arguments' | 'result', tool: string, text: string) => string | undefined
}

/** Options of {@link telemetry}. They apply to servers and clients unless an option says otherwise. */
export interface TelemetryOptions {
  /**
   * `propagate` passes trace contexts on, but creates no spans and no metrics. Use it if another library
   * instruments the program.
   *
   * @default 'full'
   */
  readonly mode?: 'full' | 'propagate'
  /** @default the global provider, as soon as one is registered */
  readonly tracerProvider?: TracerProvider
  /** @default the global provider, as soon as one is registered */
  readonly meterProvider?: MeterProvider
  /** Use `link` for a public server. A function decides for each call. @default 'parent' */
  readonly remoteParent?: RemoteParent | ((call: ReceivedCall) => RemoteParent)
  /**
   * How to record the id of a session. `short` records its first characters, which distinguish sessions. The
   * full id of an anonymous session is a secret. @default 'short'
   */
  readonly sessionId?: 'short' | 'full' | false
  /** Records the URIs of resources on spans. @default true */
  readonly resourceUri?: boolean
  /** Records contents of calls. @default nothing */
  readonly capture?: CaptureOptions
  /** Records the message and the stack of errors that clients do not see. @default false */
  readonly recordErrors?: boolean
  /** Adds attributes to the span of a received call. */
  readonly attributes?: (ctx: RequestContext) => Attributes
  /**
   * Whether a client also sends the trace context in HTTP headers, for servers that do not read `_meta`. Do
   * not use it if something instruments `fetch`: the server would get two contexts, and use neither.
   *
   * @default false
   */
  readonly headers?: boolean
  /** @default true */
  readonly metrics?: boolean
}

export const OPTION_NAMES: { readonly [name in keyof Required<TelemetryOptions>]: true } = {
  mode: true,
  tracerProvider: true,
  meterProvider: true,
  remoteParent: true,
  sessionId: true,
  resourceUri: true,
  capture: true,
  recordErrors: true,
  attributes: true,
  headers: true,
  metrics: true,
}
