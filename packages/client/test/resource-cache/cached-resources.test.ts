import { settled } from '@jetway-apps/test-support'
import { McpServer } from '@jetway/core'
import type { JsonObject } from '@jetway/core/protocol'
import { describe, expect, it, vi } from 'vitest'
import { cachedResources, ResourceCache } from '../../src/resource-cache/index.ts'
import { Method, Notification } from '../support/dates.ts'
import { modern, scripted, type ScriptedServer, sessions, type Script } from '../support/scripted.ts'
import { connectTo } from '../support/servers.ts'

/** Returns the script of a server whose resources have different content each time. */
function counting(hints: JsonObject = {}): Script {
  let count = 0
  return {
    [Method.ReadResource]: ({ params }) => ({
      resultType: 'complete',
      contents: [{ uri: (params as JsonObject)['uri'] as string, text: `reading ${++count}` }],
      ...hints,
    }),
  }
}
const texts = (result: { readonly contents: readonly object[] }): unknown[] =>
  result.contents.map((each) => ('text' in each ? each.text : undefined))
const reads = (server: ScriptedServer): number => server.of(Method.ReadResource).length

async function cached(script: Script) {
  const { client, server } = await scripted(script)
  const cache = new ResourceCache()
  return { server, cache, resources: cachedResources(client, cache) }
}

describe('cachedResources', () => {
  it.each([
    ['with sessions', sessions()],
    ['without sessions', modern()],
  ])('reads a resource only once from a server %s', async (_, handshake) => {
    const { server, resources } = await cached({ ...handshake, ...counting({ ttlMs: 60_000 }) })
    const [first, second] = await Promise.all([resources.read('a://x'), resources.read('a://x')])
    expect(texts(first)).toEqual(['reading 1'])
    expect(second).toBe(first)
    expect(await resources.read('a://x')).toBe(first)
    expect(texts(await resources.read('a://y'))).toEqual(['reading 2'])
    expect(reads(server)).toBe(2)
  })

  it('reads a resource again after the server reports a change', async () => {
    const { server, resources } = await cached({ ...sessions(), ...counting() })
    await resources.read('a://x')
    await resources.read('a://y')
    server.notify(Notification.ResourceUpdated, { uri: 'a://x' })
    await settled()
    expect(texts(await resources.read('a://x'))).toEqual(['reading 3'])
    expect(texts(await resources.read('a://y'))).toEqual(['reading 2'])
    server.notify(Notification.ResourcesListChanged)
    await settled()
    expect(texts(await resources.read('a://x'))).toEqual(['reading 4'])
    expect(texts(await resources.read('a://y'))).toEqual(['reading 5'])
  })

  it('does not cache a response if a change is reported immediately after it', async () => {
    const { server, cache, resources } = await cached({ ...sessions(), [Method.ReadResource]: undefined })
    const reading = resources.read('a://x')
    const { id } = await server.hears(Method.ReadResource)
    server.answer(id, { contents: [{ uri: 'a://x', text: 'old' }] })
    server.notify(Notification.ResourceUpdated, { uri: 'a://x' })
    expect(texts(await reading)).toEqual(['old'])
    expect(cache.size).toBe(0)
  })

  it('removes resources when the connection ends, but keeps those in other partitions', async () => {
    const { client } = await scripted({ ...sessions(), ...counting() })
    const cache = new ResourceCache()
    const resources = cachedResources(client, cache, { server: 'one', partition: 'ann' })
    await resources.read('a://x')
    const others = { server: 'one', partition: 'bob', uri: 'a://x' }
    cache.set(others, { contents: [] })
    expect(cache.size).toBe(2)
    await client.close()
    expect(cache.size).toBe(1)
    expect(cache.get(others)).toBeDefined()
  })

  it('removes resources when changes may have been missed', async () => {
    const { server, cache, resources } = await cached({
      ...modern(),
      ...counting({ ttlMs: 60_000 }),
      [Method.Listen]: undefined,
    })
    const { id, params } = await server.hears(Method.Listen)
    await resources.read('a://x')
    expect(cache.size).toBe(1)
    const { notifications } = params as JsonObject
    server.notify(Notification.Acknowledged, {
      _meta: { 'io.modelcontextprotocol/subscriptionId': id },
      notifications,
    })
    await vi.waitFor(() => expect(cache.size).toBe(0))
  })

  it('shares only public resources between clients by default', async () => {
    const cache = new ResourceCache()
    const publicServer = { ...modern(), ...counting({ ttlMs: 60_000, cacheScope: 'public' }) }
    const privateServer = { ...modern(), ...counting({ ttlMs: 60_000, cacheScope: 'private' }) }
    for (const [script, read] of [
      [publicServer, 1],
      [privateServer, 2],
    ] as const) {
      const name = `shop ${read}`
      const [one, other] = [await scripted(script, { name }), await scripted(script, { name })]
      const [first, second] = [cachedResources(one.client, cache), cachedResources(other.client, cache)]
      // Each subscription invalidates the resources, since changes may have been missed.
      await settled()
      await first.read('a://x')
      await second.read('a://x')
      expect(reads(one.server) + reads(other.server)).toBe(read)
    }
  })

  it('shares resources within a partition', async () => {
    const cache = new ResourceCache()
    const script = { ...sessions(), ...counting() }
    const [one, other] = [await scripted(script), await scripted(script)]
    const options = { server: 'shop', partition: 'ann' }
    const first = await cachedResources(one.client, cache, options).read('a://x')
    expect(await cachedResources(other.client, cache, options).read('a://x')).toBe(first)
  })

  it('shares no resources between clients without a name', async () => {
    const cache = new ResourceCache()
    const script = { ...modern(), ...counting({ ttlMs: 60_000, cacheScope: 'public' }) }
    const [one, other] = [await scripted(script), await scripted(script)]
    const [first, second] = [cachedResources(one.client, cache), cachedResources(other.client, cache)]
    await first.read('a://x')
    await second.read('a://x')
    expect([reads(one.server), reads(other.server)]).toEqual([1, 1])
  })

  it('stops loading when the last caller has aborted', async () => {
    const { server, resources } = await cached({ ...sessions(), [Method.ReadResource]: undefined })
    const control = new AbortController()
    const reading = resources.read('a://x', { signal: control.signal })
    const { id } = await server.hears(Method.ReadResource)
    control.abort(new Error('enough'))
    await expect(reading).rejects.toThrow('enough')
    expect(await server.hears(Notification.Cancelled)).toMatchObject({ params: { requestId: id } })
  })

  it('does not invalidate resources after stop() has been called', async () => {
    const { server, cache, resources } = await cached({ ...sessions(), ...counting() })
    await resources.read('a://x')
    resources.stop()
    resources.stop()
    server.notify(Notification.ResourcesListChanged)
    await settled()
    expect(cache.size).toBe(1)
  })

  it('follows the cache hints of a Jetway server', async () => {
    let count = 0
    const server = new McpServer({ name: 'rates', version: '1' }, { cache: { ttlMs: 60_000 } })
    server.addResource({ uri: 'rates://kept', name: 'kept', handler: () => `${++count}` })
    server.addResource({
      uri: 'rates://now',
      name: 'now',
      cache: { ttlMs: 0 },
      handler: () => `${++count}`,
    })
    const client = await connectTo(server)
    const resources = cachedResources(client, new ResourceCache())
    await settled()
    for (const uri of ['rates://kept', 'rates://kept', 'rates://now', 'rates://now'])
      await resources.read(uri)
    expect(count).toBe(3)
  })
})

