import type { JsonRpcRequest } from '../protocol/jsonrpc.ts'
import type { RequestMeta } from '../protocol/revisions/request-meta.ts'
import { ClientView } from '../call/client-view.ts'
import { CallContext } from '../call/context.ts'
import type { CallScope } from '../call/scope.ts'
import type { ServerRuntime } from './server-runtime.ts'

const UNKNOWN_CLIENT = new ClientView(undefined, {})

export interface StatelessCall extends Pick<CallScope, 'exchange' | 'caller' | 'revision' | 'served'> {
  readonly message: JsonRpcRequest
  /** The request's own metadata, in revisions that have it. */
  readonly meta?: RequestMeta | undefined
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
