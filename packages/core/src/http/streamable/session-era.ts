import type { Awaitable } from '../../util/promises.ts'
import {
  type Incoming,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type RequestId,
} from '../../protocol/jsonrpc.ts'
import { Method } from '../../protocol/methods.ts'
import type { Revision } from '../../protocol/revisions/revision.ts'
import { hasSessions, type Selection, selectRevision } from '../../protocol/revisions/select.ts'
import { principalOf } from '../../stores/principal.ts'
import { readBatch } from '../../protocol/batch.ts'
import type { EncodedResponse } from '../../call/response.ts'
import { answerInitialize } from '../../session/initialize.ts'
import type { Caller } from '../../call/scope.ts'
import { lackingForAll } from '../../session/batch-scopes.ts'
import { statelessContext } from '../../session/stateless-call.ts'
import { refuseScopes } from '../guard/authenticate.ts'
import { deliver, PostExchange } from './post-exchange.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { EndpointContext } from '../mount.ts'
import { wholeStream } from '../streams/whole-stream.ts'
import type { SessionTable } from '../sessions/session-table.ts'
import { ACCEPTED, JSON_HEADERS, refuse, refuseRevision } from '../refusals.ts'
import { originOf } from '../request-origin.ts'
import type { ServedServer } from '../served-server.ts'
import type { ServerLookup } from '../served-servers.ts'
import type { HttpReply, HttpRequest, Reply } from '../types.ts'

interface Inbound {
  readonly request: HttpRequest
  readonly caller: Caller
  readonly live: LiveSession | undefined
}

/**
 * Streamable HTTP of the revisions with sessions.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */
export class SessionEraHttp {
  readonly #context: EndpointContext
  /** Undefined without sessions; then session ids are ignored. */
  readonly #sessions: SessionTable | undefined

  constructor(context: EndpointContext, sessions: SessionTable | undefined) {
    this.#context = context
    this.#sessions = hasSessions(context.served) ? sessions : undefined
  }

  /** @param body - a message, or the values of a batch */
  post(request: HttpRequest, caller: Caller, body: Incoming | readonly unknown[]): Reply {
    const live = this.#find(request, caller)
    return live instanceof Promise
      ? live.then((found) => this.#receive({ request, caller, live: found }, body))
      : this.#receive({ request, caller, live }, body)
  }

  #receive(inbound: Inbound, body: Incoming | readonly unknown[]): Reply {
    return 'kind' in body ? this.#message(inbound, body) : this.#batch(inbound, body)
  }

