import type { Clock } from '../../util/clock.ts'
import { attempt, type Awaitable } from '../../util/promises.ts'
import { unref } from '../../util/timers.ts'

/** Thrown if the application's session or event store fails, in which case its content is unknown. */
export class StoreFailure extends Error {
  constructor(cause: unknown) {
    super('A session or event store failed', { cause })
    this.name = 'StoreFailure'
  }
}

/** @throws StoreFailure if the step throws or rejects */
export const fromStore = <T>(step: () => Awaitable<T>): Awaitable<T> =>
  attempt(step, (error): never => {
    throw new StoreFailure(error)
  })

/** The pauses between attempts, in ms: 3 s in total. */
const PAUSES_MS = [50, 150, 300, 500, 1_000, 1_000]

/**
 * Retries a rejected store operation for 3 s, because a networked store may soon work again.
 *
 * @param first - the result of the first attempt
 */
export async function retried<T>(clock: Clock, first: Promise<T>, step: () => Awaitable<T>): Promise<T> {
  let result: Awaitable<T> = first
  for (const pause of PAUSES_MS) {
    try {
      return await result
    } catch {
      // A closed server must not wait for its store.
      await new Promise<void>((resolve) => unref(clock.setTimeout(resolve, pause)))
      result = step()
    }
  }
  return result
}
