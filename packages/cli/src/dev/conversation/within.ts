import { ProcessEnded } from './lists.ts'

/** A promise that rejects after some ms. */
export function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new ProcessEnded()), ms)
    promise.finally(() => clearTimeout(timer)).then(resolve, reject)
  })
}
