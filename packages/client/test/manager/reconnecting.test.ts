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
