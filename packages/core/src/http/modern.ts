import type { McpError } from '../errors.ts'
import {
  errorFrame,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type RequestId,
} from '../protocol/jsonrpc.ts'
import type { Revision } from '../protocol/revisions/revision.ts'
import { selectRevision } from '../protocol/revisions/select.ts'
import type { ServerRuntime } from '../runtime/server-runtime.ts'
import type { Caller } from '../runtime/session.ts'
import { StatelessCalls } from '../runtime/stateless.ts'
import { PostExchange, type StreamOpener } from './exchange.ts'
import { mirrorFault } from './mirrored-headers.ts'
import type { Mount } from './mount.ts'
import { ACCEPTED, JSON_HEADERS, refuse } from './statuses.ts'
import type { Tenant } from './tenants.ts'
import type { HttpReply, HttpRequest } from './types.ts'

type Reply = HttpReply | Promise<HttpReply>

/**
 * Streamable HTTP where every request stands for itself: no sessions, no stream but that of a reply, nothing to resume.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */
export class ModernHttp {
  readonly #mount: Mount
  readonly #streams: StreamOpener
  readonly #calls = new StatelessCalls()
  readonly #served: readonly Revision[]
  #draining = false

  constructor(mount: Mount, streams: StreamOpener) {
    this.#mount = mount
    this.#streams = streams
    this.#served = mount.served.filter(({ era }) => era === 'modern')
  }

  /** From now on no request is taken. */
  drain(): void {
    this.#draining = true
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
    const selection = selectRevision({
      message,
      header: request.header('mcp-protocol-version') ?? null,
      served: this.#mount.served,
      stateless: true,
    })
    if (selection.kind === 'refuse') return this.#refused(message.id, selection.error)
    if (selection.kind !== 'serve' || selection.meta === undefined) return refuse('internal')
    const fault = mirrorFault(request, message)
    if (fault !== undefined) return this.#refused(message.id, fault)
    if (this.#draining) return refuse('draining', { id: message.id })
    const { revision, meta } = selection
    return this.#serve(request, caller, { revision, id: message.id }, (tenant) => {
      const exchange = new PostExchange({
        mount: this.#mount,
        request,
        revision,
        live: undefined,
        tenant,
        streams: this.#streams,
      })
      const call = { message, exchange, caller, revision, meta, served: this.#served }
      return exchange.answer(this.#calls.call(tenant.runtime, call))
    })
  }

  #serve(
    request: HttpRequest,
    caller: Caller,
    { revision, id }: { readonly revision: Revision; readonly id: RequestId },
    call: (tenant: Tenant) => Reply,
  ): Reply {
    const { tenants } = this.#mount
    const { only } = tenants
    if (only !== undefined && only.runtime.ready() === undefined) return call(only)
    const go = (tenant: Tenant | undefined): Reply => {
      if (tenant === undefined) return refuse('noServer', { id })
      if (!tenant.runtime.revisions.includes(revision)) return refuse('unsupportedVersion', { id })
      const ready = tenant.runtime.ready()
      const run = (): Reply => tenants.during(tenant, () => call(tenant))
      return ready === undefined ? run() : ready.then(run)
    }
    const tenant = tenants.choose(request, caller)
    return tenant instanceof Promise ? tenant.then(go) : go(tenant)
  }

  #refused(id: RequestId, error: McpError): HttpReply {
    const [revision] = this.#served
    if (revision === undefined) return refuse('internal', { id })
    return {
      status: revision.httpStatus(error),
      headers: JSON_HEADERS,
      body: errorFrame(id, revision.encodeError(error)),
    }
  }
}
