import type { ReceivedCall } from '@jetway/core/telemetry'
import type { RequestContext } from '@jetway/core'
import type { Attributes, MeterProvider, TracerProvider } from '@opentelemetry/api'

/**
 * What the trace context of a peer becomes. `parent`: the parent of the call's span; an active span is linked.
 * `link`: it is linked, and an active span is the parent. Then no stranger decides what is recorded. `ignore`:
 * it is not read.
 */
export type RemoteParent = 'parent' | 'link' | 'ignore'

/** Contents of calls that are recorded. Each text is cut to `maxBytes` of UTF-8. */
export interface CaptureOptions {
  /** The arguments of tools, as JSON. @default false */
  readonly arguments?: boolean
  /** The results of tools, as JSON. @default false */
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

/** Options of {@link telemetry}. All apply to servers and clients, where nothing else is said. */
export interface TelemetryOptions {
  /**
   * `propagate` reads and writes trace contexts, and makes no spans and no metrics: for programs that another
   * library instruments.
   *
   * @default 'full'
   */
  readonly mode?: 'full' | 'propagate'
  /** @default the global one, as soon as one is registered */
  readonly tracerProvider?: TracerProvider
  /** @default the global one, as soon as one is registered */
  readonly meterProvider?: MeterProvider
  /** Use `link` for a public server. A function decides for each call. @default 'parent' */
  readonly remoteParent?: RemoteParent | ((call: ReceivedCall) => RemoteParent)
  /**
   * The first characters of a session's id tell sessions apart. The whole id of an anonymous
   * session is a secret. @default 'short'
   */
  readonly sessionId?: 'short' | 'full' | false
  /** Records the URIs of resources on spans. @default true */
  readonly resourceUri?: boolean
  /** Records contents of calls. @default nothing */
  readonly capture?: CaptureOptions
  /** Records message and stack of errors that the client does not see. @default false */
  readonly recordErrors?: boolean
  /** Adds attributes to the span of a call that a server has received. */
  readonly attributes?: (ctx: RequestContext) => Attributes
  /**
   * A client also sends the trace context in HTTP headers, for servers that do not read `_meta`. Leave it
   * out where something instruments `fetch`: the server would get two contexts, and use neither.
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
