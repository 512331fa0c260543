import { FRAMEWORKS } from '@jetway-apps/test-support/mounts'
import { ClientManager, type ManagerEvents } from '@jetway/client/manager'
import { McpServer } from '@jetway/core'
import { REVISIONS } from '@jetway/core/protocol'
import { describe, expect, it, onTestFinished, vi } from 'vitest'

/** A server whose tool counts its runs across all instances. */
function counting(runs: { count: number }): McpServer {
  const server = new McpServer({ name: 'counting', version: '1.0.0' })
  server.addTool({ name: 'count', handler: () => String(++runs.count) })
  return server
}

/**
 * Resolves once the port refuses connections. If a request were cut off on a kept-alive connection, it might
 * have arrived, so the client would not repeat it.
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
  onTestFinished(() => manager.closeAll())
  const events: Watched['events'] = []
  for (const event of ['reconnecting', 'reconnected', 'serverRemoved'] as const)
    manager.on(event, (value) => void events.push([event, value]))
  return { manager, events }
}

const LEGACY = REVISIONS.filter(({ era }) => era === 'legacy').map(({ version }) => version)

describe.each(Object.entries(FRAMEWORKS))('a managed connection to a server on %s', (_, mount) => {
  it.each([
    ['the newest revision', {}],
    ['the newest revision with sessions', { revisions: LEGACY.slice(-1) }],
  ])(
    'is restored after a restart of the server with %s, and runs each call once',
    async (_revision, revisions) => {
      const runs = { count: 0 }
      const first = await mount(counting(runs), revisions)
      const { manager, events } = watched()
      await manager.connect('a', {
        url: `http://127.0.0.1:${first.port}/mcp`,
        reconnect: { initialDelayMs: 20 },
      })
      expect(await manager.callTool('mcp__a__count')).toMatchObject({ content: [{ text: '1' }] })
      await first.stop()
      await isGone(first.port)
      const away = manager.callTool('mcp__a__count')
      await vi.waitFor(() => expect(events.map(([event]) => event)).toContain('reconnecting'))
      const second = await mount(counting(runs), revisions, first)
      onTestFinished(() => second.stop())
      expect(await away).toMatchObject({ content: [{ text: '2' }] })
      expect(events.at(-1)?.[0]).toBe('reconnected')
      expect(await manager.callTool('mcp__a__count')).toMatchObject({ content: [{ text: '3' }] })
      expect(runs.count).toBe(3)
    },
  )

  it('opens a new session, without a reconnect event, if the server has lost its sessions', async () => {
    const runs = { count: 0 }
    const revisions = { revisions: LEGACY }
    const first = await mount(counting(runs), revisions)
    const { manager, events } = watched()
    await manager.connect('a', {
      url: `http://127.0.0.1:${first.port}/mcp`,
      reconnect: { initialDelayMs: 20 },
    })
    await manager.tools()
    const client = manager.get('a')
    await first.stop()
    await isGone(first.port)
    const second = await mount(counting(runs), revisions, first)
    onTestFinished(() => second.stop())
    expect(await manager.callTool('mcp__a__count')).toMatchObject({ content: [{ text: '1' }] })
    expect(manager.get('a')).toBe(client)
    expect(events).toEqual([])
  })
})