  #find(request: HttpRequest, caller: Caller): ReturnType<SessionTable['find']> {
    const id = request.header('mcp-session-id')
    return id === undefined ? undefined : this.#sessions?.find(request, caller, id)
  }

  /** The client names an unknown session. Only `initialize` may: it gets a new one. */
  #isLost({ request, live }: Inbound): boolean {
    return (
      live === undefined && this.#sessions !== undefined && request.header('mcp-session-id') !== undefined
    )
  }

  #message(inbound: Inbound, incoming: Incoming): Reply {
    if (incoming.kind === 'invalid')
      return refuse('invalidMessage', { id: incoming.id, message: incoming.reason })
    if (this.#context.work.closing && incoming.kind === 'request')
      return refuse('draining', { id: incoming.message.id })
    const message = incoming.kind === 'response' ? undefined : incoming.message
    if (this.#isLost(inbound) && message?.method !== Method.Initialize) return refuse('unknownSession')
    const selection = this.#select(message, inbound)
    if (selection.kind === 'refuse') {
      return refuseRevision(selection, incoming.kind === 'request' ? incoming.message.id : undefined)
    }
    if (incoming.kind !== 'request') {
      this.#deliver(inbound, incoming)
      return ACCEPTED
    }
    if (selection.kind === 'initialize') return this.#initialize(inbound, incoming.message)
    if (incoming.message.method === Method.Initialize)
      return refuse('initializedAlready', { id: incoming.message.id })
    return this.#call(inbound, incoming.message, selection.revision)
  }

  #batch(inbound: Inbound, values: readonly unknown[]): Reply {
    if (this.#isLost(inbound)) return refuse('unknownSession')
    const selection = this.#select(undefined, inbound)
    if (selection.kind === 'refuse') return refuseRevision(selection, undefined)
    if (selection.kind !== 'serve' || !selection.revision.batching) return refuse('batch')
    const batch = readBatch(values)
    if ('fault' in batch) return refuse('batch', { message: batch.fault })
    if (this.#context.work.closing && batch.items.some(({ kind }) => kind === 'request'))
      return refuse('draining')
    const { revision } = selection
    return this.#serve(inbound, { revision }, (server) =>
      this.#callAll(inbound, batch.items, revision, server),
    )
  }

  #call(inbound: Inbound, message: JsonRpcRequest, revision: Revision): Reply {
    const server = this.#context.servers.open
    if (server !== undefined) return this.#answer(inbound, message, revision, server)
    return this.#serve(inbound, { revision, id: message.id }, (chosen) =>
      this.#answer(inbound, message, revision, chosen),
    )
  }

  #answer(inbound: Inbound, message: JsonRpcRequest, revision: Revision, server: ServedServer): Reply {
    const { request, caller, live } = inbound
    const { id } = message
    const exchange = new PostExchange({ context: this.#context, request, caller, revision, live, server, id })
    return exchange.answer(this.#dispatch(inbound, message, exchange, server))
  }

  #callAll(inbound: Inbound, items: readonly Incoming[], revision: Revision, server: ServedServer): Reply {
    const { request, caller, live } = inbound
    const fault = lackingForAll(server.runtime, items, live?.session.registry, caller)
    if (fault !== undefined) return refuseScopes(this.#context.authenticate, request, fault)
    const ids = items.flatMap((item) => (item.kind === 'request' ? [item.message.id] : []))
    const exchange =
      ids.length === 0
        ? undefined
        : new PostExchange({ context: this.#context, request, caller, revision, live, server })
    const reply = exchange?.answerBatch(ids) ?? ACCEPTED
    for (const item of items) {
      if (item.kind !== 'request') this.#deliver(inbound, item)
      else if (exchange !== undefined)
        exchange.collect(item.message.id, () => this.#dispatch(inbound, item.message, exchange, server))
    }
    return reply
  }

  #dispatch(
    { caller, live }: Inbound,
    message: JsonRpcRequest,
    exchange: PostExchange,
    server: ServedServer,
  ): Awaitable<EncodedResponse> {
    const { servers, calls } = this.#context
    if (live !== undefined && server === servers.single) return live.session.call(message, exchange, caller)
    return servers.during(server, () =>
      live === undefined
        ? calls.run(
            server.runtime,
            statelessContext(server.runtime, { message, exchange, caller, revision: exchange.revision }),
          )
        : live.session.call(message, exchange, caller),
    )
  }

  #deliver({ request, live }: Inbound, incoming: Incoming): void {
    deliver(live?.session, incoming, (reason) => this.#context.rejections.add(request, reason))
  }

  #initialize(inbound: Inbound, message: JsonRpcRequest): Reply {
    const { request, caller, live } = inbound
    const lookup = { request, caller, id: message.id, found: live?.server }
    // A session is counted before the lifespan opens, which may take long.
    return this.#context.servers.find(lookup, (server) => this.#open(inbound, message, server))
  }

  /** Without sessions `initialize` is answered, and nothing is kept. */
  async #open(
    { request, caller }: Inbound,
    message: JsonRpcRequest,
    server: ServedServer,
  ): Promise<HttpReply> {
    const { id } = message
    const input = {
      served: server.legacy,
      message,
      principal: principalOf(caller),
      origin: originOf(request),
    }
    const opened =
      this.#sessions === undefined
        ? await answerInitialize(server.runtime, { ...input, id: '' })
        : await this.#sessions.open(server, input)
    if (opened === undefined) return refuse('tooManySessions', { id })
    const { error, frame, record } = opened
    if (error !== undefined)
      return refuse('initializeRefused', { id, code: error.code, message: error.message, data: error.data })
    const headers = this.#sessions && { 'mcp-session-id': record.id }
    if (this.#context.options.response !== 'sse')
      return { status: 200, headers: { ...JSON_HEADERS, ...headers }, body: frame }
    const reply = wholeStream({ frame })
    return { ...reply, headers: { ...reply.headers, ...headers } }
  }

  #select(
    message: JsonRpcRequest | JsonRpcNotification | undefined,
    { request, live }: Pick<Inbound, 'request' | 'live'>,
  ): Selection {
    return selectRevision({
      message,
      header: request.header('mcp-protocol-version'),
      session: live?.session.revision,
      served: this.#context.served,
      stateless: this.#context.options.stateless,
    })
  }

  #serve(
    { request, caller, live }: Inbound,
    { revision, id }: { readonly revision: Revision; readonly id?: RequestId },
    then: (server: ServedServer) => Reply,
  ): Reply {
    const lookup: ServerLookup = {
      request,
      caller,
      id,
      found: live?.server,
      refuse: ({ served }) => (served.includes(revision) ? undefined : refuse('unsupportedVersion', { id })),
    }
    return this.#context.servers.serve(lookup, then)
  }
}
