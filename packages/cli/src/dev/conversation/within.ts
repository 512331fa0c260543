import { setTimeout as sleep } from 'node:timers/promises'
import { ProcessEnded } from './lists.ts'

/** A promise that rejects after some ms. */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  const timer = new AbortController()
  const late = sleep(ms, undefined, { signal: timer.signal }).then(() => {
    throw new ProcessEnded()
  })
  // The timer is cancelled when the promise is first.
  late.catch(() => {})
  try {
    return await Promise.race([promise, late])
  } finally {
    timer.abort()
  }
}
