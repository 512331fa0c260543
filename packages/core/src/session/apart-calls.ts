import type { Clock } from '../util/clock.ts'
import type { EncodedResponse } from '../call/dispatcher.ts'
import type { ServerRuntime } from './server-runtime.ts'
import { type Calls, contextOf, type StatelessCall, StatelessCalls } from './stateless.ts'

/** The calls of a mount that belong to no session, kept together as far as requests are within each other's reach. */
export const createCalls = ({ perRequest }: Clock): Calls =>
  perRequest === true ? new ApartCalls() : new StatelessCalls()

/**
 * Calls of requests that are out of each other's reach. They are not counted: one that ends without a word would count
 * for ever, no other request could end it, and how many run is the platform's to limit.
 */
class ApartCalls implements Calls {
  call(runtime: ServerRuntime, call: StatelessCall): EncodedResponse | Promise<EncodedResponse> {
    const { exchange, revision, caller } = call
    const ctx = contextOf(runtime, call)
    const answer = runtime.dispatcher.run(ctx)
    if (answer instanceof Promise) {
      if (revision.cancelOnDisconnect) exchange.onDisconnect?.(() => ctx.end?.('cancelled'))
      // Such a platform drops what still runs when the client has gone; a handler has its own end to come to.
      caller.host?.waitUntil?.(answer)
    }
    return answer
  }

  inFlight(): number {
    return 0
  }

  endAll(): void {}
}
