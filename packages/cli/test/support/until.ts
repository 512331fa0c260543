import { onTestFinished } from 'vitest'

/** Lets the event loop turn until a condition holds, also with fake timers. Rejects when the test has ended. */
export async function until(done: () => boolean): Promise<void> {
  let over = false
  onTestFinished(() => void (over = true))
  while (!done()) {
    if (over) throw new Error('The test ended before the condition held')
    await new Promise((resolve) => setImmediate(resolve))
  }
}
