import { ProcessEnded } from './lists.ts'

/**
 * Settles like the promise. Rejects with {@link ProcessEnded} if the promise does not settle within this time,
 * in ms.
 */
export function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new ProcessEnded()), ms)
    promise.finally(() => clearTimeout(timer)).then(resolve, reject)
  })
}
