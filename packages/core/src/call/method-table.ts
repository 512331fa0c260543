import type { JsonObject } from '../protocol/jsonrpc.ts'
import type { Revision } from '../protocol/revisions/revision.ts'
import type { CallContext } from './context.ts'
import type { HandlerResult, TaskStarted } from './result.ts'

export interface MethodEntry {
  handle(params: JsonObject, ctx: CallContext): HandlerResult | Promise<HandlerResult>
  /** Starts the call as a task; undefined if it runs as an ordinary call. */
  startTask?(params: JsonObject, ctx: CallContext): Promise<TaskStarted> | undefined
  /** The result that reports a failure, for methods that have one; others answer with a JSON-RPC error. */
  failure?(text: string): HandlerResult
  /** The registered name of the definition that the request names; undefined if it names none. */
  target?(params: JsonObject, ctx: CallContext): string | undefined
  /** The time limit of this call in ms. @default the server's */
  timeoutMs?(params: JsonObject, ctx: CallContext): number | undefined
  /** The largest result of this call in bytes. @default the server's */
  maxResultBytes?(params: JsonObject, ctx: CallContext): number | undefined
}

export interface ExtensionEntry extends MethodEntry {
  servedIn(revision: Revision): boolean
}

/** The server passes it in, so that this folder imports no feature. */
export type MethodTable = ReadonlyMap<string, MethodEntry>

export const NO_PARAMS: JsonObject = Object.freeze({})
