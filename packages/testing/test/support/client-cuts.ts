import { seeded } from '@jetway-apps/test-support'
import { setImmediate as turn } from 'node:timers/promises'
import { Client, ClientError, type ClientEvents } from '@jetway/client'
import { http } from '@jetway/client/http'
import { ClientManager } from '@jetway/client/manager'
import { McpServer } from '@jetway/core'
import type { EndpointOptions } from '@jetway/core/http'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { hono } from './adapters.ts'
import { inAll, startFaultProxy } from './fault-proxy.ts'

const REPORTS = 20
const AT_ONCE = 6
interface Way {
  readonly options: EndpointOptions
  readonly path: string
  /** The maximum number of bytes on one connection. It is enough for some calls, but not for all. */
  readonly atMost: number
  /** If true, a client can request the rest of an interrupted response. */
  readonly resumes: boolean
}

const LEGACY = ['2025-11-25'] as const
const MODERN = ['2026-07-28'] as const
const STREAMS = { response: 'sse', streams: { retryMs: 1 } } as const
const WAYS: readonly (readonly [string, Way])[] = [
  [
    'JSON, without sessions',
    { options: { revisions: MODERN, response: 'json' }, path: '/mcp', atMost: 2_500, resumes: false },
  ],
  [
    'streams, without sessions',
    { options: { revisions: MODERN, ...STREAMS }, path: '/mcp', atMost: 15_000, resumes: false },
  ],
  [
    'JSON, with sessions',
    { options: { revisions: LEGACY, response: 'json' }, path: '/mcp', atMost: 2_500, resumes: false },
  ],
  [
    'streams without an event store, with sessions',
    {
      options: { revisions: LEGACY, response: 'sse', streams: { retryMs: 1, eventStore: false } },
      path: '/mcp',
      atMost: 15_000,
      resumes: false,
    },
  ],
  [
    'resumable streams',
    { options: { revisions: LEGACY, ...STREAMS }, path: '/mcp', atMost: 6_000, resumes: true },
  ],
  [
    'one stream for everything, HTTP+SSE',
    { options: { revisions: ['2024-11-05'], legacySse: true }, path: '/sse', atMost: 20_000, resumes: false },
  ],
]

function counting(random: () => number): McpServer {
  const server = new McpServer({ name: 'counting', version: '1' })
  server.addTool({
    name: 'count',
    inputSchema: z.object({ to: z.number(), name: z.string() }),
    async handler({ to, name }, ctx) {
      for (let i = 1; i <= to; i++) {
        void ctx.progress(i, to, `${i} of ${to}: naïve 🛫 café`)
        if (random() < 0.5) await turn()
      }
      return `${name} counted to ${to}`
    },
  })
  return server
}

interface Tally {
  clients: number
  refused: number
  answered: number
  failed: number
}

/**
 * Runs one client after another against a server whose connections are cut at random positions, until there
 * have been enough cuts.
 */
async function callUntilCut(
  { options, path, atMost, resumes }: Way,
  cuts: number,
  seed: number,
): Promise<Tally> {
  const random = seeded(seed)
  const server = counting(random)
  const app = await hono.serve(server, options, {})
  const proxy = await startFaultProxy({
    port: Number(new URL(app.url).port),
    allowance: () => inAll(Math.floor(random() * atMost)),
    abort: () => (random() < 0.5 ? 'reset' : 'close'),
  })
  const tally: Tally = { clients: 0, refused: 0, answered: 0, failed: 0 }
  try {
    // Resumable streams survive most cuts, so the loop continues until at least one call has failed.
    while (proxy.cuts < cuts || tally.refused + tally.failed === 0)
      await oneClient(`http://127.0.0.1:${proxy.port}${path}`, tally, resumes)
    return tally
  } finally {
    await proxy.close()
    await app.close()
    await app.release()
  }
}

