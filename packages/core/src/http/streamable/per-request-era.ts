import { type JsonRpcNotification, type JsonRpcRequest, type RequestId } from '../../protocol/jsonrpc.ts'
import { Method } from '../../protocol/methods.ts'
import type { RequestMeta } from '../../protocol/revisions/request-meta.ts'
import type { Revision } from '../../protocol/revisions/revision.ts'
import { type Selection, selectRevision } from '../../protocol/revisions/select.ts'
import type { Caller } from '../../call/scope.ts'
import { statelessContext } from '../../session/stateless-call.ts'
import { errorReply, PostExchange } from './post-exchange.ts'
import type { SubscriptionHandler } from './subscription-handler.ts'
import { checkRoutingHeaders } from '../guard/routing-headers.ts'
import type { EndpointContext } from '../mount.ts'
import type { EndpointParts } from '../parts.ts'
import { ACCEPTED, refuse } from '../refusals.ts'
import type { ServedServer } from '../served-server.ts'
import type { ServerLookup } from '../served-servers.ts'
import type { HttpReply, HttpRequest, Reply } from '../types.ts'

/**
 * Streamable HTTP without sessions: each request is independent, and only replies are
 * streams, which cannot be resumed.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */
export class PerRequestHttp {
  readonly #context: EndpointContext
  readonly #subscriptions: SubscriptionHandler | undefined

  constructor(context: EndpointContext, { subscriptions }: Pick<EndpointParts, 'subscriptions'>) {
    this.#context = context
    this.#subscriptions = subscriptions?.(context)
  }

  /** Ends the subscriptions, which would never end by themselves. */
  drain(): void {
    this.#subscriptions?.closeAll()
  }

  post(request: HttpRequest, caller: Caller, message: JsonRpcRequest | JsonRpcNotification): Reply {
    // A client cancels by disconnecting, so notifications have no effect.
    if (!('id' in message)) return ACCEPTED
    const selection = this.#select(request, message, this.#context.served)
    if (selection.kind === 'refuse') return this.#refused(request, message.id, selection)
    if (selection.kind !== 'serve' || selection.meta === undefined) return refuse('internal')
    if (this.#context.work.closing) return refuse('draining', { id: message.id })
    const inbound: Inbound = { request, caller, message, revision: selection.revision, meta: selection.meta }
    const server = this.#context.servers.open
    return server === undefined ? this.#serve(inbound) : this.#call(inbound, server)
  }

  #call(inbound: Inbound, server: ServedServer): Reply {
    const { request, caller, message, revision, meta } = inbound
    const { runtime, modern: served } = server
    const error = checkRoutingHeaders(request, message, runtime.addedNames)
    if (error !== undefined) return this.#refused(request, message.id, { reason: 'headerMismatch', error })
    if (message.method === Method.Listen && this.#subscriptions !== undefined)
      return this.#subscriptions.answer({ request, server, message, caller, revision, meta, served })
    const context = this.#context
    const { id } = message
    const exchange = new PostExchange({ context, request, caller, revision, live: undefined, server, id })
    const call = { message, exchange, caller, revision, meta, served }
    return exchange.answer(context.calls.run(runtime, statelessContext(runtime, call)))
  }

  #serve(inbound: Inbound): Reply {
    const { request, caller, message } = inbound
    const lookup: ServerLookup = {
      request,
      caller,
      id: message.id,
      // It may support fewer revisions than the mount, and its refusal lists its own.
      refuse: ({ served }) => {
        const selection = this.#select(request, message, served)
        return selection.kind === 'refuse' ? this.#refused(request, message.id, selection) : undefined
      },
    }
    return this.#context.servers.serve(lookup, (server) => this.#call(inbound, server))
  }

  #select(request: HttpRequest, message: JsonRpcRequest, served: readonly Revision[]): Selection {
    const header = request.header('mcp-protocol-version') ?? null
    return selectRevision({ message, header, served, stateless: true })
  }

  #refused(
    request: HttpRequest,
    id: RequestId,
    { reason, error }: Pick<Extract<Selection, { readonly kind: 'refuse' }>, 'reason' | 'error'>,
  ): HttpReply {
    const [revision] = this.#context.served
    if (revision === undefined) return refuse('internal', { id })
    this.#context.rejections.add(request, reason)
    return errorReply(id, error, revision)
  }
}

/** A request whose head and metadata are valid. */
interface Inbound {
  readonly request: HttpRequest
  readonly caller: Caller
  readonly message: JsonRpcRequest
  readonly revision: Revision
  readonly meta: RequestMeta
}
