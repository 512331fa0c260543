import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Flooding, FloodingServer, type Report } from './flooding.ts'
import type { Message, StalledReply } from './resuming-client.ts'

/** The memory that a stalled reader may use, in bytes. */
const BOUND = 8_388_608

/**
 * The number of MiB for the warm-up, which sends lines to a reader that does not stall, so that memory that
 * is needed anyway has already been allocated.
 */
const WARM_UP_MIB = 10

const numbers = (messages: readonly Message[]): number[] =>
  messages.flatMap(({ params }) =>
    typeof params?.['data'] === 'string' ? [Number.parseInt(params['data'], 10)] : [],
  )
const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i)

function expectBounded(before: Report, after: Report): void {
  expect(after.peak.rss - before.peak.rss).toBeLessThan(BOUND)
  expect(after.peak.buffers - before.now.buffers).toBeLessThan(BOUND)
  expect(after.peak.heap + after.peak.buffers - before.now.heap - before.now.buffers).toBeLessThan(BOUND)
}

/** Tests a reader that stalls while a tool sends lines without waiting. The server runs in a separate process. */
export function describeStalledReader(mib: number): void {
  let server: FloodingServer
  beforeAll(async () => {
    server = await FloodingServer.start()
  })
  afterAll(() => server.close())

  /** First sends a flood to a reader that keeps reading, and then to one that does not. */
  async function flood(flooding: Flooding): Promise<StalledReply> {
    await flooding.client.call('flood', { mib: WARM_UP_MIB })
    const before = await flooding.report()
    const floods = await flooding.floods()
    const stalled = await flooding.client.stall('flood', { mib })
    const answers = await flooding.callsUntil(floods + 1)
    expect(answers).toBeGreaterThan(10)
    expectBounded(before, await flooding.report())
    return stalled
  }

  const name = `a reader on %s that stalls while ${mib} MiB are sent at it`
  describe.each(['Fastify', 'Hono'] as const)(name, { timeout: 60_000 + 500 * mib }, (adapter) => {
    it('uses at most 8 MiB, delays no other client, and is disconnected', async () => {
      const flooding = await server.join(adapter, 'kept')
      const stalled = await flood(flooding)
      const seen = await stalled.readOn()
      expect(numbers(seen.messages)).toEqual(upTo(seen.messages.length))
      expect(seen.messages.length).toBeGreaterThan(0)
      // The client has missed more events than the buffer holds, so it receives an error.
      expect((await flooding.client.resume(seen.lastId ?? 'none')).status).toBe(400)
    })

    it('receives the remaining events when it resumes, if the event buffer holds them', async () => {
      const flooding = await server.join(adapter, 'kept')
      const floods = await flooding.floods()
      const stalled = await flooding.client.stall('flood', { mib, untilCut: true })
      await flooding.callsUntil(floods + 1)
      const first = await stalled.readOn()
      const rest = await flooding.client.resume(first.lastId ?? 'none')
      expect(rest.status).toBe(200)
      expect(rest.messages.at(-1)).toMatchObject({ id: 'stalled', result: {} })
      const seen = numbers([...first.messages, ...rest.messages])
      expect(seen).toEqual(upTo(first.messages.length + rest.messages.length - 1))
      expect(rest.messages.length).toBeGreaterThan(1)
    })

    it('uses no more memory without an event buffer, and loses only notifications', async () => {
      const flooding = await server.join(adapter, 'forgotten')
      const stalled = await flood(flooding)
      const { messages } = await stalled.readOn()
      const lines = numbers(messages)
      expect(lines).toEqual([...new Set(lines)].toSorted((a, b) => a - b))
      expect(messages.at(-1)).toMatchObject({ id: 'stalled', result: {} })
    })
  })
}
