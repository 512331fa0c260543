import type { Clock } from '../util/clock.ts'
import { type Awaitable, chain } from '../util/promises.ts'
import type { CallContext } from './context.ts'
import type { Exchange } from './exchange.ts'
import type { EncodedResponse } from './response.ts'

/** A client is assumed to have read a notification that is older than this, in ms. */
const RECENT_MS = 1_000

/**
 * Wraps an exchange on a byte stream, where the client may read a call's last progress notification together
 * with the response. The official TypeScript clients then drop the progress, because they handle the response
 * immediately, but notifications a microtask later, when the call's progress handler has been removed.
 *
 * @param separate - returns the frame to write, as soon as the client has read everything sent before it
 */
export function separating(
  exchange: Exchange,
  clock: Clock,
  separate: (frame: string) => Awaitable<string>,
): Exchange {
  let sentAt = Number.NEGATIVE_INFINITY
  return {
    ...exchange,
    send: (frame) => {
      sentAt = clock.now()
      return exchange.send(frame)
    },
    separate: (frame) => (clock.now() - sentAt < RECENT_MS ? separate(frame) : frame),
  }
}

/** Delays the response to a call that has reported progress, if the exchange requires this. */
export function separateResponse(
  ctx: CallContext,
  answered: Awaitable<EncodedResponse>,
): Awaitable<EncodedResponse> {
  const { exchange } = ctx.scope
  if (!ctx.reportsProgress) return answered
  return chain(answered, (answer) => {
    if (answer === undefined || !ctx.reported) return answer
    const frame = exchange.separate?.(answer.frame) ?? answer.frame
    return chain(frame, (separated) => ({ ...answer, frame: separated }))
  })
}
