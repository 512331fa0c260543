import { type BatchItem, requestIds, runBatch } from '../../call/batch.ts'
import type { EncodedResponse } from '../../call/response.ts'
import type { Caller } from '../../call/scope.ts'
import type { JsonRpcRequest } from '../../protocol/jsonrpc.ts'
import { Method } from '../../protocol/methods.ts'
import type { Revision } from '../../protocol/revisions/revision.ts'
import { selectRevision } from '../../protocol/revisions/select.ts'
import { answerInitialize } from '../../session/initialize.ts'
import { type Carrier, deliver, type NoRequest, type Refusal, type Served } from '../../session/receiver.ts'
import type { Session } from '../../session/session.ts'
import { statelessContext } from '../../session/call-pool.ts'
import { principalOf } from '../../stores/principal.ts'
import { type Awaitable, chain } from '../../util/promises.ts'
import { refuseScopes } from '../guard/authenticate.ts'
import { checkRoutingHeaders } from '../guard/headers.ts'
import type { EndpointContext } from '../context.ts'
import { ACCEPTED, JSON_HEADERS, refuse } from '../refusals.ts'
import { originOf } from '../request-origin.ts'
import type { ServedServer } from '../servers/served-server.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { SessionTable } from '../sessions/session-table.ts'
import { wholeStream } from '../streams/whole-stream.ts'
import type { HttpReply, HttpRequest, Reply } from '../types.ts'
import { PostExchange } from './post-exchange.ts'
import type { SubscriptionHandler } from './subscription-handler.ts'

/** The parts of a mount that are used for its POST requests. */
export interface PostParts {
  readonly context: EndpointContext
  /** Undefined if the mount has no sessions. In that case, session ids are ignored. */
  readonly sessions: SessionTable | undefined
  readonly subscriptions: SubscriptionHandler | undefined
}

/**
 * Carries the message in one Streamable HTTP POST request.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */
export class Post implements Carrier<HttpReply> {
  readonly served: readonly Revision[]
  readonly stateless: boolean
  readonly header: string | null
  readonly unavailable: 'draining' | undefined
  readonly #parts: PostParts
  readonly #request: HttpRequest
  readonly #caller: Caller
  #live: LiveSession | undefined

  constructor(parts: PostParts, request: HttpRequest, caller: Caller) {
    const { served, options, work } = parts.context
    this.served = served
    this.stateless = options.stateless
    this.header = request.header('mcp-protocol-version') ?? null
    this.unavailable = work.closing ? 'draining' : undefined
    this.#parts = parts
    this.#request = request
    this.#caller = caller
  }

