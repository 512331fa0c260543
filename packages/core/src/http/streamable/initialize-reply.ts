import type { JsonRpcRequest } from '../../protocol/jsonrpc.ts'
import type { Revision } from '../../protocol/revisions/revision.ts'
import type { InitializeResult } from '../../session/initialize.ts'
import type { Caller } from '../../call/context.ts'
import type { EndpointContext } from '../mount.ts'
import { PlainStream } from '../streams/plain-stream.ts'
import { JSON_HEADERS, refuse } from '../refusals.ts'
import type { ServedServer } from '../served-server.ts'
import type { HttpReply, HttpRequest } from '../types.ts'

/** An `initialize`, and the server chosen for it. */
export interface InitializeRequest {
  readonly request: HttpRequest
  readonly caller: Caller
  readonly message: JsonRpcRequest
  readonly server: ServedServer
  readonly served: readonly Revision[]
}

export interface InitializeReplyOptions {
  readonly request: HttpRequest
  readonly server: ServedServer
  readonly headers: Readonly<Record<string, string>>
}

/** The reply to an accepted `initialize`. */
export function initializeReply(
  context: EndpointContext,
  frame: string,
  { request, server, headers }: InitializeReplyOptions,
): HttpReply {
  if (context.options.response !== 'sse')
    return { status: 200, headers: { ...JSON_HEADERS, ...headers }, body: frame }
  const stream = new PlainStream(context, server)
  const reply = stream.connect(request)
  stream.finish(frame)
  return { ...reply, headers: { ...reply.headers, ...headers } }
}

/** The reply to a refused `initialize`. */
export const initializeRefused = (
  { id }: JsonRpcRequest,
  { code, message, data }: NonNullable<InitializeResult['error']>,
): HttpReply => refuse('initializeRefused', { id, code, message, data })
