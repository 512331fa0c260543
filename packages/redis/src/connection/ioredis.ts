import { type RedisConnection, type RedisReply, RedisReplyError } from './connection.ts'

/** The part of an ioredis or iovalkey client, or of their `Cluster`, that the stores use. */
export interface IoredisClient {
  call(command: string, ...args: string[]): Promise<unknown>
  duplicate(): IoredisClient
  disconnect(): void
  on(event: 'error', listener: (error: Error) => void): unknown
}

/**
 * Uses a client of ioredis or iovalkey. Create it with `enableOfflineQueue: false` and `maxRetriesPerRequest:
 * 0`, so that it does not queue commands, and with a `reconnectOnError` that returns true for READONLY, so that
 * it disconnects from a former master. The stores never close the client. Close it after the server has closed.
 */
export function fromIoredis(client: IoredisClient): RedisConnection {
  return {
    command: (_, args) => call(client, args),
    reader: () => {
      const reader = client.duplicate()
      reader.on('error', () => {})
      return { command: (args) => call(reader, args), close: () => reader.disconnect() }
    },
    close: async () => {},
  }
}

async function call(client: IoredisClient, [command = '', ...args]: readonly string[]): Promise<RedisReply> {
  try {
    return (await client.call(command, ...args)) as RedisReply
  } catch (error) {
    throw error instanceof Error && error.name === 'ReplyError' ? new RedisReplyError(error.message) : error
  }
}