  findSession(): Awaitable<Session | undefined | 'unknown'> {
    const id = this.#request.header('mcp-session-id')
    const { sessions } = this.#parts
    if (id === undefined || sessions === undefined) return undefined
    const found = sessions.find(this.#request, this.#caller, id)
    if (found instanceof Promise) return found.then((live) => (this.#live = live)?.session ?? 'unknown')
    return (this.#live = found)?.session ?? 'unknown'
  }

  refuse({ reason, id, error: { message, code, data } }: Refusal): HttpReply {
    return refuse(reason, { id, message, code, data })
  }

  deliver(incoming: NoRequest): Reply {
    return chain(deliver(this.#live?.session, incoming), (known) => {
      if (!known) this.#parts.context.rejections.add(this.#request, 'unmatchedResponse')
      return ACCEPTED
    })
  }

  call(message: JsonRpcRequest, selection: Served, server?: ServedServer): Reply {
    const { context, subscriptions } = this.#parts
    const { revision, meta } = selection
    const { id } = message
    const found = server ?? context.servers.open
    if (found === undefined)
      return this.#serve(revision, message, (chosen) => this.call(message, selection, chosen))
    const request = this.#request
    const caller = this.#caller
    if (meta !== undefined) {
      const { runtime, modern: served } = found
      const error = checkRoutingHeaders(request, message, runtime.addedNames)
      if (error !== undefined) return this.refuse({ reason: 'headerMismatch', id, error })
      if (message.method === Method.Listen && subscriptions !== undefined)
        return request.isQueued
          ? refuse('pipelined', { id })
          : subscriptions.answer({ request, server: found, message, caller, revision, meta, served })
    }
    const live = this.#live
    const exchange = new PostExchange({ context, request, caller, revision, live, server: found, id })
    if (found === context.servers.single)
      return exchange.answer(this.#run(message, selection, exchange, found))
    return exchange.answer(
      context.servers.during(found, () => this.#run(message, selection, exchange, found)),
    )
  }

  callAll(items: readonly BatchItem[], revision: Revision): Reply {
    const { context } = this.#parts
    return this.#serve(revision, undefined, (server) => {
      const request = this.#request
      const caller = this.#caller
      const live = this.#live
      const { dispatcher } = server.runtime
      const fault = dispatcher.admitAll(items, live?.session.registry, caller)
      if (fault !== undefined) return refuseScopes(context.authenticate, request, fault)
      const exchange = new PostExchange({ context, request, caller, revision, live, server })
      const ids = requestIds(items)
      const delivered: Promise<HttpReply>[] = []
      const reply = ids.length === 0 ? undefined : exchange.answerBatch(ids)
      runBatch(items, {
        deliver: (item) => void delivered.push(Promise.resolve(this.deliver(item))),
        call: (message) =>
          context.servers.during(server, () =>
            this.#run(message, { kind: 'serve', revision }, exchange, server),
          ),
        collect: (id, response) => exchange.collect(id, response),
        failed: (error) => exchange.failed(error),
      })
      const arrived = Promise.all(delivered).then(() => ACCEPTED)
      // The client must not repeat a batch whose calls have already begun.
      if (reply !== undefined) arrived.catch(() => {})
      return reply ?? arrived
    })
  }

  initialize(message: JsonRpcRequest): Reply {
    const lookup = { request: this.#request, caller: this.#caller, id: message.id, found: this.#live?.server }
    // The session is counted before the lifespan opens, because opening may take a long time.
    return this.#parts.context.servers.find(lookup, (server) => this.#open(message, server))
  }

  #run(
    message: JsonRpcRequest,
    { revision, meta }: Served,
    exchange: PostExchange,
    server: ServedServer,
  ): Awaitable<EncodedResponse> {
    const { calls } = this.#parts.context
    const caller = this.#caller
    if (this.#live !== undefined) return this.#live.session.call(message, exchange, caller)
    const { runtime, modern } = server
    const served = meta && modern
    return calls.run(
      runtime,
      statelessContext(runtime, { message, exchange, caller, revision, meta, served }),
    )
  }

  /** Handles an `initialize` request. Without sessions, nothing is stored. */
  async #open(message: JsonRpcRequest, server: ServedServer): Promise<HttpReply> {
    const { context, sessions } = this.#parts
    const { id } = message
    const input = {
      served: server.legacy,
      message,
      principal: principalOf(this.#caller),
      origin: originOf(this.#request),
    }
    const opened =
      sessions === undefined
        ? await answerInitialize(server.runtime, { ...input, id: '' })
        : await sessions.open(server, input)
    if (opened === undefined) return refuse('tooManySessions', { id })
    const { error, frame, record } = opened
    if (error !== undefined)
      return refuse('initializeRefused', { id, code: error.code, message: error.message, data: error.data })
    const headers = sessions && { 'mcp-session-id': record.id }
    if (context.options.response !== 'sse')
      return { status: 200, headers: { ...JSON_HEADERS, ...headers }, body: frame }
    const reply = wholeStream({ frame })
    return { ...reply, headers: { ...reply.headers, ...headers } }
  }

  /** Finds the server for the request, and opens the server's lifespan. */
  #serve(
    revision: Revision,
    message: JsonRpcRequest | undefined,
    then: (server: ServedServer) => Reply,
  ): Reply {
    const id = message?.id
    return this.#parts.context.servers.serve(
      {
        request: this.#request,
        caller: this.#caller,
        id,
        found: this.#live?.server,
        // A selected server may serve fewer revisions than the mount. The refusal lists only the server's own
        // revisions.
        refuse: ({ served }) => {
          if (served.includes(revision)) return undefined
          const own = selectRevision({ message, header: this.header, served, stateless: true })
          return own.kind === 'refuse' ? this.refuse({ ...own, id }) : refuse('unsupportedVersion', { id })
        },
      },
      then,
    )
  }
}
