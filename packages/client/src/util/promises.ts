import type { Clock } from '@jetway/core/stores'

/** Settles like the promise, or rejects with the signal's reason if the signal aborts first. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/** Waits for the given number of ms. Rejects with the signal's reason if the signal aborts. */
export async function delay(ms: number, clock: Clock, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted()
  let timer: unknown
  const elapsed = new Promise<void>((resolve) => {
    timer = clock.setTimeout(resolve, ms)
  })
  try {
    await abortable(elapsed, signal)
  } finally {
    clock.clearTimeout(timer)
  }
}

interface TimeLimit {
  readonly ms: number
  readonly clock: Clock
  readonly late: () => Error
}

/** Settles like the promise, or rejects with the value that `late` returns if the time runs out first. */
export async function withTimeout<T>(promise: Promise<T>, { ms, clock, late }: TimeLimit): Promise<T> {
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

/**
 * Runs a function with a signal. The signal aborts with `signal`, or with the value that `late` returns when
 * the time has run out.
 */
export async function abortingAfter<T>(
  { ms, clock, late, signal }: TimeLimit & { readonly signal?: AbortSignal | undefined },
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController()
  const timer = clock.setTimeout(() => over.abort(late()), ms)
  try {
    return await run(anySignal(signal, over.signal))
  } finally {
    clock.clearTimeout(timer)
  }
}

/** A promise with its resolving functions. If the promise rejects, the rejection may remain unhandled. */
export interface Deferred<T> {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
  readonly reject: (error: unknown) => void
}

export function deferred<T>(): Deferred<T> {
  let resolve!: (value: T) => void
  let reject!: (error: unknown) => void
  const promise = new Promise<T>((settle, fail) => {
    resolve = settle
    reject = fail
  })
  promise.catch(() => {})
  return { promise, resolve, reject }
}

/** Returns a signal that aborts with the first of the given signals. */
export const anySignal = (...signals: readonly (AbortSignal | undefined)[]): AbortSignal =>
  AbortSignal.any(signals.filter((signal) => signal !== undefined))

export const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