async function oneClient(url: string, tally: Tally, resumes: boolean): Promise<void> {
  const client = new Client({ name: 'cut', version: '1' }, { eras: false, timeoutMs: 30_000 })
  const closed = vi.fn<(close: ClientEvents['close']) => void>()
  client.on('close', closed)
  tally.clients++
  try {
    await client.connect(
      http(url, { reconnect: { initialDelayMs: 1, maxDelayMs: 5 }, closeTimeoutMs: 1_000 }),
    )
  } catch (error) {
    expectNamed(error)
    tally.refused++
    return
  } finally {
    if (client.server === undefined) await client.close()
  }
  const calls = Array.from({ length: AT_ONCE }, async (_, i) => {
    let reports = 0
    try {
      const { content } = await client.callTool(
        'count',
        { to: REPORTS, name: `call ${i}` },
        { onProgress: () => void reports++ },
      )
      expect(content).toEqual([{ type: 'text', text: `call ${i} counted to ${REPORTS}` }])
      if (resumes) expect(reports).toBe(REPORTS)
      tally.answered++
    } catch (error) {
      expectNamed(error)
      tally.failed++
    }
  })
  await Promise.all(calls)
  expect(client.stats()).toMatchObject({ pending: 0, ignored: { malformed: 0 } })
  await client.close()
  expect(closed).toHaveBeenCalledTimes(1)
}

/** Checks that the error says that the connection was lost, and that it is not a timeout. */
function expectNamed(error: unknown): void {
  if (!(error instanceof ClientError)) throw error
  expect(['transport', 'closed', 'session-lost']).toContain(error.code)
}

/** Runs a manager whose only server disconnects again and again. */
async function manageUntilCut(cuts: number) {
  const random = seeded(cuts)
  const server = counting(random)
  const app = await hono.serve(server, { revisions: ['2024-11-05'], legacySse: true }, {})
  const proxy = await startFaultProxy({
    port: Number(new URL(app.url).port),
    allowance: () => inAll(1_500 + Math.floor(random() * 10_000)),
    abort: () => (random() < 0.5 ? 'reset' : 'close'),
  })
  const manager = new ClientManager(
    { name: 'cut', version: '1' },
    {
      client: { eras: false },
      reconnect: { initialDelayMs: 1, maxDelayMs: 5, maxAttempts: 50, stableMs: 0 },
    },
  )
  const events: string[] = []
  for (const event of ['reconnecting', 'reconnected', 'reconnectFailed', 'serverRemoved'] as const)
    manager.on(event, () => void events.push(event))
  let answered = 0
  let failed = 0
  try {
    const url = `http://127.0.0.1:${proxy.port}/sse`
    await manager.connect('far', { transport: 'sse', url })
    while (proxy.cuts < cuts || answered === 0) {
      const args = { to: REPORTS, name: 'it' }
      const call = manager.callTool({ server: 'far', tool: 'count', args }, { onProgress: () => {} })
      try {
        await call
        answered++
      } catch (error) {
        expectNamed(error)
        failed++
      }
    }
    await manager.closeAll()
    const told = events.length
    await new Promise((resolve) => setImmediate(resolve))
    expect(events).toHaveLength(told)
    return { events, answered, failed }
  } finally {
    await manager.closeAll()
    await proxy.close()
    await app.close()
    await app.release()
  }
}

/** Tests the client behind a proxy that cuts connections at random bytes of heads, bodies and events. */
export function describeClientCuts(cuts: number): void {
  const unhandled = vi.fn<(reason: unknown) => void>()
  process.on('unhandledRejection', unhandled)
  afterAll(() => {
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })

  describe(`calls over connections that are cut ${cuts} times`, () => {
    it.for(WAYS)(
      'end with their result or a named error: %s',
      { timeout: 60_000 + 300 * cuts },
      async ([, way], { task }) => {
        const tally = await callUntilCut(way, cuts, task.name.length)
        expect(tally.answered).toBeGreaterThan(0)
        expect(tally.refused + tally.failed).toBeGreaterThan(0)
        expect(tally.answered + tally.failed).toBe((tally.clients - tally.refused) * AT_ONCE)
      },
    )

    it(
      'cause a manager to report exactly one outcome per attempt to reconnect',
      { timeout: 60_000 + 300 * cuts },
      async () => {
        const { events, answered, failed } = await manageUntilCut(cuts)
        expect(Math.min(answered, failed)).toBeGreaterThan(0)
        expect(events).toContain('reconnected')
        expect(events).not.toContain('serverRemoved')
        // Each attempt must have exactly one outcome, unless it was ended by closing the manager.
        for (const [at, event] of events.entries())
          if (event === 'reconnecting' && at < events.length - 1)
            expect(events[at + 1]).toMatch(/^reconnect(ed|Failed)$/)
      },
    )
  })
}
