import type { JsonObject } from '../../protocol/jsonrpc.ts'
import type { InputRequest } from '../input/encode-question.ts'
import type { OpenRequest } from '../input/pending-requests.ts'
import type { CallOutcome } from './telemetry.ts'

/** Facts about a call that its response does not contain, for observers and listeners. */
export interface CallReport {
  /** Whether the result has `isError`. */
  failed: boolean
  /** Set if neither `failed` nor the response tells the outcome. */
  outcome?: CallOutcome
  hidden?: { readonly error: unknown; readonly reference: string }
  result?: { readonly result: JsonObject }
}

/** The observation of one call, from the point of view of the call's own steps. */
export interface CallObserver {
  run<T>(step: () => T): T
  /** Sends a request to the client. */
  ask(question: InputRequest, send: (question: InputRequest) => OpenRequest): OpenRequest
}
