import { busy, invalidRequest, type McpError } from '../errors.ts'
import { notificationFrame, type RequestId } from '../protocol/jsonrpc.ts'
import { SUBSCRIPTION_ID } from '../protocol/meta.ts'
import { Notification } from '../protocol/methods.ts'
import { ANONYMOUS } from '../stores/principal.ts'
import type { ChangeEvent } from '../stores/bus.ts'
import type { Subscription, SubscriptionRequest, SubscriptionChannel } from '../subscriptions/subscription.ts'
import { SubscriptionSet } from '../subscriptions/subscription-set.ts'
import type { Outbox } from './outbox.ts'

/** The subscriptions of one connection. They share its outbox, and the ids of their requests distinguish them. */
export class DuplexSubscriptions {
  readonly #outbox: Outbox
  readonly #open: SubscriptionSet
  readonly #byId = new Map<RequestId, Subscription>()

  constructor(max: number, outbox: Outbox) {
    this.#outbox = outbox
    this.#open = new SubscriptionSet({ max, maxPerPrincipal: max })
  }

  /** Starts a subscription, which keeps the response until it ends. Returns the error if it cannot. */
  begin(request: SubscriptionRequest, answer: string): McpError | undefined {
    const { id } = request
    if (this.#byId.has(id)) return invalidRequest('A subscription with this id is open: choose another one')
    const channel = this.#channel(id)
    const subscription = this.#open.open({ ...request, answer, channel }, ANONYMOUS)
    if (subscription === undefined) return busy()
    this.#byId.set(id, subscription)
    subscription.onClose(() => this.#byId.delete(id))
    subscription.begin()
    return undefined
  }

  onChange(event: ChangeEvent): void {
    this.#open.onChange(event)
  }

  cancel(id: RequestId): void {
    this.#byId.get(id)?.drop()
  }

  /** Ends all of them with their responses. */
  closeAll(): void {
    this.#open.closeAll()
  }

  /** The notification is required: https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation */
  #channel(id: RequestId): SubscriptionChannel {
    const owner = {}
    const outbox = this.#outbox
    const end = (answer: string, reason: string): void => {
      const params = { _meta: { [SUBSCRIPTION_ID]: id }, requestId: id, reason }
      void outbox.write(answer)
      void outbox.write(notificationFrame(Notification.Cancelled, params))
    }
    return {
      send: (frame) => outbox.sendCoalesced(frame, owner),
      drop: () => outbox.discard(owner),
      finish: (answer) => {
        outbox.discard(owner)
        end(answer, 'The server has ended the subscription')
      },
      overflow: (answer) => {
        outbox.discard(owner)
        end(answer, 'The client reads too slowly')
      },
    }
  }
}
