import type { JsonRpcRequest } from '../../protocol/jsonrpc.ts'
import type { Revision } from '../../protocol/revisions/revision.ts'
import type { Greeted } from '../../session/greet.ts'
import type { Caller } from '../../session/session.ts'
import type { Mount } from '../mount.ts'
import { ReplyStream } from '../streams/plain-stream.ts'
import { JSON_HEADERS, refuse } from '../refusals.ts'
import type { Tenant } from '../served-servers.ts'
import type { HttpReply, HttpRequest } from '../types.ts'

/** An `initialize`, and the server that was chosen for it. */
export interface Opening {
  readonly request: HttpRequest
  readonly caller: Caller
  readonly message: JsonRpcRequest
  readonly tenant: Tenant
  readonly served: readonly Revision[]
}

export interface Initialized {
  readonly request: HttpRequest
  readonly tenant: Tenant
  readonly headers: Readonly<Record<string, string>>
}

/** The reply to an `initialize` that went well. */
export function initialized(mount: Mount, frame: string, to: Initialized): HttpReply {
  const { request, tenant, headers } = to
  if (mount.options.response !== 'sse')
    return { status: 200, headers: { ...JSON_HEADERS, ...headers }, body: frame }
  const stream = new ReplyStream(mount, tenant)
  const reply = stream.connect(request)
  stream.finish(frame)
  return { ...reply, headers: { ...reply.headers, ...headers } }
}

/** The reply to one that did not. */
export const notInitialized = (
  { id }: JsonRpcRequest,
  { code, message, data }: NonNullable<Greeted['error']>,
): HttpReply => refuse('initializeRefused', { id, code, message, data })
