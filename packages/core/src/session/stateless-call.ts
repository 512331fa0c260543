import type { JsonRpcRequest } from '../protocol/jsonrpc.ts'
import type { RequestMeta } from '../protocol/revisions/request-meta.ts'
import type { Revision } from '../protocol/revisions/revision.ts'
import { ClientView } from '../call/client-view.ts'
import { type Caller, CallContext } from '../call/context.ts'
import type { Exchange } from '../call/exchange.ts'
import type { ServerRuntime } from './server-runtime.ts'

const UNKNOWN_CLIENT = new ClientView(undefined, {})

export interface StatelessCall {
  readonly message: JsonRpcRequest
  readonly exchange: Exchange
  readonly caller: Caller
  readonly revision: Revision
  /** The metadata of the request, in revisions that have it. */
  readonly meta?: RequestMeta | undefined
  /** The revisions that the client may choose from, where it has to. */
  readonly served?: readonly Revision[]
}

export function statelessContext(
  runtime: ServerRuntime,
  { message, exchange, caller, revision, meta, served }: StatelessCall,
): CallContext {
  return new CallContext(message, {
    revision,
    client: meta === undefined ? UNKNOWN_CLIENT : new ClientView(meta.client, meta.capabilities),
    caller,
    exchange,
    logLevel: meta === undefined ? runtime.defaultLogLevel : runtime.defaultLogLevel && meta.logLevel,
    served,
    input: runtime.input,
  })
}
