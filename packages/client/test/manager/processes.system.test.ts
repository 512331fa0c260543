import { expect, it, vi } from 'vitest'
import type { ClientManager } from '../../src/manager/index.ts'
import { runs } from '../stdio/support/processes.ts'
import { connectAndClose, host, tiny } from './support/processes.ts'

async function textOf(manager: ClientManager, tool: string): Promise<string> {
  const { content } = await manager.callTool(tool)
  const [block] = content
  return block?.type === 'text' ? block.text : ''
}

it('the manager reconnects after a process is killed during a call, without affecting other servers', async () => {
  const { manager, events } = host()
  const report = await manager.connectAll({ a: tiny(), b: tiny(), c: tiny() })
  expect(report).toEqual({ connected: 3, errors: [] })
  const pid = async (server: string): Promise<number> => Number(await textOf(manager, `mcp__${server}__pid`))
  const [a, b, c] = [await pid('a'), await pid('b'), await pid('c')]
  const others = [manager.get('a'), manager.get('c')]
  const pending = [manager.callTool('mcp__a__never'), manager.callTool('mcp__c__never')]
  const settled = Promise.allSettled(pending)
  const during = expect(manager.callTool('mcp__b__never')).rejects.toMatchObject({
    code: 'closed',
    message: expect.stringContaining('may have been processed'),
  })
  await vi.waitFor(() => expect(manager.stats().servers[1]).toMatchObject({ pending: 1 }))
  process.kill(b, 'SIGKILL')
  await during
  const after = await pid('b')
  expect(after).not.toBe(b)
  expect(events).toEqual([
    ['reconnecting', { server: 'b', attempt: 1, maxAttempts: 5 }],
    ['reconnected', { server: 'b', attempt: 1 }],
  ])
  expect(await pid('a')).toBe(a)
  expect(await pid('c')).toBe(c)
  expect([manager.get('a'), manager.get('c')]).toEqual(others)
  expect(manager.stats().servers.map(({ pending: waiting }) => waiting)).toEqual([1, 0, 1])
  await manager.closeAll()
  expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect([a, after, c].filter(runs)).toEqual([])
})

it('the manager leaves no process behind after 20 connections with wrappers, detached processes and ignored signals', async () => {
  const { pids, left } = await connectAndClose(20)
  expect(pids).toHaveLength(40)
  expect(pids.every((pid) => pid > 0)).toBe(true)
  expect(left).toEqual([])
})

it('closeAll() does not keep the host process alive, even if called while servers are connecting', async () => {
  // Resources of other tests may be closed in the meantime, but no additional resource may stay open.
  const before = counted(process.getActiveResourcesInfo())
  const { manager, pids } = host()
  await manager.connectAll({ a: tiny(), b: tiny('wrapper') })
  const connecting = manager.connectAll({ c: tiny(), d: tiny(), e: tiny(), f: tiny() })
  await vi.waitFor(() => expect(pids.length).toBeGreaterThan(3))
  process.kill(pids[0] as number, 'SIGKILL')
  await manager.closeAll()
  expect((await connecting).errors.length).toBeGreaterThan(0)
  const left = (): readonly unknown[] =>
    [...counted(process.getActiveResourcesInfo())].filter(([kind, count]) => count > (before.get(kind) ?? 0))
  // `vi.waitFor` is not used, because its own timer would count.
  const end = performance.now() + 20_000
  while (left().length > 0 && performance.now() < end) await new Promise((resolve) => setImmediate(resolve))
  expect(left()).toEqual([])
  expect(pids.filter(runs)).toEqual([])
})

function counted(kinds: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return counts
}

it('the manager reports a missing program by server name, and connects to the other servers', async () => {
  const { manager } = host()
  const report = await manager.connectAll({ none: { command: '/no/such/program' }, a: tiny() })
  expect(report).toMatchObject({ connected: 1, errors: [{ server: 'none', error: { name: 'SpawnError' } }] })
})
