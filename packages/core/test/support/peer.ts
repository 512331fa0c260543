import { initialize } from '@jetway-apps/test-support'
import { createMemoryTransportPair } from '../../src/duplex/index.ts'
import type { McpServer } from '../../src/server/mcp-server.ts'
import type { ConnectionOptions } from '../../src/duplex/connection.ts'

interface Reply {
  readonly id?: number
  readonly method?: string
  readonly params?: unknown
  /** Missing from errors and notifications. A test that reads this expects a result. */
  readonly result: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** An in-memory client that sends and receives raw JSON-RPC. */
export interface Peer {
  readonly notifications: Reply[]
  request(method: string, params?: object): Promise<Reply>
  notify(method: string, params?: object): void
  /** Resolves when the next notification arrives. */
  nextNotification(): Promise<Reply>
  close(): Promise<void>
}

export async function openPeer<M, A>(
  server: McpServer<M, A>,
  { version = '2025-11-25', ...options }: ConnectionOptions & { version?: string } = {},
): Promise<Peer & { readonly initialized: Reply }> {
  const [near, far] = createMemoryTransportPair()
  // The cast accepts any server, because the test provides the options that the server's type requires.
  ;(server as McpServer).connect(far, options)
  const waiting = new Map<number, (reply: Reply) => void>()
  const notifications: Reply[] = []
  let announce: ((reply: Reply) => void) | undefined
  await near.start({
    message: (text) => {
      const reply = JSON.parse(text) as Reply
      if (reply.id !== undefined) return waiting.get(reply.id)?.(reply)
      notifications.push(reply)
      announce?.(reply)
    },
    malformed: () => {},
    close: () => {},
  })
  let id = 0
  const request = (method: string, params: object = {}): Promise<Reply> => {
    const answer = new Promise<Reply>((resolve) => waiting.set(++id, resolve))
    void near.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    return answer
  }
  const notify = (method: string, params: object = {}): void =>
    void near.send(JSON.stringify({ jsonrpc: '2.0', method, params }))
  const initialized = await request('initialize', initialize(version).params)
  notify('notifications/initialized')
  return {
    initialized,
    notifications,
    request,
    notify,
    nextNotification: () => new Promise((resolve) => (announce = resolve)),
    close: () => near.close(),
  }
}
