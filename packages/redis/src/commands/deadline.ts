/** Redis did not reply in time, or cannot be reached. It is unknown whether it executed the command. */
export class RedisUnavailable extends Error {
  override readonly name = 'RedisUnavailable'
}

/** @throws RedisUnavailable if the reply is not there in time */
export function withDeadline<T>(reply: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new RedisUnavailable(`Redis did not reply within ${ms} ms`)), ms)
    reply.then(
      (value) => {
        clearTimeout(timer)
        resolve(value)
      },
      (error: unknown) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}
