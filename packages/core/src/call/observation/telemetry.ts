import type { JsonObject, JsonRpcRequest, RequestId } from '../../protocol/jsonrpc.ts'
import type { TraceContext } from '../../protocol/trace-context.ts'
import type { Network } from '../exchange.ts'
import type { RequestContext } from '../request-context.ts'

/**
 * Observes the requests that a server or a client receives and sends, for traces and metrics. `@jetway/otel`
 * provides an implementation for OpenTelemetry. An error that it throws is reported, and the request continues
 * unobserved.
 */
export interface CallTelemetry {
  /** Read before every request. If it is false, the request is not observed. */
  readonly active: boolean
  /** Starts the observation of a received request. */
  received(call: ReceivedCall): CallObservation
  /** Starts the observation of a request before it is sent. */
  sent(request: SentRequest): SentObservation
}

/** A received request. */
export interface ReceivedCall {
  readonly message: JsonRpcRequest
  /** The trace context in `_meta`; undefined if it is missing or invalid. */
  readonly trace: TraceContext | undefined
  /** Undefined for `initialize`, and for requests that a client receives. */
  readonly ctx: RequestContext | undefined
  /** Undefined for `initialize`. */
  readonly revision: string | undefined
  /** Undefined outside sessions. */
  readonly sessionId: string | undefined
  /** Whether the method is defined by the revision, by an extension or by a handler of the client. */
  readonly known: boolean
  /**
   * The registered name of the tool, prompt or resource to which the request refers. The name was chosen by
   * the server's author, not by the client. Undefined if there is no such definition.
   */
  readonly target: string | undefined
  /** How long the call was queued, in ms. */
  readonly queuedMs: number
  /** The transport's network; undefined for the in-memory transport. */
  readonly network: Network | undefined
  /** Returns the value of a request header by its lower-case name, if the header occurs once. */
  header(name: string): string | undefined
}

/** The observation of one call. */
export interface CallObservation {
  /** Whether {@link ServedCall.result} will be read. */
  readonly wantsResult: boolean
  /** Runs a part of the call: the handler, or the steps that end the call after a timeout or a cancellation. */
  run(step: () => void): void
  end(served: ServedCall): void
}

/**
 * `failed` means a tool result with `isError`, and `error` a JSON-RPC error. A `cancelled` call has no
 * response. After `input_required` or `task`, the client fetches the result with further requests.
 */
export type CallOutcome = 'ok' | 'failed' | 'error' | 'cancelled' | 'timeout' | 'input_required' | 'task'

/** A call that has ended. */
export interface ServedCall {
  readonly outcome: CallOutcome
  /** The JSON-RPC error that was sent. */
  readonly error?: { readonly code: number; readonly message: string } | undefined
  /** The session that `initialize` opened. */
  readonly opened?: { readonly revision: string; readonly sessionId: string | undefined } | undefined
  /** An error that was hidden from the client, and the reference that the client received instead. */
  readonly hidden?: { readonly error: unknown; readonly reference: string } | undefined
  /** The result before it is adapted to the client's revision. Set if `wantsResult` is true. */
  readonly result?: JsonObject | undefined
}

/** The connection to a server. */
export interface ServerNetwork extends Network {
  /** The host name or IP address. */
  readonly address?: string
  readonly port?: number
}

/** A request before it is sent to the peer. */
export interface SentRequest {
  readonly method: string
  readonly params: JsonObject | undefined
  /** Undefined for requests that a server sends. */
  readonly id: RequestId | undefined
  /** Undefined before the revision is negotiated. */
  readonly revision: string | undefined
  /** Undefined outside sessions. */
  readonly sessionId: string | undefined
  /** The transport's network; undefined for the in-memory transport. */
  readonly network: ServerNetwork | undefined
}

/** The observation of one request to the peer. */
export interface SentObservation {
  /** Fields to add to the request's `_meta`. They do not replace existing fields. */
  readonly meta?: JsonObject | undefined
  /** Headers for a client's HTTP request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Runs a part of the request: sending it, a callback for progress, or its cancellation. */
  run(step: () => void): void
  end(response: SentResponse): void
}

/** The outcome of a request to the peer. */
export interface SentResponse {
  /** Undefined if the request failed, and for a subscription that the server has acknowledged. */
  readonly result?: JsonObject | undefined
  readonly failure?: SentFailure | undefined
  /** The session that `initialize` opened. */
  readonly opened?: ServedCall['opened']
}

/** Why a request has no result. */
export interface SentFailure {
  /** The JSON-RPC code as a string, or a word such as `timeout`, `closed` or `cancelled`. */
  readonly type: string
  /** The JSON-RPC code of the peer's error. */
  readonly code?: number
  /** The message of the peer's error. */
  readonly message?: string
}

/** Observes clients, for traces and metrics. `@jetway/otel` provides an implementation for OpenTelemetry. */
export interface ClientTelemetry extends CallTelemetry {
  /**
   * Runs a step outside any span. Called for everything that outlives the request that started it, such as
   * streams, processes, subscriptions and reconnects.
   */
  apart(step: () => void): void
  /** Called when a session has ended. */
  sessionClosed(session: ClosedClientSession): void
}

/** A client's session that has ended. */
export interface ClosedClientSession {
  readonly revision: string
  readonly network: ServerNetwork | undefined
  readonly seconds: number
  /** The reason for an unexpected end; undefined if the client or the server closed the session. */
  readonly failure: 'session-lost' | 'closed' | undefined
}

/** Properties of a call that are not in its response, for observers and listeners. */
export interface CallReport {
  /** Whether the result has `isError`. */
  failed: boolean
  /** Set if neither `failed` nor the response determines the outcome. */
  outcome?: CallOutcome
  hidden?: { readonly error: unknown; readonly reference: string }
  result?: { readonly result: JsonObject }
}
