/** Redis did not reply in time, or cannot be reached. It is unknown whether it executed the command. */
export class RedisUnavailable extends Error {
  override readonly name = 'RedisUnavailable'
}

/** @throws RedisUnavailable if the reply is not there in time */
export async function withDeadline<T>(reply: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new RedisUnavailable(`Redis did not reply within ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([reply, late])
  } finally {
    clearTimeout(timer)
  }
}
