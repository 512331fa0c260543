import type { JsonRpcRequest } from '../../protocol/jsonrpc.ts'
import type { Revision } from '../../protocol/revisions/revision.ts'
import type { InitializeResult } from '../../session/greet.ts'
import type { Caller } from '../../session/session.ts'
import type { EndpointContext } from '../mount.ts'
import { PlainStream } from '../streams/plain-stream.ts'
import { JSON_HEADERS, refuse } from '../refusals.ts'
import type { ServedServer } from '../served-servers.ts'
import type { HttpReply, HttpRequest } from '../types.ts'

/** An `initialize`, and the server that was chosen for it. */
export interface InitializeRequest {
  readonly request: HttpRequest
  readonly caller: Caller
  readonly message: JsonRpcRequest
  readonly tenant: ServedServer
  readonly served: readonly Revision[]
}

export interface Initialized {
  readonly request: HttpRequest
  readonly tenant: ServedServer
  readonly headers: Readonly<Record<string, string>>
}

/** The reply to an `initialize` that went well. */
export function initialized(mount: EndpointContext, frame: string, to: Initialized): HttpReply {
  const { request, tenant, headers } = to
  if (mount.options.response !== 'sse')
    return { status: 200, headers: { ...JSON_HEADERS, ...headers }, body: frame }
  const stream = new PlainStream(mount, tenant)
  const reply = stream.connect(request)
  stream.finish(frame)
  return { ...reply, headers: { ...reply.headers, ...headers } }
}

/** The reply to one that did not. */
export const notInitialized = (
  { id }: JsonRpcRequest,
  { code, message, data }: NonNullable<InitializeResult['error']>,
): HttpReply => refuse('initializeRefused', { id, code, message, data })
