/** A value in a reply from Redis. */
export type RedisReply = string | number | null | readonly RedisReply[]

/** A connection for blocking commands. */
export interface RedisReader {
  command(args: readonly string[]): Promise<RedisReply>
  /** Ends the connection, and rejects its pending command. */
  close(): void
}

/** The part of a Redis client that the stores need. It does not connect before its first command. */
export interface RedisConnection {
  /**
   * Sends a command. In a cluster, `key` selects the node. Rejects if the command cannot be sent now, because
   * commands are never queued for later.
   *
   * @throws RedisReplyError if Redis replied with an error
   */
  command(key: string, args: readonly string[]): Promise<RedisReply>
  /** Connects to every node. Commands also connect, but the first ones may take too long without this. */
  connect?(): Promise<void>
  /** Opens another connection to the node of a key. The connection does not reconnect. */
  reader(key: string): RedisReader
  /**
   * Returns the node that serves a key, so that the failure of one node does not affect commands to the
   * others.
   *
   * @default one node for all keys
   */
  nodeOf?(key: string): string
  /** Replaces connections that no longer receive replies. */
  reset?(): void
  close(): Promise<void>
}

/** Thrown if Redis replied with an error. Redis may have executed the command. */
export class RedisReplyError extends Error {
  override readonly name = 'RedisReplyError'
}

/** Thrown if Redis did not reply in time or cannot be reached. Redis may have executed the command. */
export class RedisUnavailable extends Error {
  override readonly name = 'RedisUnavailable'
}

/** Waits for a reply. @throws RedisUnavailable if it does not arrive in time */
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
