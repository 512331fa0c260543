import { busy, invalidRequest, type McpError } from '../errors.ts'
import { errorFrame, type JsonRpcRequest, type RequestId } from '../protocol/jsonrpc.ts'
import type { Revision } from '../protocol/revisions/revision.ts'
import type { Selection } from '../protocol/revisions/select.ts'
import { ANONYMOUS } from '../stores/principal.ts'
import type { SubscriptionRequest } from '../subscriptions/subscription.ts'
import { SubscriptionSet } from '../subscriptions/subscription-set.ts'
import type { Exchange } from '../call/exchange.ts'
import type { EncodedResponse } from '../call/response.ts'
import { separateResponse, separating } from '../call/separate-response.ts'
import { CallPool } from '../session/call-pool.ts'
import { ConcurrencyLimit } from '../session/concurrency-limit.ts'
import type { ServerRuntime } from '../session/server-runtime.ts'
import type { Caller } from '../call/scope.ts'
import { statelessContext } from '../session/stateless-call.ts'
import type { Outbox } from './outbox.ts'
import { subscriptionChannel } from './subscriptions.ts'

type Served = Extract<Selection, { readonly kind: 'serve' }>

/** How long a client gets to read progress before the response follows, in ms. */
const READ_MS = 20
/**
 * Node.js reads at most this many bytes of a pipe at once. Some clients in other
 * languages accept no longer lines.
 */
const READ_BYTES = 65_536
const LINE_END = 1

/** The parts of a connection that each era needs. */
export interface EraOptions {
  readonly runtime: ServerRuntime
  readonly caller: Caller
  readonly served: readonly Revision[]
  readonly outbox: Outbox
  readonly onRefused: (reason: string) => void
}

/** The requests of a duplex connection that bring their own metadata, next to those of its session. */
export class PerRequestEra {
  readonly calls: CallPool
  /** One client uses the connection, so its calls have the limits of one session. */
  readonly limit: ConcurrencyLimit
  readonly subscriptions: SubscriptionSet
  readonly #options: EraOptions
  /** The client cannot be sent requests in these revisions. */
  readonly #exchange: Exchange
  #closing = false

  constructor(options: EraOptions) {
    const { runtime, outbox, onRefused } = options
    this.#options = options
    this.limit = new ConcurrencyLimit(runtime.limits)
    this.calls = new CallPool(() => this.limit)
    const max = runtime.limits.subscriptions
    this.subscriptions = new SubscriptionSet({ max, maxPerPrincipal: max })
    const exchange: Exchange = {
      duplex: false,
      network: outbox.network,
      subscribable: true,
      send: (frame) => outbox.notify(frame),
      refused: onRefused,
    }
    this.#exchange = outbox.byteStream
      ? separating(exchange, runtime.clock, (frame) => this.#setApart(frame))
      : exchange
  }

  call(message: JsonRpcRequest, { revision, meta }: Served): EncodedResponse | Promise<EncodedResponse> {
    const { runtime, caller, served } = this.#options
    const call = { message, exchange: this.#exchange, caller, revision, meta, served }
    const ctx = statelessContext(runtime, call)
    return separateResponse(ctx, this.calls.run(runtime, ctx))
  }

  /**
   * Without pings, the server cannot know what the client has read: it gives it time,
   * and fills one read of Node.js.
   */
  #setApart(frame: string): Promise<string> {
    const { clock } = this.#options.runtime
    return new Promise((resolve) => {
      clock.setTimeout(() => resolve(frame.padStart(READ_BYTES - LINE_END)), READ_MS)
    })
  }

  /** If the response starts a subscription, holds it back until that ends. */
  subscribe(response: EncodedResponse, revision: Revision): EncodedResponse {
    if (response?.subscription === undefined) return response
    const { frame, subscription } = response
    const error = this.#begin(subscription, frame)
    if (error === undefined) return undefined
    this.#options.onRefused(error.reason === 'busy' ? 'busy' : 'invalidMessage')
    return { frame: errorFrame(subscription.id, revision.encodeError(error)), error }
  }

  #begin(request: SubscriptionRequest, answer: string): McpError | undefined {
    const { id } = request
    if (this.#closing) return busy()
    if (this.subscriptions.find(id) !== undefined)
      return invalidRequest('A subscription with this id is open: choose another one')
    const channel = subscriptionChannel(id, this.#options.outbox)
    const subscription = this.subscriptions.open({ ...request, answer, channel }, ANONYMOUS)
    subscription?.begin()
    return subscription === undefined ? busy() : undefined
  }

  cancel(id: RequestId): void {
    this.calls.cancel(id)
    this.subscriptions.find(id)?.drop()
  }

  /** Ends the subscriptions, which do not end by themselves. */
  drain(): void {
    this.#closing = true
    this.subscriptions.closeAll()
  }
}
