import { seeded } from '@jetway-apps/test-support'
import { setImmediate as turn } from 'node:timers/promises'
import { McpServer } from '@jetway/core'
import type { EndpointOptions } from '@jetway/core/http'
import { MemoryEventStore } from '@jetway/core/stores'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { AdapterSubject } from '../../src/contracts/adapter.ts'
import { fastify, hono } from './adapters.ts'
import { beyondFirstId, startFaultProxy } from './fault-proxy.ts'
import { type Outcome, ResumingClient } from './resuming-client.ts'
import { slowStore } from './slow-store.ts'

const EVENTS = 100
const AT_ONCE = 5
/**
 * The approximate size of an event, in bytes. Cuts are spread over a fifth of a call, so most calls are cut
 * several times.
 */
const EVENT_BYTES = 230
const SPREAD = (EVENTS * EVENT_BYTES) / 5

interface CutsOptions {
  readonly cuts: number
  readonly seed: number
  readonly endpoint: (random: () => number) => EndpointOptions
}

/**
 * Calls a tool that sends a hundred progress reports, through a proxy that cuts connections, until there have
 * been enough cuts.
 */
async function cutAndResume(adapter: AdapterSubject, options: CutsOptions): Promise<Outcome[]> {
  const random = seeded(options.seed)
  const server = new McpServer({ name: 'counting', version: '1' })
  server.addTool({
    name: 'count',
    inputSchema: z.object({ to: z.number() }),
    async handler({ to }, ctx) {
      for (let i = 1; i <= to; i++) {
        void ctx.progress(i, to, `${i} of ${to}: naïve 🛫 café`)
        if (random() < 0.5) await turn()
      }
      return `counted to ${to}`
    },
  })
  const app = await adapter.serve(server, options.endpoint(random), {})
  const proxy = await startFaultProxy({
    port: Number(new URL(app.url).port),
    allowance: () => beyondFirstId(() => (random() < 0.9 ? Math.floor(random() * SPREAD) : undefined)),
    abort: () => (random() < 0.5 ? 'reset' : 'close'),
  })
  const direct = new ResumingClient(app.url)
  try {
    const client = (await direct.open()).through(`http://127.0.0.1:${proxy.port}/mcp`)
    const outcomes: Outcome[] = []
    while (proxy.cuts < options.cuts) {
      const calls = Array.from({ length: AT_ONCE }, (_, id) => client.call('count', { to: EVENTS }, { id }))
      outcomes.push(...(await Promise.all(calls)))
    }
    return outcomes
  } finally {
    await proxy.close()
    await app.close()
    await app.release()
  }
}

/** Checks that each call received all of its events exactly once and in order, followed by its response. */
function expectWhole(outcomes: readonly Outcome[]): void {
  const sequence = Array.from({ length: EVENTS }, (_, i) => i + 1)
  for (const { notices, response } of outcomes) {
    expect(notices.map(({ params }) => params?.['progress'])).toEqual(sequence)
    expect(response.result?.content).toEqual([{ type: 'text', text: `counted to ${EVENTS}` }])
  }
  expect(outcomes.some(({ pieces }) => pieces.length > 2)).toBe(true)
}

/**
 * Tests with each framework that clients can resume after their sockets break.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
 */
export function describeCuts(cuts: number): void {
  const options = { timeout: 60_000 + 100 * cuts }
  describe.each([
    ['Fastify', fastify],
    ['Hono', hono],
  ])(`streams on %s, cut ${cuts} times anywhere after their first id`, (_, adapter) => {
    it('arrive in full at a client that resumes', options, async () => {
      expectWhole(await cutAndResume(adapter, { cuts, seed: 1, endpoint: () => ({}) }))
    })

    it('arrive in full even if the store is slow', options, async () => {
      const endpoint = (random: () => number): EndpointOptions => ({
        streams: { eventStore: slowStore(new MemoryEventStore(), random) },
      })
      expectWhole(await cutAndResume(adapter, { cuts, seed: 2, endpoint }))
    })
  })
}
