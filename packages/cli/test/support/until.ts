import { onTestFinished } from 'vitest'

/**
 * Lets the event loop run until a condition is true, even with fake timers. Rejects when the test has ended.
 */
export async function until(done: () => boolean): Promise<void> {
  let over = false
  onTestFinished(() => void (over = true))
  while (!done()) {
    if (over) throw new Error('The test ended before the condition held')
    await new Promise((resolve) => setImmediate(resolve))
  }
}
