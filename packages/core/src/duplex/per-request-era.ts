import { busy } from '../errors.ts'
import { errorFrame, type JsonRpcRequest, type RequestId } from '../protocol/jsonrpc.ts'
import type { Revision } from '../protocol/revisions/revision.ts'
import type { Selection } from '../protocol/revisions/select.ts'
import type { Exchange } from '../call/exchange.ts'
import type { EncodedResponse } from '../call/response.ts'
import { CallPool } from '../session/call-pool.ts'
import { ConcurrencyLimit } from '../session/concurrency-limit.ts'
import type { ServerRuntime } from '../session/server-runtime.ts'
import type { Caller } from '../call/context.ts'
import { statelessContext } from '../session/stateless-call.ts'
import type { Outbox } from './outbox.ts'
import { DuplexSubscriptions } from './subscriptions.ts'

type Served = Extract<Selection, { readonly kind: 'serve' }>

/** The parts of a connection that each era needs. */
export interface EraOptions {
  readonly runtime: ServerRuntime
  readonly caller: Caller
  /** The revisions of the era. */
  readonly served: readonly Revision[]
  readonly outbox: Outbox
  readonly onRefused: (reason: string) => void
}

/** The requests of a duplex connection that bring their own metadata, next to those of its session. */
export class PerRequestEra {
  readonly calls: CallPool
  /** One client uses the connection, so its calls have the limits of one session. */
  readonly limit: ConcurrencyLimit
  readonly subscriptions: DuplexSubscriptions
  readonly #options: EraOptions
  /** The client cannot be sent requests in these revisions. */
  readonly #exchange: Exchange
  #closing = false

  constructor(options: EraOptions) {
    const { runtime, outbox, onRefused } = options
    this.#options = options
    this.limit = new ConcurrencyLimit(runtime.limits)
    this.calls = new CallPool(() => this.limit)
    this.subscriptions = new DuplexSubscriptions(runtime.limits.subscriptions, outbox)
    this.#exchange = {
      duplex: false,
      subscribable: true,
      send: (frame) => outbox.notify(frame),
      refused: onRefused,
    }
  }

  call(message: JsonRpcRequest, { revision, meta }: Served): EncodedResponse | Promise<EncodedResponse> {
    const { runtime, caller, served } = this.#options
    const call = { message, exchange: this.#exchange, caller, revision, meta, served }
    return this.calls.run(runtime, statelessContext(runtime, call))
  }

  /** If the response starts a subscription, holds it back until that ends. */
  subscribe(response: EncodedResponse, revision: Revision): EncodedResponse {
    if (response?.subscription === undefined) return response
    const { frame, subscription } = response
    const error = this.#closing ? busy() : this.subscriptions.begin(subscription, frame)
    if (error === undefined) return undefined
    this.#options.onRefused(error.reason === 'busy' ? 'busy' : 'invalidMessage')
    return { frame: errorFrame(subscription.id, revision.encodeError(error)), error }
  }

  cancel(id: RequestId): void {
    this.calls.cancel(id)
    this.subscriptions.cancel(id)
  }

  /** Ends the subscriptions, which do not end by themselves. */
  drain(): void {
    this.#closing = true
    this.subscriptions.closeAll()
  }
}
