import { type JsonObject, Method, Notification } from '@jetway/core/protocol'
import { describe, expect, it } from 'vitest'
import { ResourceCache } from '../../src/resource-cache/index.ts'
import { scriptedDial, settled, world } from './support/world.ts'

/** A server whose resources count how often they were read. */
function reads() {
  let count = 0
  const a = scriptedDial({
    [Method.ReadResource]: ({ params }) => ({
      contents: [{ uri: (params as JsonObject)['uri'], text: String(++count) }],
    }),
  })
  return { a, dial: a.dial, asked: () => count }
}

describe('reading resources', () => {
  it('asks once for each, until its time is over', async () => {
    const { manager, clock } = world()
    const { dial, asked } = reads()
    await manager.connectAll({ a: dial, b: dial })
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

  it('shares one request among those who want the same at the same time', async () => {
    const { manager } = world()
    const { dial, asked } = reads()
    await manager.connect('a', dial)
    const all = await Promise.all(Array.from({ length: 20 }, () => manager.readResource('a', 'x://1')))
    expect(new Set(all).size).toBe(1)
    expect(asked()).toBe(1)
  })

  it('gives what is kept though the signal has aborted, and rejects where it would have to ask', async () => {
    const { manager } = world()
    const { dial, asked } = reads()
    await manager.connect('a', dial)
    await manager.readResource('a', 'x://1')
    const signal = AbortSignal.abort(new Error('stop'))
    expect(await manager.readResource('a', 'x://1', { signal })).toMatchObject({ contents: [{ text: '1' }] })
    await expect(manager.readResource('a', 'x://2', { signal })).rejects.toThrow('stop')
    expect(asked()).toBe(1)
  })

  it.each<[string, (world: ReturnType<typeof started>) => void | Promise<void>, boolean]>([
    ['by hand, one', ({ manager }) => manager.invalidateResource('a', 'x://1'), true],
    ['by hand, another one', ({ manager }) => manager.invalidateResource('a', 'x://2'), false],
    ['by hand, all of the server', ({ manager }) => manager.invalidateServer('a'), true],
    ['by hand, all of another server', ({ manager }) => manager.invalidateServer('b'), false],
    ['when tools have changed', ({ a }) => a.server.notify(Notification.ToolsListChanged), true],
    ['when resources have changed', ({ a }) => a.server.notify(Notification.ResourcesListChanged), true],
    ['when prompts have changed', ({ a }) => a.server.notify(Notification.PromptsListChanged), false],
    ['when it was updated', ({ a }) => a.server.notify(Notification.ResourceUpdated, { uri: 'x://1' }), true],
    [
      'when another one was updated',
      ({ a }) => a.server.notify(Notification.ResourceUpdated, { uri: 'x://12' }),
      false,
    ],
    ['when it is reconnected by hand', ({ manager }) => manager.reconnect('a'), true],
    [
      'when it was lost and is back',
      async ({ a, clock }) => {
        await a.server.close()
        await settled()
        await clock.advance(1_000)
      },
      true,
    ],
    [
      'when it was closed and is another one',
      async ({ manager, a }) => {
        await manager.close('a')
        await manager.connect('a', a.dial)
      },
      true,
    ],
  ])('asks again after what was kept is invalid: %s', async (_, happens, again) => {
    const all = started()
    await all.manager.connectAll({ a: all.dial, b: scriptedDial().dial })
    await all.manager.readResource('a', 'x://1')
    await happens(all)
    await settled()
    await all.manager.readResource('a', 'x://1')
    expect(all.asked()).toBe(again ? 2 : 1)
  })

  it('keeps apart what was read for one and for another', async () => {
    let user = 'ann'
    const { manager } = world({ partition: (server) => `${user}@${server}` })
    const { dial, asked } = reads()
    await manager.connect('a', dial)
    await manager.readResource('a', 'x://1')
    user = 'bob'
    expect(await manager.readResource('a', 'x://1')).toMatchObject({ contents: [{ text: '2' }] })
    user = 'ann'
    expect(await manager.readResource('a', 'x://1')).toMatchObject({ contents: [{ text: '1' }] })
    expect(asked()).toBe(2)
  })

  it('are kept apart for managers that share a cache, each with what it may see', async () => {
    const resources = new ResourceCache()
    const { dial, asked } = reads()
    const first = world({ resources })
    const second = world({ resources })
    await first.manager.connect('a', dial)
    await second.manager.connect('a', dial)
    for (const { manager } of [first, second, first, second]) await manager.readResource('a', 'x://1')
    expect(asked()).toBe(2)
  })

  it('keeps nothing, or where the host says', async () => {
    const none = world({ resources: false })
    const { dial, asked } = reads()
    await none.manager.connect('a', dial)
    await none.manager.readResource('a', 'x://1')
    await none.manager.readResource('a', 'x://1')
    none.manager.invalidateServer('a')
    expect(asked()).toBe(2)
    const cache = new ResourceCache({ ttlMs: 0 })
    const kept = world({ resources: cache })
    await kept.manager.connect('a', dial)
    await kept.manager.readResource('a', 'x://1')
    expect(cache.size).toBe(1)
    await kept.clock.advance(10_000_000)
    await kept.manager.readResource('a', 'x://1')
    expect(asked()).toBe(3)
  })

  it('of a server that there is not is refused with the names of those that there are', async () => {
    const { manager } = world()
    await manager.connect('a', scriptedDial().dial)
    await expect(manager.readResource('b', 'x://1')).rejects.toThrow('There is no server b; there are: a')
  })
})

function started() {
  return { ...world(), ...reads() }
}
