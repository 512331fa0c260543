/** A value in a reply of Redis. */
export type RedisReply = string | number | null | readonly RedisReply[]

/** A connection for blocking commands. */
export interface RedisReader {
  command(args: readonly string[]): Promise<RedisReply>
  /** Ends the connection, and rejects its pending command. */
  close(): void
}

/** The part of a Redis client that the stores need. Opens no connection before its first command. */
export interface RedisConnection {
  /**
   * Sends a command. In a cluster, `key` selects the node. Rejects if the command cannot be sent now: no
   * command is queued for later.
   *
   * @throws RedisReplyError if Redis replied with an error
   */
  command(key: string, args: readonly string[]): Promise<RedisReply>
  /** Connects to every node. Commands connect on their own, but the first commands may then take too long. */
  connect?(): Promise<void>
  /** Opens another connection to the node of a key. The connection does not reconnect. */
  reader(key: string): RedisReader
  /**
   * Returns the node that serves a key, so that the failure of one node does not stop the others.
   *
   * @default one for all keys
   */
  nodeOf?(key: string): string
  /** Replaces connections that no longer receive replies. */
  reset?(): void
  close(): Promise<void>
}

/** Redis replied with an error. It may have executed the command. */
export class RedisReplyError extends Error {
  override readonly name = 'RedisReplyError'
}

/** Redis did not reply in time, or cannot be reached. It may have executed the command. */
export class RedisUnavailable extends Error {
  override readonly name = 'RedisUnavailable'
}

/** @throws RedisUnavailable if the reply does not arrive in time */
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
