import { expect, it } from 'vitest'
import { scriptedDial, settled, withTools, world } from './support/world.ts'

it('waits 1, 2, 4, 8 and 16 s before the five attempts, and then gives the server up once', async () => {
  const removed: string[] = []
  const { manager, clock, named } = world({ onServerRemoved: (server) => void removed.push(server) })
  const a = scriptedDial(withTools('x'))
  await manager.connect('a', a.dial)
  a.down = new Error('no such host')
  await a.server.close()
  await settled()
  for (const [index, wait] of [1_000, 2_000, 4_000, 8_000, 16_000].entries()) {
    const attempt = index + 1
    expect(named('mcp_reconnecting')).toHaveLength(attempt)
    expect(named('mcp_reconnecting').at(-1)).toEqual({ server: 'a', attempt, max_attempts: 5 })
    await clock.advance(wait - 1)
    expect(named('mcp_reconnect_failed')).toHaveLength(index)
    await clock.advance(1)
    expect(named('mcp_reconnect_failed').at(-1)).toEqual({ server: 'a', attempt, error: a.down })
  }
  await clock.advance(600_000)
  expect(named('mcp_reconnecting')).toHaveLength(5)
  expect(named('mcp_server_removed')).toEqual([
    { server: 'a', reason: 'It could not be reconnected in 5 attempts: no such host' },
  ])
  expect(removed).toEqual(['a'])
  expect(clock.waiting).toBe(0)
  expect(manager.stats().servers).toEqual([])
  await expect(manager.callTool('mcp__a__x')).rejects.toMatchObject({ code: 'unknown-server' })
})

it('comes back on the attempt that works, with another client, and the next loss counts from there', async () => {
  const { manager, clock, named } = world()
  const a = scriptedDial(withTools('x'))
  await manager.connect('a', a.dial)
  const first = manager.get('a')
  a.down = new Error('down')
  await a.server.close()
  await settled()
  expect(manager.get('a')).toBeUndefined()
  expect(manager.names()).toEqual([])
  await clock.advance(1_000)
  a.down = undefined
  await clock.advance(2_000)
  expect(named('mcp_reconnected')).toEqual([{ server: 'a', attempt: 2 }])
  expect(manager.get('a')).not.toBe(first)
  expect(await manager.callTool('mcp__a__x')).toMatchObject({ content: [{ text: 'x' }] })
  await a.server.close()
  await settled()
  expect(named('mcp_reconnecting').at(-1)).toMatchObject({ attempt: 3 })
})

it('begins to count anew only after a connection that has lasted', async () => {
  const { manager, clock, named } = world({ reconnect: { stableMs: 10_000 } })
  const a = scriptedDial()
  await manager.connect('a', a.dial)
  const attempts = (): unknown[] =>
    named('mcp_reconnecting').map((event) => (event as { readonly attempt: number }).attempt)
  const lose = async (): Promise<void> => {
    await a.server.close()
    await settled()
  }
  await lose()
  await clock.advance(1_000)
  await clock.advance(9_999)
  await lose()
  await clock.advance(2_000)
  await clock.advance(10_000)
  await lose()
  expect(attempts()).toEqual([1, 2, 1])
})

it('gives up a server that comes up and dies at once: it is not tried for ever', async () => {
  const { manager, clock, named } = world()
  const a = scriptedDial()
  await manager.connect('a', a.dial)
  await a.server.close()
  for (let minutes = 0; minutes < 10; minutes++) {
    manager.on('mcp_reconnected', () => a.server.close())
    await clock.advance(60_000)
  }
  expect(a.servers).toHaveLength(6)
  expect(named('mcp_reconnected')).toHaveLength(5)
  expect(named('mcp_reconnect_failed')).toEqual([])
  expect(named('mcp_server_removed')).toEqual([
    { server: 'a', reason: 'It was reconnected 5 times, and was lost each time in less than 30000 ms' },
  ])
})

