import { once } from 'node:events'
import type { Server } from 'node:http'
import { ClientManager, type ManagerEvents } from '@jetway/client/manager'
import { McpServer } from '@jetway/core'
import { REVISIONS } from '@jetway/core/protocol'
import { mcp as onFastify } from '@jetway/fastify'
import { mcp as onHono } from '@jetway/hono'
import { createAdaptorServer } from '@hono/node-server'
import fastify from 'fastify'
import { Hono } from 'hono'
import { afterEach, describe, expect, it, vi } from 'vitest'

const open: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close()
})

/** A server whose tool counts how often it has run, on all its nodes. */
function counting(runs: { count: number }): McpServer {
  const server = new McpServer({ name: 'counting', version: '1.0.0' })
  server.addTool({ name: 'count', handler: () => String(++runs.count) })
  return server
}

interface Node {
  readonly port: number
  /** Ends like a machine that loses power: cuts all connections without notice. */
  kill(): Promise<void>
}

type Start = (server: McpServer, port: number, revisions: readonly string[] | undefined) => Promise<Node>

const cut = async (http: Server): Promise<void> => {
  const closed = once(http, 'close')
  http.close()
  http.closeAllConnections()
  await closed
}

const frameworks: readonly (readonly [string, Start])[] = [
  [
    'Fastify',
    async (server, port, revisions) => {
      const app = fastify()
      await app.register(onFastify, { server, ...(revisions && { revisions: revisions as never }) })
      await app.listen({ port, host: '127.0.0.1' })
      const http = app.server
      return {
        port: (http.address() as { readonly port: number }).port,
        kill: async () => {
          http.closeAllConnections()
          await Promise.all([app.close(), server.close({ deadline: 0 })])
        },
      }
    },
  ],
  [
    'Hono',
    async (server, port, revisions) => {
      const app = new Hono()
      app.use(onHono({ server, ...(revisions && { revisions: revisions as never }) }))
      const http = createAdaptorServer({ fetch: app.fetch }) as Server
      http.listen(port, '127.0.0.1')
      await once(http, 'listening')
      return {
        port: (http.address() as { readonly port: number }).port,
        kill: async () => {
          await Promise.all([cut(http), server.close({ deadline: 0 })])
        },
      }
    },
  ],
]

/**
 * Resolves when nothing answers any more, and the platform has noticed: a request on a connection that was kept, and is
 * cut as it is sent, may have arrived, so that it is not repeated.
 */
const isGone = (port: number): Promise<void> =>
  vi.waitFor(() =>
    expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } }),
  )

interface Watched {
  readonly manager: ClientManager
  readonly events: [keyof ManagerEvents, unknown][]
}

function watched(): Watched {
  const manager = new ClientManager(
    { name: 'host', version: '1.0.0' },
    { client: { eras: false }, reconnect: { initialDelayMs: 20, factor: 1, maxAttempts: 200 } },
  )
  open.push(() => manager.closeAll())
  const events: Watched['events'] = []
  for (const event of ['reconnecting', 'reconnected', 'serverRemoved'] as const)
    manager.on(event, (value) => void events.push([event, value]))
  return { manager, events }
}

describe.each(frameworks)('a server on %s', (_, start) => {
  it.each([
    ['the newest revision', undefined],
    ['the newest revision with sessions', [REVISIONS.findLast(({ era }) => era === 'legacy')?.version ?? '']],
  ])('that restarts is reconnected at %s: each call runs once', async (_revision, revisions) => {
    const runs = { count: 0 }
    const first = await start(counting(runs), 0, revisions)
    const { manager, events } = watched()
    await manager.connect('a', {
      url: `http://127.0.0.1:${first.port}/mcp`,
      reconnect: { initialDelayMs: 20 },
    })
    expect(await manager.callTool('mcp__a__count')).toMatchObject({ content: [{ text: '1' }] })
    await first.kill()
    await isGone(first.port)
    const away = manager.callTool('mcp__a__count')
    await vi.waitFor(() => expect(events.map(([event]) => event)).toContain('reconnecting'))
    const second = await start(counting(runs), first.port, revisions)
    open.push(() => second.kill())
    expect(await away).toMatchObject({ content: [{ text: '2' }] })
    expect(events.at(-1)?.[0]).toBe('reconnected')
    expect(await manager.callTool('mcp__a__count')).toMatchObject({ content: [{ text: '3' }] })
    expect(runs.count).toBe(3)
  })

  it('that lost its sessions while idle gets a new session without a reconnect event', async () => {
    const runs = { count: 0 }
    const revisions = REVISIONS.filter(({ era }) => era === 'legacy').map(({ version }) => version)
    const first = await start(counting(runs), 0, revisions)
    const { manager, events } = watched()
    await manager.connect('a', {
      url: `http://127.0.0.1:${first.port}/mcp`,
      reconnect: { initialDelayMs: 20 },
    })
    await manager.tools()
    const client = manager.get('a')
    await first.kill()
    await isGone(first.port)
    const second = await start(counting(runs), first.port, revisions)
    open.push(() => second.kill())
    expect(await manager.callTool('mcp__a__count')).toMatchObject({ content: [{ text: '1' }] })
    expect(manager.get('a')).toBe(client)
    expect(events).toEqual([])
  })
})
