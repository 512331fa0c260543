/** A value in a reply of Redis. */
export type RedisReply = string | number | null | readonly RedisReply[]

/** A connection for commands that block it. */
export interface RedisReader {
  command(args: readonly string[]): Promise<RedisReply>
  /** Ends the connection, and rejects the command that waits on it. */
  close(): void
}

/** The part of a Redis client that the stores need. Opens no connection before its first command. */
export interface RedisConnection {
  /**
   * Sends a command. In a cluster, `key` chooses the node. A command that cannot be sent now
   * rejects: it is never kept for later.
   *
   * @throws RedisReplyError if Redis replied with an error
   */
  command(key: string, args: readonly string[]): Promise<RedisReply>
  /** Connects to every node. Commands connect by themselves, but the first ones may take too long. */
  connect?(): Promise<void>
  /** Opens another connection, to the node of a key. It does not reconnect. */
  reader(key: string): RedisReader
  /**
   * The node that serves a key, so that the failure of one node does not stop the others.
   *
   * @default one for all keys
   */
  nodeOf?(key: string): string
  /** Replaces connections on which replies no longer arrive. */
  reset?(): void
  close(): Promise<void>
}

/** Redis has executed the command, or refused to, and replied with an error. */
export class RedisReplyError extends Error {
  override readonly name = 'RedisReplyError'
}

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