it('hears of a server that dies as it is connected', async () => {
  const { manager, clock, named } = world()
  const a = scriptedDial({
    'notifications/initialized': (_, server) => {
      void server.close()
      return undefined
    },
  })
  await manager.connect('a', a.dial).catch(() => {})
  await settled()
  await clock.advance(600_000)
  expect(manager.stats().servers).toEqual([])
  expect(clock.waiting).toBe(0)
  expect(named('mcp_server_removed').length + named('mcp_connected').length).toBeLessThanOrEqual(2)
})

it.each([
  [0, [1_000, 2_000, 4_000]],
  [0.5, [750, 1_500, 3_000]],
  [1, [500, 1_000, 2_000]],
])('takes a part of each wait away by chance: %d', async (chance, waits) => {
  const { manager, clock, named } = world({ random: () => chance, reconnect: { maxAttempts: 3 } })
  const a = scriptedDial()
  await manager.connect('a', a.dial)
  a.down = new Error('down')
  await a.server.close()
  await settled()
  for (const [failed, wait] of waits.entries()) {
    await clock.advance(wait - 1)
    expect(named('mcp_reconnect_failed')).toHaveLength(failed)
    await clock.advance(1)
    expect(named('mcp_reconnect_failed')).toHaveLength(failed + 1)
  }
})

it('waits for no longer than the longest wait', async () => {
  const { manager, clock, named } = world({
    reconnect: { maxAttempts: 8, firstMs: 100, factor: 3, lastMs: 1_000, jitter: 0 },
    random: () => 1,
  })
  const a = scriptedDial()
  await manager.connect('a', a.dial)
  a.down = new Error('down')
  await a.server.close()
  await settled()
  const times: number[] = []
  manager.on('mcp_reconnect_failed', () => void times.push(clock.now()))
  const began = clock.now()
  await clock.advance(10_000)
  expect(times.map((time, at) => time - (times[at - 1] ?? began))).toEqual([
    100, 300, 900, 1_000, 1_000, 1_000, 1_000, 1_000,
  ])
  expect(named('mcp_server_removed')).toHaveLength(1)
})

it('is asked for by hand: at once, whatever was before', async () => {
  const { manager, clock, named } = world()
  const a = scriptedDial()
  await manager.connect('a', a.dial)
  const first = a.server
  await manager.reconnect('a')
  await first.closed
  expect(named('mcp_reconnecting')).toEqual([{ server: 'a', attempt: 1, max_attempts: 5 }])
  expect(named('mcp_reconnected')).toEqual([{ server: 'a', attempt: 1 }])
  await a.server.close()
  await settled()
  const hurried = manager.reconnect('a')
  await hurried
  expect(a.servers).toHaveLength(3)
  expect(clock.waiting).toBe(0)
  await expect(manager.reconnect('b')).rejects.toMatchObject({ code: 'unknown-server' })
})

it('goes through the same gate as connecting: a few at a time', async () => {
  const { manager, clock } = world({ connecting: { remote: 2 } })
  const dials = Array.from({ length: 5 }, () => scriptedDial())
  let now = 0
  let most = 0
  const counted =
    ({ dial }: (typeof dials)[number]) =>
    async () => {
      most = Math.max(most, ++now)
      await settled()
      now--
      return dial()
    }
  await manager.connectAll(Object.fromEntries(dials.map((each, at) => [`s${at}`, counted(each)])))
  most = 0
  for (const { server } of dials) await server.close()
  await settled()
  await clock.advance(1_000)
  for (let i = 0; i < 10; i++) await settled()
  expect(manager.names()).toHaveLength(5)
  expect(most).toBe(2)
})

it.each([[{ maxAttempts: -1 }], [{ firstMs: NaN }], [{ jitter: 1.5 }], [{ lastMs: Infinity }]])(
  'takes no limit that is none: %o',
  (reconnect) => {
    expect(() => world({ reconnect })).toThrow(RangeError)
  },
)
