import type { ReceivedCall } from '@jetway/core/telemetry'
import type { RequestContext } from '@jetway/core'
import type { Attributes, MeterProvider, TracerProvider } from '@opentelemetry/api'

/**
 * How to use the trace context that a peer sends. `parent`: as the parent of the call's span, with a link to
 * the active span. `link`: as a link, with the active span as the parent, so that strangers cannot decide
 * what is recorded. `ignore`: not at all.
 */
export type RemoteParent = 'parent' | 'link' | 'ignore'

/** Which contents of calls are recorded. Each string is truncated to `maxBytes` bytes of UTF-8. */
export interface CaptureOptions {
  /** Whether to record tool arguments as JSON. @default false */
  readonly arguments?: boolean
  /** Whether to record tool results as JSON. @default false */
  readonly results?: boolean
  /** @default 4_096 */
  readonly maxBytes?: number
  /**
   * Changes a string before it is recorded. If it returns undefined, nothing is recorded.
   *
   * @param tool - the tool's registered name
   */
  readonly redact?: (kind: 'arguments' | 'result', tool: string, text: string) => string | undefined
}

/** The options of {@link telemetry}. They apply to both servers and clients unless noted otherwise. */
export interface TelemetryOptions {
  /**
   * `propagate` passes on trace contexts without creating spans or metrics. Use it if another library
   * instruments the program.
   *
   * @default 'full'
   */
  readonly mode?: 'full' | 'propagate'
  /** @default the global provider, as soon as one is registered */
  readonly tracerProvider?: TracerProvider
  /** @default the global provider, as soon as one is registered */
  readonly meterProvider?: MeterProvider
  /**
   * How to use the trace context that a peer sends. Use `link` for a public server. A function decides for
   * each call.
   * @default 'parent'
   */
  readonly remoteParent?: RemoteParent | ((call: ReceivedCall) => RemoteParent)
  /**
   * How to record session ids. `short` records only the first characters, which are sufficient to distinguish
   * sessions. The full id of an anonymous session is a secret. @default 'short'
   */
  readonly sessionId?: 'short' | 'full' | false
  /** Whether to record resource URIs on spans. @default true */
  readonly resourceUri?: boolean
  /** Which contents of calls are recorded. @default nothing */
  readonly capture?: CaptureOptions
  /** Whether to record the message and stack of errors that clients do not see. @default false */
  readonly recordErrors?: boolean
  /** Adds attributes to the span of a received call. */
  readonly attributes?: (ctx: RequestContext) => Attributes
  /**
   * Whether a client also sends the trace context in HTTP headers, for servers that do not read `_meta`. Do not
   * use this if something instruments `fetch`, because the server would receive two contexts and use neither.
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