describe('the cache', () => {
  it('does not store results that required input (https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching#cache-key)', async () => {
    const { client, server } = await scripted(
      {
        ...modern(),
        [Method.ReadResource]: ({ params }) =>
          'inputResponses' in (params as JsonObject)
            ? { resultType: 'complete', contents: [], ttlMs: 60_000, cacheScope: 'public' }
            : {
                resultType: 'input_required',
                inputRequests: {
                  who: {
                    method: 'elicitation/create',
                    params: { message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
                  },
                },
              },
      },
      { handlers: { elicit: () => ({ action: 'accept', content: {} }) } },
    )
    expect(await client.readResource('a://x')).toMatchObject({ ttlMs: 0, cacheScope: 'private' })
    const cache = new ResourceCache({ ttlMs: 0 })
    await cachedResources(client, cache).read('a://x')
    expect(cache.size).toBe(0)
    expect(reads(server)).toBe(4)
  })

  it.each<[JsonObject, JsonObject]>([
    [{ ttlMs: -1 }, { ttlMs: 0 }],
    [
      { ttlMs: 5, cacheScope: 'public' },
      { ttlMs: 5, cacheScope: 'public' },
    ],
    [{ ttlMs: '5', cacheScope: 'everybody' }, {}],
  ])('follows valid hints and ignores invalid hints: %o', async (said, read) => {
    const { client } = await scripted({
      ...sessions(),
      [Method.ReadResource]: { contents: [], ...said },
    })
    expect(await client.readResource('a://x')).toEqual({ contents: [], ...read })
  })
})
