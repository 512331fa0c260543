import { randomBytes } from 'node:crypto'
import {
  callTool,
  initialize,
  INITIALIZED,
  MODERN,
  ping,
  requestMeta,
  silent,
  slowness,
} from '@jetway-apps/test-support'
import { createServer, originOf, post } from '@jetway-apps/test-support/http'
import { type RedisServer, type SlowProxy, startRedis, startSlowProxy } from '@jetway-apps/test-support/redis'
import { mcp } from '@jetway/fastify'
import { redis } from '@jetway/redis'
import Fastify from 'fastify'
import { expect, it, onTestFinished, vi } from 'vitest'

/** The time limit for a request while the store is failing, in ms. */
const REFUSAL_MS = 1_000
/** The time after the store's recovery until everything must work again, in ms. */
const RECOVERY_MS = 5_000

interface Fault {
  readonly name: string
  begin(store: Store): unknown
  end(store: Store): unknown
}

interface Store {
  readonly server: RedisServer
  readonly proxy: SlowProxy
}

const FAULTS: readonly Fault[] = [
  { name: 'killed', begin: ({ server }) => server.kill(), end: ({ server }) => server.restart() },
  {
    name: 'stopped',
    begin: ({ server }) => server.signal('SIGSTOP'),
    end: ({ server }) => server.signal('SIGCONT'),
  },
  {
    name: 'cut off',
    begin: ({ proxy }) => proxy.refuse(true),
    end: ({ proxy }) => proxy.refuse(false),
  },
  { name: 'slow', begin: ({ proxy }) => proxy.delay(2_000), end: ({ proxy }) => proxy.delay(0) },
]

async function startStore(): Promise<Store> {
  // With `everysec`, a killed Redis may lose its last writes.
  const server = await startRedis('--appendonly', 'yes', '--appendfsync', 'always')
  onTestFinished(() => server.stop())
  const proxy = await startSlowProxy(server.port)
  onTestFinished(() => proxy.stop())
  return { server, proxy }
}

/** Starts a server whose mount uses the store, and reads the session's record for every request. */
async function startApp(
  url: string,
): Promise<{ readonly url: string; readonly stores: ReturnType<typeof redis> }> {
  const stores = redis({ url, namespace: `faults-${randomBytes(6).toString('hex')}`, logger: silent })
  const app = Fastify()
  const server = createServer()
  await app.register(mcp, { server, shared: stores, sessions: { verifyMs: 0 }, logger: silent })
  await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(async () => {
    await server.close()
    await app.close()
  })
  await stores.ready()
  return { url: `${originOf(app.server)}/mcp`, stores }
}

/** Opens a session. Returns the headers for its requests. */
async function openSession(url: string): Promise<Record<string, string>> {
  const opened = await post(url, JSON.stringify(initialize()))
  const headers = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
  expect((await post(url, JSON.stringify(INITIALIZED), headers)).status).toBe(202)
  return headers
}

/** Calls a tool without a session, so that no store is needed. */
async function callWithoutSession(url: string): Promise<number> {
  const { params, ...message } = callTool('name')
  const body = JSON.stringify({ ...message, params: { ...params, _meta: requestMeta() } })
  const headers = { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call', 'mcp-name': 'name' }
  return (await post(url, body, headers)).status
}

/** Sends a request that needs the store. If it is refused, checks the refusal. Resolves to the status. */
async function callInSession(url: string, headers: Record<string, string>): Promise<number> {
  const start = performance.now()
  const { status, headers: got } = await post(url, JSON.stringify(ping()), headers)
  const elapsed = performance.now() - start
  if (elapsed >= REFUSAL_MS) expect(elapsed).toBeLessThan(REFUSAL_MS * slowness().elapsed)
  if (status !== 200) expect([status, got.get('retry-after')]).toEqual([503, '1'])
  return status
}

/** Tests a store that fails `count` times, with each fault in turn. */
export function describeStoreFaults(count: number): void {
  it(
    `in each of ${count} store failures, the server responds with 503 within 1 s, recovers within 5 s and keeps stored data`,
    async () => {
      const store = await startStore()
      const { url, stores } = await startApp(store.proxy.url)
      const sessions: Record<string, string>[] = []
      const streams: { readonly stream: string; readonly epoch: string }[] = []
      for (let round = 0; round < count; round++) {
        const fault = FAULTS[round % FAULTS.length] as Fault
        sessions.push(await openSession(url))
        const key = { principal: '', session: 'streams', stream: `stream-${round}` }
        const lease = await stores.events.open(key, { node: stores.nodes.id, kind: 'call', pending: [] })
        expect(await stores.events.append(key, lease, [{ seq: 1, frame: `${round}` }])).toEqual({
          state: 'kept',
        })
        streams.push({ stream: key.stream, epoch: lease.epoch })

        await fault.begin(store)
        for (const headers of sessions.slice(-6)) expect(await callInSession(url, headers)).toBe(503)
        expect(await callWithoutSession(url)).toBe(200)
        await fault.end(store)
        await vi.waitFor(
          async () => expect(await callInSession(url, sessions[round] ?? {})).toBe(200),
          RECOVERY_MS,
        )
      }
      for (const headers of sessions) expect(await callInSession(url, headers)).toBe(200)
      for (const [round, { stream, epoch }] of streams.entries()) {
        const state = await stores.events.read(
          { principal: '', session: 'streams', stream },
          { epoch, seq: 0 },
        )
        expect(state?.events).toEqual([{ seq: 1, frame: `${round}` }])
      }
    },
    count * 30_000,
  )
}
