import { type JsonObject, Method, Notification } from '@jetway/core/protocol'
import { describe, expect, it } from 'vitest'
import type { ClientManagerOptions } from '../../src/manager/index.ts'
import { ResourceCache } from '../../src/resource-cache/index.ts'
import { scriptedTarget, settled, world } from './support/world.ts'

/** Creates a manager and a server whose resources count how often they are read. */
async function started(options: ClientManagerOptions = {}) {
  const made = { ...world(options), ...reads() }
  // `a` is connected last, so that `a.server` is its server.
  for (const name of ['b', 'a']) await made.manager.connect(name, made.target)
  return made
}

function reads() {
  let count = 0
  const a = scriptedTarget({
    [Method.ReadResource]: ({ params }) => ({
      contents: [{ uri: (params as JsonObject)['uri'], text: String(++count) }],
    }),
  })
  return { a, target: a.target, asked: () => count }
}

describe('readResource', () => {
  it('reads each resource only once until the cached result expires', async () => {
    const { manager, clock, asked } = await started()
    const first = await manager.readResource('a', 'x://1')
    expect(first.contents).toEqual([{ uri: 'x://1', text: '1' }])
    expect(await manager.readResource('a', 'x://1')).toBe(first)
    expect(asked()).toBe(1)
    await manager.readResource('a', 'x://2')
    await manager.readResource('b', 'x://1')
    expect(asked()).toBe(3)
    expect(manager.stats().cachedResources).toBe(3)
    await clock.advance(300_000)
    await manager.readResource('a', 'x://1')
    expect(asked()).toBe(4)
  })

  it("rejects if the caller's signal is aborted", async () => {
    const { manager } = await started()
    const signal = AbortSignal.abort(new Error('stop'))
    await expect(manager.readResource('a', 'x://2', { signal })).rejects.toThrow('stop')
  })

  it.each<[string, (world: Awaited<ReturnType<typeof started>>) => void | Promise<void>, boolean]>([
    ['invalidateResource', ({ manager }) => manager.invalidateResource('a', 'x://1'), true],
    [
      'invalidateResource for another resource',
      ({ manager }) => manager.invalidateResource('a', 'x://2'),
      false,
    ],
    ['invalidateServer', ({ manager }) => manager.invalidateServer('a'), true],
    ['invalidateServer for another server', ({ manager }) => manager.invalidateServer('b'), false],
    ['a change of tools', ({ a }) => a.server.notify(Notification.ToolsListChanged), true],
    ['a change of resources', ({ a }) => a.server.notify(Notification.ResourcesListChanged), true],
    ['a change of prompts', ({ a }) => a.server.notify(Notification.PromptsListChanged), false],
    ['an update', ({ a }) => a.server.notify(Notification.ResourceUpdated, { uri: 'x://1' }), true],
    [
      'an update of another resource',
      ({ a }) => a.server.notify(Notification.ResourceUpdated, { uri: 'x://12' }),
      false,
    ],
    ['a requested reconnect', ({ manager }) => manager.reconnect('a'), true],
    [
      'an automatic reconnect',
      async ({ a, clock }) => {
        await a.lose()
        await clock.advance(1_000)
      },
      true,
    ],
    [
      'the replacement of the server',
      async ({ manager, a }) => {
        await manager.close('a')
        await manager.connect('a', a.target)
      },
      true,
    ],
  ])('reads the resource again only if necessary after %s', async (_, happens, again) => {
    const all = await started()
    await all.manager.readResource('a', 'x://1')
    await happens(all)
    await settled()
    await all.manager.readResource('a', 'x://1')
    expect(all.asked()).toBe(again ? 2 : 1)
  })

  it('does not share cached resources between partitions', async () => {
    let user = 'ann'
    const { manager, asked } = await started({ partition: (server) => `${user}@${server}` })
    await manager.readResource('a', 'x://1')
    user = 'bob'
    expect(await manager.readResource('a', 'x://1')).toMatchObject({ contents: [{ text: '2' }] })
    user = 'ann'
    expect(await manager.readResource('a', 'x://1')).toMatchObject({ contents: [{ text: '1' }] })
    expect(asked()).toBe(2)
  })

  it('does not share cached resources between managers that share a cache', async () => {
    const resources = new ResourceCache()
    const { target, asked } = reads()
    const first = world({ resources })
    const second = world({ resources })
    await first.manager.connect('a', target)
    await second.manager.connect('a', target)
    for (const { manager } of [first, second, first, second]) await manager.readResource('a', 'x://1')
    expect(asked()).toBe(2)
  })

  it('uses the given cache, or no cache if caching is disabled', async () => {
    const none = world({ resources: false })
    const { target, asked } = reads()
    await none.manager.connect('a', target)
    await none.manager.readResource('a', 'x://1')
    await none.manager.readResource('a', 'x://1')
    none.manager.invalidateServer('a')
    expect(asked()).toBe(2)
    const cache = new ResourceCache({ ttlMs: 0 })
    const kept = world({ resources: cache })
    await kept.manager.connect('a', target)
    await kept.manager.readResource('a', 'x://1')
    expect(cache.size).toBe(1)
    await kept.clock.advance(10_000_000)
    await kept.manager.readResource('a', 'x://1')
    expect(asked()).toBe(3)
  })

  it('rejects with a list of the known names if the server is unknown', async () => {
    const { manager } = world()
    await manager.connect('a', scriptedTarget().target)
    await expect(manager.readResource('b', 'x://1')).rejects.toThrow('There is no server b; there are: a')
  })
})
