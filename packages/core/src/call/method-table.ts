import type { JsonObject } from '../protocol/jsonrpc.ts'
import type { Revision } from '../protocol/revisions/revision.ts'
import type { CallContext } from './context.ts'
import type { HandlerResult, TaskStarted } from './result.ts'
import type { CallTarget } from './scope.ts'

export interface MethodEntry {
  handle(params: JsonObject, ctx: CallContext): HandlerResult | Promise<HandlerResult>
  /** Starts the call as a task. Returns undefined if the call should run as an ordinary call. */
  startTask?(params: JsonObject, ctx: CallContext): Promise<TaskStarted> | undefined
  /**
   * Returns the result that reports a failure. Without this function, the method responds with a JSON-RPC
   * error.
   */
  failure?(text: string): HandlerResult
  /**
   * Finds the definition to which a call refers, for its settings.
   *
   * @param own - the definitions that are registered only for the caller's session
   */
  target?(params: JsonObject, own: object | undefined): CallTarget | undefined
}

export interface ExtensionEntry extends MethodEntry {
  servedIn(revision: Revision): boolean
}

/** The methods, keyed by name. The server supplies them, so that this folder does not import features. */
export type MethodTable = ReadonlyMap<string, MethodEntry>

export const NO_PARAMS: JsonObject = Object.freeze({})
