/** A value in a reply from Redis. */
export type RedisReply = string | number | null | readonly RedisReply[]

/** A connection for blocking commands. */
export interface RedisReader {
  command(args: readonly string[]): Promise<RedisReply>
  /** Closes the connection, and rejects its pending command. */
  close(): void
}

/** The part of a Redis client that the stores use. It connects when the first command is sent. */
export interface RedisConnection {
  /**
   * Sends a command. In a cluster, `key` selects the node. Rejects if the command cannot be sent immediately,
   * because commands are never queued.
   *
   * @throws RedisReplyError if Redis replied with an error
   */
  command(key: string, args: readonly string[]): Promise<RedisReply>
  /** Connects to every node. Sending a command also connects, but then the first commands may take too long. */
  connect?(): Promise<void>
  /** Opens another connection, to the node that holds a key. The connection does not reconnect. */
  reader(key: string): RedisReader
  /**
   * Returns the node that serves a key, so that a failing node does not affect commands to the others.
   *
   * @default one node for all keys
   */
  nodeOf?(key: string): string
  /** Replaces connections that no longer receive replies. */
  reset?(): void
  /** The address of Redis, for logs and errors. It contains no secrets. */
  readonly address?: string
  /** The connection's last error, or undefined if Redis has replied since. */
  problem?(): unknown
  /** Allows commands again after {@link RedisConnection.close} was called. */
  open?(): void
  /** Closes all connections. Later commands reject without opening a connection. */
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

/** Returns the error for a failed connection. It names the address of Redis and, if known, the cause. */
export function unavailable(
  { address, problem }: Pick<RedisConnection, 'address' | 'problem'>,
  failure: string,
  cause: unknown = problem?.(),
): RedisUnavailable {
  const redis = address === undefined ? 'Redis' : `Redis at ${address}`
  if (cause === undefined) return new RedisUnavailable(`${redis} ${failure}`)
  return new RedisUnavailable(`${redis} ${failure}: ${reasonOf(cause)}`, { cause })
}

/** Returns an error's text. Node.js leaves the message empty if it has tried several addresses. */
function reasonOf(error: unknown): string {
  const { message = '', code = '' } = Object(error) as { readonly message?: string; readonly code?: string }
  return message || code || String(error)
}

/**
 * Waits for a reply.
 *
 * @throws RedisUnavailable if the reply does not arrive in time
 */
export function withDeadline<T>(
  reply: Promise<T>,
  ms: number,
  connection: Pick<RedisConnection, 'address' | 'problem'> = {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = (): void => reject(unavailable(connection, `did not reply within ${ms} ms`))
    const timer = setTimeout(late, ms)
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
