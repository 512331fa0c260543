import type { JsonObject, JsonRpcRequest } from '../../protocol/jsonrpc.ts'
import type { TraceContext } from '../../protocol/trace-context.ts'
import type { Network } from '../exchange.ts'
import type { RequestContext } from '../request-context.ts'

/**
 * Observes the calls of a server, for traces and metrics. `@jetway/otel` has one for OpenTelemetry. An
 * error that it throws is logged, and the call continues unobserved.
 */
export interface CallTelemetry {
  /** Read first. If false, nothing else is called. */
  readonly active: boolean
  /** Begins the observation of a request that has been received. */
  request(call: ReceivedCall): CallObservation
  /** Begins the observation of a request that is about to be sent to the client. */
  question(question: SentQuestion): QuestionObservation
}

/** A request that has been received. */
export interface ReceivedCall {
  readonly message: JsonRpcRequest
  /** The trace context in `_meta`; undefined if there is none or it is not valid. */
  readonly trace: TraceContext | undefined
  /** Undefined for `initialize`. */
  readonly ctx: RequestContext | undefined
  /** Whether the revision or an extension has the method. */
  readonly known: boolean
  /**
   * The registered name of the tool, prompt or resource that the request names. It is the author's, not
   * the client's. Undefined if the request names none that exists.
   */
  readonly target: string | undefined
  /** How long the call waited for its turn, in ms. */
  readonly queuedMs: number
  /** Undefined in memory. */
  readonly network: Network | undefined
  /** The value of a header of the request, by its lower-case name, if it came once. */
  header(name: string): string | undefined
}

/** The observation of one call. */
export interface CallObservation {
  /** Whether {@link ServedCall.result} is read. */
  readonly wantsResult: boolean
  /** Runs a part of the call: the handler, or its end by a time limit or a cancellation. */
  run(step: () => void): void
  end(served: ServedCall): void
}

/**
 * `failed` is a tool result with `isError`, `error` a JSON-RPC error. A `cancelled` call has no answer.
 * `input_required` and `task` are answers before the result.
 */
export type CallOutcome = 'ok' | 'failed' | 'error' | 'cancelled' | 'timeout' | 'input_required' | 'task'

/** A call that has ended. */
export interface ServedCall {
  readonly outcome: CallOutcome
  /** The JSON-RPC error that was sent. */
  readonly error?: { readonly code: number; readonly message: string } | undefined
  /** The session that `initialize` has opened. */
  readonly opened?: { readonly revision: string; readonly sessionId: string | undefined } | undefined
  /** An error that the client did not see, and the reference that it saw instead. */
  readonly hidden?: { readonly error: unknown; readonly reference: string } | undefined
  /** The result, before projection to the client's revision, where the observation wants it. */
  readonly result?: JsonObject | undefined
}

/** A request that the server sends to its client during a call. */
export interface SentQuestion {
  readonly method: string
  readonly ctx: RequestContext
}

/** The observation of one request to the client. */
export interface QuestionObservation {
  /** Members for `_meta` of the request. They replace no member that it has. */
  readonly meta?: JsonObject | undefined
  /** Sends the request. */
  run(step: () => void): void
  /** @param failure - why there is no result */
  end(failure?: { readonly error: unknown }): void
}
