import { notificationFrame, type RequestId } from '../protocol/jsonrpc.ts'
import { SUBSCRIPTION_ID } from '../protocol/meta.ts'
import { Notification } from '../protocol/methods.ts'
import type { SubscriptionChannel } from '../subscriptions/subscription.ts'
import type { Outbox } from './outbox.ts'

/**
 * The channel of one subscription on a connection. All share the outbox, and the ids of their requests
 * distinguish them. The notification at the end is required.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation
 */
export function subscriptionChannel(id: RequestId, outbox: Outbox): SubscriptionChannel {
  const owner = {}
  const end = (answer: string, reason: string): void => {
    outbox.discard(owner)
    const params = { _meta: { [SUBSCRIPTION_ID]: id }, requestId: id, reason }
    void outbox.write(answer)
    void outbox.write(notificationFrame(Notification.Cancelled, params))
  }
  return {
    send: (frame) => outbox.sendCoalesced(frame, owner),
    drop: () => outbox.discard(owner),
    finish: (answer) => end(answer, 'The server has ended the subscription'),
    overflow: (answer) => end(answer, 'The client reads too slowly'),
  }
}
