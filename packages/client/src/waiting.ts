import type { Clock } from '@jetway/core/stores'

/** What a promise comes to, unless the signal aborts first: then its reason. What comes later is dropped. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error)
    const free = (): void => signal.removeEventListener('abort', stop)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(free)
  })
}

/** Rejects with the signal's reason, and leaves no timer behind. */
export function pause(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clock.clearTimeout(timer)
      reject(signal.reason as Error)
    }
    const timer = clock.setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal.addEventListener('abort', stop, { once: true })
  })
}

/** What a promise comes to within a time, after which it rejects with what `late` makes. Leaves no timer behind. */
export async function within<T>(
  promise: Promise<T>,
  { ms, clock, late }: { readonly ms: number; readonly clock: Clock; readonly late: () => Error },
): Promise<T> {
  let timer: unknown
  const over = new Promise<never>((_, reject) => {
    timer = clock.setTimeout(() => reject(late()), ms)
  })
  try {
    return await Promise.race([promise, over])
  } finally {
    clock.clearTimeout(timer)
  }
}

/** A promise that others settle. Nobody has to wait for it. */
export interface Deferred<T> {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
  readonly reject: (error: unknown) => void
}

export function deferred<T>(): Deferred<T> {
  let resolve = (_value: T): void => {}
  let reject = (_error: unknown): void => {}
  const promise = new Promise<T>((settle, fail) => {
    resolve = settle
    reject = fail
  })
  promise.catch(() => {})
  return { promise, resolve, reject }
}

export const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
