import { settled, silent } from '@jetway-apps/test-support'
import { MemorySessionStore } from '@jetway-apps/test-support/stores'
import { redis, type RedisConnection } from '@jetway/redis'
import { expect, onTestFinished, vi } from 'vitest'
import { type Answer, createServer, type Limit, type Web, web } from './row.ts'

/** A Redis that never replies. */
const STALLED: RedisConnection = {
  command: () => new Promise(() => {}),
  reader: () => ({ command: () => new Promise(() => {}), close: () => {} }),
  close: () => Promise.resolve(),
}

/** Sends `count` commands, and returns the outcome of the last. The clock stands still, so no deadline passes. */
async function commands(count: number): Promise<unknown> {
  const stores = redis({ connection: STALLED, namespace: 'limits', logger: silent })
  onTestFinished(stores.acquire())
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const read = async (): Promise<unknown> => stores.sessions.get({ principal: '', id: 'a' })
  for (let i = 1; i < count; i++) read().catch(() => {})
  let last: unknown = 'waits'
  read().catch((error: Error) => (last = error.message))
  await settled()
  return last
}

/**
 * Returns whether the first of `count` changes of a session is stored. The store fails until the last change,
 * and another process changes the session in the meantime.
 */
async function unsaved(count: number): Promise<unknown> {
  const store = new MemorySessionStore()
  const [here, there] = [1, 2].map(() => {
    const server = createServer()
    server.addResourceTemplate({ uriTemplate: 'a://{b}', name: 'a', handler: () => '' })
    return web(server, { sessions: { store } })
  }) as [Web, Web]
  const session = await here.open()
  const subscribe = (node: Web, uri: string): Promise<Answer> =>
    node.post({ jsonrpc: '2.0', id: uri, method: 'resources/subscribe', params: { uri } }, session)
  const replace = store.replace.bind(store)
  store.replace = () => {
    throw new Error('down')
  }
  for (let i = 1; i < count; i++) await subscribe(here, `a://${i}`)
  store.replace = replace
  await subscribe(there, 'a://there')
  await subscribe(here, `a://${count}`)
  const { record } = store.get({ principal: '', id: session['mcp-session-id'] ?? '' }) ?? {}
  return ['a://1', 'a://2', 'a://there'].map((uri) => record?.subscriptions.includes(uri))
}

/** Returns whether a change of a session is stored after `count` changes of another process. */
async function contested(count: number): Promise<unknown> {
  const store = new MemorySessionStore()
  const server = createServer()
  server.addResourceTemplate({ uriTemplate: 'a://{b}', name: 'a', handler: () => '' })
  const client = web(server, { sessions: { store } })
  const session = await client.open()
  const replace = store.replace.bind(store)
  let left = count
  store.replace = (...args) => (left-- > 0 ? undefined : replace(...args))
  const params = { uri: 'a://b' }
  await client.post({ jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params }, session)
  await settled()
  const { record } = store.get({ principal: '', id: session['mcp-session-id'] ?? '' }) ?? {}
  return record?.subscriptions
}

export const NODES: readonly Limit[] = [
  {
    limit: 'changes of another process before one of a session is stored',
    most: 4,
    use: contested,
    accepted: ['a://b'],
    refused: [],
  },
  {
    limit: 'commands that wait for Redis',
    most: 2_000,
    use: commands,
    accepted: 'waits',
    refused: expect.stringContaining('2000 commands wait for Redis'),
  },
  {
    limit: 'changes of a session that wait for its store',
    most: 256,
    use: unsaved,
    accepted: [true, true, true],
    refused: [false, true, true],
  },
]
