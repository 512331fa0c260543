import { expect, it } from 'vitest'
import { connected, scriptedTarget, settled, withTools, world } from './support/world.ts'

it('the manager waits 1, 2, 4, 8 and 16 s before its five attempts, and then removes the server', async () => {
  const { manager, clock, named, a } = await connected(withTools('x'))
  a.down = new Error('no such host')
  await a.lose()
  for (const [index, wait] of [1_000, 2_000, 4_000, 8_000, 16_000].entries()) {
    const attempt = index + 1
    expect(named('reconnecting')).toHaveLength(attempt)
    expect(named('reconnecting').at(-1)).toEqual({ server: 'a', attempt, maxAttempts: 5 })
    await clock.advance(wait - 1)
    expect(named('reconnectFailed')).toHaveLength(index)
    await clock.advance(1)
    expect(named('reconnectFailed').at(-1)).toEqual({ server: 'a', attempt, error: a.down })
  }
  await clock.advance(600_000)
  expect(named('reconnecting')).toHaveLength(5)
  expect(named('serverRemoved')).toEqual([
    { server: 'a', reason: '5 attempts to reconnect have failed: no such host' },
  ])
  expect(clock.pending).toBe(0)
  expect(manager.stats().servers).toEqual([])
  await expect(manager.callTool('mcp__a__x')).rejects.toMatchObject({ code: 'unknown-server' })
})

it('the manager creates a new client when an attempt succeeds, but does not reset the attempt count', async () => {
  const { manager, clock, named, a } = await connected(withTools('x'))
  const first = manager.get('a')
  a.down = new Error('down')
  await a.lose()
  expect(manager.get('a')).toBeUndefined()
  expect(manager.names()).toEqual([])
  await clock.advance(1_000)
  a.down = undefined
  await clock.advance(2_000)
  expect(named('reconnected')).toEqual([{ server: 'a', attempt: 2 }])
  expect(manager.get('a')).not.toBe(first)
  expect(await manager.callTool('mcp__a__x')).toMatchObject({ content: [{ text: 'x' }] })
  await a.lose()
  expect(named('reconnecting').at(-1)).toMatchObject({ attempt: 3 })
})

it('the manager resets the attempt count only after a connection has lasted `stableMs`', async () => {
  const { clock, named, a } = await connected({}, { reconnect: { stableMs: 10_000 } })
  const attempts = (): unknown[] =>
    named('reconnecting').map((event) => (event as { readonly attempt: number }).attempt)
  const lose = async (): Promise<void> => {
    await a.lose()
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

it('the manager removes a server whose connections always end immediately', async () => {
  const { manager, clock, named, a } = await connected()
  await a.server.close()
  for (let minutes = 0; minutes < 10; minutes++) {
    manager.on('reconnected', () => a.server.close())
    await clock.advance(60_000)
  }
  expect(a.servers).toHaveLength(6)
  expect(named('reconnected')).toHaveLength(5)
  expect(named('reconnectFailed')).toEqual([])
  expect(named('serverRemoved')).toEqual([
    { server: 'a', reason: 'It was reconnected 5 times, and each connection was lost in less than 30000 ms' },
  ])
})

it('the manager removes a server that exits while connecting', async () => {
  const { manager, clock, named } = world()
  const a = scriptedTarget({
    'notifications/initialized': (_, server) => {
      void server.close()
      return undefined
    },
  })
  await manager.connect('a', a.target).catch(() => {})
  await settled()
  await clock.advance(600_000)
  expect(manager.stats().servers).toEqual([])
  expect(clock.pending).toBe(0)
  expect(named('serverRemoved').length + named('connected').length).toBeLessThanOrEqual(2)
})

it.each([
  [0, [1_000, 2_000, 4_000]],
  [0.5, [750, 1_500, 3_000]],
  [1, [500, 1_000, 2_000]],
])('the manager shortens each delay by a random fraction: %d', async (chance, waits) => {
  const { clock, named, a } = await connected({}, { random: () => chance, reconnect: { maxAttempts: 3 } })
  a.down = new Error('down')
  await a.lose()
  for (const [failed, wait] of waits.entries()) {
    await clock.advance(wait - 1)
    expect(named('reconnectFailed')).toHaveLength(failed)
    await clock.advance(1)
    expect(named('reconnectFailed')).toHaveLength(failed + 1)
  }
})

it('the manager waits for at most `maxDelayMs`', async () => {
  const { manager, clock, named, a } = await connected(
    {},
    {
      reconnect: { maxAttempts: 8, initialDelayMs: 100, factor: 3, maxDelayMs: 1_000, jitter: 0 },
      random: () => 1,
    },
  )
  a.down = new Error('down')
  await a.lose()
  const times: number[] = []
  manager.on('reconnectFailed', () => void times.push(clock.now()))
  const began = clock.now()
  await clock.advance(10_000)
  expect(times.map((time, at) => time - (times[at - 1] ?? began))).toEqual([
    100, 300, 900, 1_000, 1_000, 1_000, 1_000, 1_000,
  ])
  expect(named('serverRemoved')).toHaveLength(1)
})

it('the manager reconnects immediately when the host calls reconnect', async () => {
  const { manager, clock, named, a } = await connected()
  const first = a.server
  await manager.reconnect('a')
  await first.closed
  expect(named('reconnecting')).toEqual([{ server: 'a', attempt: 1, maxAttempts: 5 }])
  expect(named('reconnected')).toEqual([{ server: 'a', attempt: 1 }])
  await a.lose()
  const hurried = manager.reconnect('a')
  await hurried
  expect(a.servers).toHaveLength(3)
  expect(clock.pending).toBe(0)
  await expect(manager.reconnect('b')).rejects.toMatchObject({ code: 'unknown-server' })
})

it('the manager obeys the limits for concurrent connection attempts when it reconnects', async () => {
  const { manager, clock } = world({ maxConnecting: { remote: 2 } })
  const dials = Array.from({ length: 5 }, () => scriptedTarget())
  let now = 0
  let most = 0
  const counted =
    ({ target }: (typeof dials)[number]) =>
    async () => {
      most = Math.max(most, ++now)
      await settled()
      now--
      return target()
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

it.each([[{ maxAttempts: -1 }], [{ initialDelayMs: NaN }], [{ jitter: 1.5 }], [{ maxDelayMs: Infinity }]])(
  'the manager rejects an invalid limit: %o',
  (reconnect) => {
    expect(() => world({ reconnect })).toThrow(RangeError)
  },
)
