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
  /** Ends the connection. @param reconnect - whether to open another one */
  disconnect(reconnect?: boolean): void
  on(event: 'error', listener: (error: Error) => void): unknown
}

/** The last error event of each client, until Redis replies again. */
const problems = new WeakMap<IoredisClient, { last?: unknown }>()

/**
 * Uses a client of ioredis or iovalkey, which should serve Jetway only: its connection is replaced when Redis does not
 * reply any more, or when it leads to a former master. Create it with `enableOfflineQueue: false` and
 * `maxRetriesPerRequest: 0`, so that it does not queue commands. The stores never close the client: close it after the
 * server.
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
        // Without a connection, the error of a command does not tell why there is none.
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

/** Listens once, although several servers may use the same client. */
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
