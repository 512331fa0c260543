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
import type { Caller } from '../../session/session.ts'
import { statelessContext } from '../../session/stateless-call.ts'
import { PostExchange, type StreamOpener } from './post-exchange.ts'
import type { SubscriptionHandler } from './subscription-handler.ts'
import { checkRoutingHeaders } from '../guard/routing-headers.ts'
import type { EndpointContext } from '../mount.ts'
import type { EndpointParts } from '../parts.ts'
import { ACCEPTED, JSON_HEADERS, refuse } from '../refusals.ts'
import type { ServedServer } from '../served-servers.ts'
import type { HttpReply, HttpRequest } from '../types.ts'

type Reply = HttpReply | Promise<HttpReply>

/**
 * Streamable HTTP where every request stands for itself: no sessions, no stream but that of a reply, nothing to resume.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */
export class PerRequestHttp {
  readonly #mount: EndpointContext
  readonly #streams: StreamOpener
  readonly #calls: CallPool
  readonly #served: readonly Revision[]
  readonly #listening: SubscriptionHandler | undefined
  #draining = false

  constructor(
    mount: EndpointContext,
    streams: StreamOpener,
    { subscriptions }: Pick<EndpointParts, 'subscriptions'>,
  ) {
    this.#mount = mount
    this.#streams = streams
    this.#calls = createCallPool()
    this.#listening = subscriptions?.(mount, this.#calls)
    this.#served = ofEra('modern', mount.served)
  }

  /** From now on no request is taken, and nobody listens any more. */
  drain(): void {
    this.#draining = true
    this.#listening?.drain()
  }

  /** Ends what still runs; its callers get no answer. */
  endAll(): void {
    this.#calls.endAll()
  }

  /** Calls that run or wait; of one server only, where one is given. */
  inFlight(runtime?: ServerRuntime): number {
    return this.#calls.inFlight(runtime)
  }

  post(request: HttpRequest, caller: Caller, message: JsonRpcRequest | JsonRpcNotification): Reply {
    // What a client cancels it cancels by going away, so that there is nothing to do for a notification.
    if (!('id' in message)) return ACCEPTED
    const selection = this.#select(request, message, this.#mount.served)
    if (selection.kind === 'refuse') return this.#refused(request, message.id, selection)
    if (selection.kind !== 'serve' || selection.meta === undefined) return refuse('internal')
    if (this.#draining) return refuse('draining', { id: message.id })
    const inbound: Inbound = { request, caller, message, revision: selection.revision, meta: selection.meta }
    const { single } = this.#mount.tenants
    // One server for all, open already: nearly every call.
    return single !== undefined && single.runtime.ready() === undefined
      ? this.#call(inbound, single, this.#served)
      : this.#choose(inbound)
  }

  #call(inbound: Inbound, tenant: ServedServer, served: readonly Revision[]): Reply {
    const { request, caller, message, revision, meta } = inbound
    const error = checkRoutingHeaders(request, message, tenant.runtime.addedNames)
    if (error !== undefined) return this.#refused(request, message.id, { reason: 'headerMismatch', error })
    if (message.method === Method.Listen && this.#listening !== undefined)
      return this.#listening.answer(request, tenant, { message, caller, revision, meta, served })
    const exchange = new PostExchange({
      mount: this.#mount,
      request,
      revision,
      live: undefined,
      tenant,
      streams: this.#streams,
    })
    const call = { message, exchange, caller, revision, meta, served }
    return exchange.answer(this.#calls.run(tenant.runtime, statelessContext(tenant.runtime, call)))
  }

  /** Finds the server, and opens its lifespan before the first call. */
  #choose(inbound: Inbound): Reply {
    const { request, caller, message } = inbound
    return this.#mount.tenants.serve({ request, caller, id: message.id }, (tenant) => {
      // It may speak less than the mount does, and what it refuses it refuses in its own name.
      const served = this.#mount.served.filter((revision) => tenant.runtime.revisions.includes(revision))
      const selection = this.#select(request, message, served)
      if (selection.kind === 'refuse') return this.#refused(request, message.id, selection)
      const run = (): Reply => this.#call(inbound, tenant, ofEra('modern', served))
      const ready = tenant.runtime.ready()
      return ready === undefined ? run() : ready.then(run)
    })
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
    this.#mount.rejections.tell(request, reason)
    return {
      status: revision.httpStatus(error),
      headers: JSON_HEADERS,
      body: errorFrame(id, revision.encodeError(error)),
    }
  }
}

/** A request whose head and metadata are in order. */
interface Inbound {
  readonly request: HttpRequest
  readonly caller: Caller
  readonly message: JsonRpcRequest
  readonly revision: Revision
  readonly meta: RequestMeta
}
