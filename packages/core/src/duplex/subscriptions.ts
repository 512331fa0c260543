import { busy, invalidRequest, type McpError } from '../errors.ts'
import { notificationFrame, type RequestId } from '../protocol/jsonrpc.ts'
import { SUBSCRIPTION_ID } from '../protocol/meta.ts'
import { Notification } from '../protocol/methods.ts'
import { ANONYMOUS } from '../stores/principal.ts'
import type { ChangeEvent } from '../stores/bus.ts'
import type { Subscription, SubscriptionRequest, SubscriptionChannel } from '../subscriptions/subscription.ts'
import { SubscriptionSet } from '../subscriptions/subscription-set.ts'

/** How frames get to the one client of a connection. */
export interface DuplexOutlet {
  write(frame: string): void | Promise<void>
  /** Takes what may wait for a slow peer; false where there is no room. */
  sendCoalesced(frame: string, owner: object): boolean
  /** Leaves unsaid what still waits for an owner. */
  discard(owner: object): void
}

/** The subscriptions of one connection, which share its channel and are told apart by the ids of their requests. */
export class DuplexSubscriptions {
  readonly #way: DuplexOutlet
  readonly #listens: SubscriptionSet
  readonly #byId = new Map<RequestId, Subscription>()

  constructor(max: number, way: DuplexOutlet) {
    this.#way = way
    this.#listens = new SubscriptionSet({ max, maxPerPrincipal: max })
  }

  /** Begins the subscription that an answer came to, and by that holds the answer back; or says why not. */
  begin(listening: SubscriptionRequest, answer: string): McpError | undefined {
    const { id } = listening
    if (this.#byId.has(id)) return invalidRequest('A subscription with this id is open: choose another one')
    const outlet = this.#outlet(id)
    const listen = this.#listens.open({ ...listening, answer, channel: outlet }, ANONYMOUS)
    if (listen === undefined) return busy()
    this.#byId.set(id, listen)
    listen.onClose(() => this.#byId.delete(id))
    listen.begin()
    return undefined
  }

  onChange(event: ChangeEvent): void {
    this.#listens.onChange(event)
  }

  /** Ends the subscription that the client has had enough of. */
  cancel(id: RequestId): void {
    this.#byId.get(id)?.drop()
  }

  /** Ends all of them with their answers. */
  closeAll(): void {
    this.#listens.closeAll()
  }

  /** https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation demands the notification, on top of the answer. */
  #outlet(id: RequestId): SubscriptionChannel {
    const owner = {}
    const way = this.#way
    const end = (answer: string, reason: string): void => {
      const params = { _meta: { [SUBSCRIPTION_ID]: id }, requestId: id, reason }
      void way.write(answer)
      void way.write(notificationFrame(Notification.Cancelled, params))
    }
    return {
      send: (frame) => way.sendCoalesced(frame, owner),
      drop: () => way.discard(owner),
      finish: (answer) => {
        // Nothing may come after the answer.
        way.discard(owner)
        end(answer, 'The server has ended the subscription')
      },
      overflow: (answer) => {
        way.discard(owner)
        end(answer, 'More has changed than was read')
      },
    }
  }
}
