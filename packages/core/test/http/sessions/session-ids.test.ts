import { describe, expect, it } from 'vitest'
import type { EndpointOptions } from '../../../src/http/options.ts'
import { MemorySessionStore } from '@jetway-apps/test-support/stores'
import { secureRandom } from '../../../src/util/random.ts'
import { createHarness, type Harness } from '../support/harness.ts'

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }

/** Two processes behind one address. The second one starts a second later. */
async function twoProcesses(endpoint: EndpointOptions = {}): Promise<readonly [Harness, Harness]> {
  const [first, second] = [createHarness({ endpoint }), createHarness({ endpoint })]
  await first.open()
  await Promise.all([first, second].map(({ clock }) => clock.advance(1_000)))
  await second.open()
  await Promise.all([first, second].map(({ clock }) => clock.advance(1_000)))
  return [first, second]
}

const sendId = async ({ post }: Harness, id: string): Promise<number> =>
  (await post(ping, { 'mcp-session-id': id, 'mcp-protocol-version': '2025-06-18' })).status

const warnings = ({ log }: Harness): readonly string[] =>
  log.filter(({ level }) => level === 'warn').map(({ message }) => message)

describe('a session id from another process', () => {
  it('causes status 404, and a log line that explains the cause and the remedy', async () => {
    const [first, second] = await twoProcesses()
    const { id } = await second.open()
    expect(await sendId(first, id)).toBe(404)
    const [warning] = warnings(first)
    for (const fix of ['Mcp-Session-Id', 'stateless: true', 'sessions.seal', 'sessions.store'])
      expect(warning).toContain(fix)
  })

  it('is logged at most once every ten minutes, with the number of omitted lines', async () => {
    const [first, second] = await twoProcesses()
    const { id } = await second.open()
    for (let again = 0; again < 50; again++) await sendId(first, id)
    expect(warnings(first)).toHaveLength(1)
    await first.clock.advance(600_000)
    await sendId(first, id)
    expect(first.log.filter(({ level }) => level === 'warn').map(({ fields }) => fields)).toEqual([
      { skipped: 0 },
      { skipped: 49 },
    ])
  })

  it.each([
    ["is logged if the other process's clock is 1 s ahead", 1_000, 1],
    ["is not logged if the other process's clock is further ahead", 2_000, 0],
  ])('%s', async (_, aheadMs, times) => {
    const [first, second] = await twoProcesses()
    await second.clock.advance(aheadMs)
    await sendId(first, (await second.open()).id)
    expect(warnings(first)).toHaveLength(times)
  })

  it('is not logged if it was issued before this process started, because that indicates a restart', async () => {
    const before = createHarness()
    const { id } = await before.open()
    const after = createHarness()
    await after.clock.advance(2_000)
    expect(await sendId(after, id)).toBe(404)
    expect(warnings(after)).toEqual([])
  })

  it.each<[string, (own: string, other: string) => string]>([
    ['belongs to a session that ended in this process', (own) => own],
    ['was not created by Jetway', () => crypto.randomUUID()],
    ['has an impossible timestamp', (_own, other) => `${other.slice(0, -7)}zzzzzzz`],
  ])('is not logged if the id %s', async (_, idOf) => {
    const [first, second] = await twoProcesses()
    const [own, other] = [await first.open(), await second.open()]
    await own.delete()
    expect(await sendId(first, idOf(own.id, other.id))).toBe(404)
    expect(warnings(first)).toEqual([])
  })

  it.each<[string, EndpointOptions]>([
    ['the processes have a session store', { sessions: { store: new MemorySessionStore({ max: 10 }) } }],
    ['session ids are sealed', { sessions: { seal: { keys: [secureRandom(32)] } } }],
  ])('is not logged if %s', async (_, endpoint) => {
    const [first, second] = await twoProcesses(endpoint)
    const session = await second.open()
    await session.delete()
    await sendId(first, session.id)
    expect(warnings(first)).toEqual([])
  })
})

describe('sessions.prefix', () => {
  it('is part of session ids on both transports, and ids with another prefix are refused', async () => {
    const { open, post, send } = createHarness({
      endpoint: { sessions: { prefix: 'object-1' }, legacySse: true },
    })
    const { id } = await open()
    expect(id).toMatch(/^object-1\.[\w-]{45}$/)
    const { sink } = await send({ method: 'GET', route: 'sse' })
    expect(sink.text).toContain('sessionId=object-1.')
    const forged = id.replace('object-1', 'object-2')
    const message = { jsonrpc: '2.0', id: 1, method: 'ping' }
    expect((await post(message, { 'mcp-session-id': forged })).status).toBe(404)
    expect((await post(message, { 'mcp-session-id': id })).status).toBe(200)
  })
})
