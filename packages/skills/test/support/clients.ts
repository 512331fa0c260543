import { initialize, INITIALIZED, requestMeta } from '@jetway-apps/test-support'
import type { McpServer } from '@jetway/core'
import { createMemoryTransportPair } from '@jetway/core/transport'

interface Reply {
  readonly id?: number
  readonly method?: string
  /** Missing from errors. Tests that read this expect a result. */
  readonly result: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

export type Request = (method: string, params?: object, capabilities?: object) => Promise<Reply>

/** Creates a client that sends requests with the metadata of revision 2026-07-28. */
export const statelessClient =
  (server: McpServer): Request =>
  async (method, params = {}, capabilities = {}) => {
    const _meta = requestMeta(capabilities)
    const message = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }
    return JSON.parse((await server.handleMessage(message)) ?? '') as Reply
  }

interface SessionClient {
  readonly notifications: readonly Reply[]
  request(method: string, params?: object): Promise<Reply>
  close(): Promise<void>
}

/** Opens an in-memory session. */
export async function openSession(server: McpServer): Promise<SessionClient> {
  const [near, far] = createMemoryTransportPair()
  server.connect(far)
  const waiting = new Map<number, (reply: Reply) => void>()
  const notifications: Reply[] = []
  await near.start({
    message: (text) => {
      const message = JSON.parse(text) as Reply
      if (message.id === undefined) notifications.push(message)
      else waiting.get(message.id)?.(message)
    },
    malformed: () => {},
    close: () => {},
  })
  let id = 0
  const request = (method: string, params: object = {}): Promise<Reply> =>
    new Promise((resolve) => {
      waiting.set(++id, resolve)
      void near.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    })
  await request('initialize', initialize('2025-11-25').params)
  void near.send(JSON.stringify(INITIALIZED))
  return { notifications, request, close: () => near.close() }
}
