import {
  errorFrame,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type RequestId,
} from '../../protocol/jsonrpc.ts'
import { Method } from '../../protocol/methods.ts'
import { ofEra } from '../../protocol/revisions/index.ts'
import type { RequestMeta } from '../../protocol/revisions/request-meta.ts'
import type { Revision } from '../../protocol/revisions/revision.ts'
import { type Selection, selectRevision } from '../../protocol/revisions/select.ts'
import { type CallPool, createCallPool } from '../../session/call-pool.ts'
import type { ServerRuntime } from '../../session/server-runtime.ts'
import type { Caller } from '../../call/context.ts'
import { statelessContext } from '../../session/stateless-call.ts'
import { PostExchange, type StreamOpener } from './post-exchange.ts'
import type { SubscriptionHandler } from './subscription-handler.ts'
import { checkRoutingHeaders } from '../guard/routing-headers.ts'
import type { EndpointContext } from '../mount.ts'
import type { EndpointParts } from '../parts.ts'
import { ACCEPTED, JSON_HEADERS, refuse } from '../refusals.ts'
import type { ServedServer } from '../served-server.ts'
import type { ServerLookup } from '../served-servers.ts'
import type { HttpReply, HttpRequest } from '../types.ts'

type Reply = HttpReply | Promise<HttpReply>

/**
 * Streamable HTTP without sessions: each request is independent, and only replies are streams, which cannot be resumed.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */
export class PerRequestHttp {
  readonly #context: EndpointContext
  readonly #streams: StreamOpener
  readonly #calls: CallPool
  readonly #served: readonly Revision[]
  readonly #subscriptions: SubscriptionHandler | undefined
  #draining = false

  constructor(
    context: EndpointContext,
    streams: StreamOpener,
    { subscriptions }: Pick<EndpointParts, 'subscriptions'>,
  ) {
    this.#context = context
    this.#streams = streams
    this.#calls = createCallPool()
    this.#subscriptions = subscriptions?.(context, this.#calls)
    this.#served = ofEra('modern', context.served)
  }

  /** Refuses new requests, and ends subscriptions. */
  drain(): void {
    this.#draining = true
    this.#subscriptions?.drain()
  }

  /** Ends running calls without an answer. */
  endAll(): void {
    this.#calls.endAll()
  }

  /** Calls that run or wait; of one server, if it is given. */
  inFlight(runtime?: ServerRuntime): number {
    return this.#calls.inFlight(runtime)
  }

  post(request: HttpRequest, caller: Caller, message: JsonRpcRequest | JsonRpcNotification): Reply {
    // A client cancels by disconnecting, so notifications have no effect.
    if (!('id' in message)) return ACCEPTED
    const selection = this.#select(request, message, this.#context.served)
    if (selection.kind === 'refuse') return this.#refused(request, message.id, selection)
    if (selection.kind !== 'serve' || selection.meta === undefined) return refuse('internal')
    if (this.#draining) return refuse('draining', { id: message.id })
    const inbound: Inbound = { request, caller, message, revision: selection.revision, meta: selection.meta }
    const server = this.#context.servers.open
    return server === undefined ? this.#serve(inbound) : this.#call(inbound, server, this.#served)
  }

  #call(inbound: Inbound, server: ServedServer, served: readonly Revision[]): Reply {
    const { request, caller, message, revision, meta } = inbound
    const error = checkRoutingHeaders(request, message, server.runtime.addedNames)
    if (error !== undefined) return this.#refused(request, message.id, { reason: 'headerMismatch', error })
    if (message.method === Method.Listen && this.#subscriptions !== undefined)
      return this.#subscriptions.answer(request, server, { message, caller, revision, meta, served })
    const exchange = new PostExchange({
      context: this.#context,
      request,
      revision,
      live: undefined,
      server,
      streams: this.#streams,
    })
    const call = { message, exchange, caller, revision, meta, served }
    return exchange.answer(this.#calls.run(server.runtime, statelessContext(server.runtime, call)))
  }

  #serve(inbound: Inbound): Reply {
    const { request, caller, message } = inbound
    const served = ({ runtime }: ServedServer): readonly Revision[] =>
      this.#context.served.filter((revision) => runtime.revisions.includes(revision))
    const lookup: ServerLookup = {
      request,
      caller,
      id: message.id,
      // It may support fewer revisions than the mount, and its refusal lists its own.
      refuse: (server) => {
        const selection = this.#select(request, message, served(server))
        return selection.kind === 'refuse' ? this.#refused(request, message.id, selection) : undefined
      },
    }
    return this.#context.servers.serve(lookup, (server) =>
      this.#call(inbound, server, ofEra('modern', served(server))),
    )
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
    const [revision] = this.#served
    if (revision === undefined) return refuse('internal', { id })
    this.#context.rejections.add(request, reason)
    return {
      status: revision.httpStatus(error),
      headers: JSON_HEADERS,
      body: errorFrame(id, revision.encodeError(error)),
    }
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
