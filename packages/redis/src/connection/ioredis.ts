import { type RedisConnection, type RedisReply, RedisReplyError } from './connection.ts'

/** The part of an ioredis or iovalkey client, or of their `Cluster`, that the stores use. */
export interface IoredisClient {
  /** The address, which a `Cluster` does not have. */
  readonly options?: {
    readonly host?: string | undefined
    readonly port?: number | undefined
    readonly path?: string | undefined
  }
  call(command: string, ...args: string[]): Promise<unknown>
  duplicate(): IoredisClient
  /**
   * Closes the connection.
   *
   * @param reconnect - whether to open a new connection
   */
  disconnect(reconnect?: boolean): void
  on(event: 'error', listener: (error: Error) => void): unknown
}

/** The last error event of each client. The entry is cleared when Redis replies again. */
const problems = new WeakMap<IoredisClient, { last?: unknown }>()

/**
 * Uses an ioredis or iovalkey client. Do not use the client for anything else, because its connection is
 * replaced when Redis no longer replies, or when the connection leads to a former master. Create the client
 * with `enableOfflineQueue: false` and `maxRetriesPerRequest: 0`, so that it does not queue commands. The
 * stores never close the client. Close it after the server has closed.
 */
export function fromIoredis(client: IoredisClient): RedisConnection {
  const problem = problemOf(client)
  const { host, port = 6379, path } = client.options ?? {}
  const address = path ?? (host === undefined ? undefined : `${host}:${port}`)
  return {
    ...(address !== undefined && { address }),
    problem: () => problem.last,
    command: async (_, args) => {
      try {
        const reply = await call(client, args)
        problem.last = undefined
        return reply
      } catch (error) {
        // Without a connection, the error of a command does not give the reason.
        throw error instanceof RedisReplyError ? error : (problem.last ?? error)
      }
    },
    reset: () => client.disconnect(true),
    reader: () => {
      const reader = client.duplicate()
      reader.on('error', () => {})
      return { command: (args) => call(reader, args), close: () => reader.disconnect() }
    },
    close: async () => {},
  }
}

/** Adds the listener only once, because several servers may use the same client. */
function problemOf(client: IoredisClient): { last?: unknown } {
  const known = problems.get(client)
  if (known !== undefined) return known
  const problem: { last?: unknown } = {}
  problems.set(client, problem)
  client.on('error', (error) => {
    problem.last = error
  })
  return problem
}

async function call(client: IoredisClient, [command = '', ...args]: readonly string[]): Promise<RedisReply> {
  try {
    return (await client.call(command, ...args)) as RedisReply
  } catch (error) {
    throw error instanceof Error && error.name === 'ReplyError' ? new RedisReplyError(error.message) : error
  }
}
