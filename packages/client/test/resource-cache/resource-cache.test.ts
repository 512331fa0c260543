import { FakeClock } from '@jetway-apps/test-support'
import type { ReadResourceResult } from '@jetway/core/protocol'
import * as fc from 'fast-check'
import { describe, expect, it as base } from 'vitest'
import type { CacheHints } from '../../src/index.ts'
import {
  type LoadResource,
  ResourceCache,
  type ResourceCacheOptions,
} from '../../src/resource-cache/index.ts'

const of = (text: string, hints: CacheHints = {}): ReadResourceResult & CacheHints => ({
  contents: [{ uri: 'a://', text }],
  ...hints,
})
const at = (uri: string, server = 'one'): { server: string; uri: string } => ({ server, uri })
const textOf = (result: ReadResourceResult | undefined): unknown =>
  result?.contents.map((each) => ('text' in each ? each.text : each.blob))[0]

/** Creates a cache whose clock only the test advances. */
function timed(options: ResourceCacheOptions = {}) {
  const clock = new FakeClock()
  return { clock, cache: new ResourceCache({ ...options, clock }) }
}

/** Loads that the test settles. */
class Loads {
  readonly pending: {
    readonly resolve: (result: ReadResourceResult & CacheHints) => void
    readonly reject: (error: Error) => void
    readonly signal: AbortSignal
  }[] = []

  readonly load: LoadResource = (signal) =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      this.pending.push({ resolve, reject, signal })
    })

  async at(index: number): Promise<(typeof this.pending)[number]> {
    for (;;) {
      const found = this.pending[index]
      if (found !== undefined) return found
      await Promise.resolve()
    }
  }
}

/** Provides tests with a cache with default options, and with loads that they settle. */
const it = base.extend('cache', () => new ResourceCache()).extend('loads', () => new Loads())

describe('a cache entry', () => {
  it.each([
    ['100 ms', 100, { ttlMs: 100 }],
    ['five minutes by default', 300_000, {}],
  ])('is used until it expires: %s', async (_, ms, options) => {
    const { cache, clock } = timed(options)
    cache.set(at('a'), of('first'))
    await clock.advance(ms - 1)
    expect(textOf(cache.get(at('a')))).toBe('first')
    await clock.advance(1)
    expect(cache.get(at('a'))).toBeUndefined()
  })

  it('expires later if it is set again', async () => {
    const { cache, clock } = timed({ ttlMs: 100 })
    cache.set(at('a'), of('first'))
    await clock.advance(99)
    cache.set(at('a'), of('second'))
    await clock.advance(99)
    expect(textOf(cache.get(at('a')))).toBe('second')
  })

  it.each([0, -1, Infinity])('never expires with a ttlMs of %d', async (ttlMs) => {
    const { cache, clock } = timed({ ttlMs })
    cache.set(at('a'), of('x'))
    await clock.advance(100 * 365 * 24 * 3_600_000)
    expect(textOf(cache.get(at('a')))).toBe('x')
  })

  it('stays in the cache after it has expired, but does not count as recently used', async () => {
    const { cache, clock } = timed({ ttlMs: 100, maxEntries: 2 })
    cache.set(at('old'), of('old'))
    await clock.advance(100)
    cache.set(at('b'), of('b'))
    expect(cache.get(at('old'))).toBeUndefined()
    expect(cache.size).toBe(2)
    cache.set(at('c'), of('c'))
    expect(cache.size).toBe(2)
    expect(textOf(cache.get(at('b')))).toBe('b')
  })

  it('is replaced after it has expired', async () => {
    const { cache, clock } = timed({ ttlMs: 100 })
    cache.set(at('a'), of('old'))
    await clock.advance(100)
    cache.set(at('a'), of('new'))
    expect(cache.size).toBe(1)
    expect(textOf(cache.get(at('a')))).toBe('new')
  })

  it('does not change if the code that set or read it modifies the object', ({ cache }) => {
    const given = { contents: [{ uri: 'a://', text: 'x', _meta: { deep: { list: [1] } } }] }
    cache.set(at('a'), given)
    given.contents[0]!.text = 'changed'
    given.contents[0]!._meta.deep.list.push(2)
    given.contents.push({ uri: 'b://', text: 'y', _meta: { deep: { list: [] } } })
    const got = cache.get(at('a')) as unknown as typeof given
    expect(() => got.contents.pop()).toThrow(TypeError)
    expect(() => got.contents[0]!._meta.deep.list.push(3)).toThrow(TypeError)
    expect(() => Object.assign(got.contents[0]!, { text: 'z' })).toThrow(TypeError)
    expect(cache.get(at('a'))).toEqual({
      contents: [{ uri: 'a://', text: 'x', _meta: { deep: { list: [1] } } }],
    })
  })

  it('may have a member named __proto__', ({ cache }) => {
    const result = JSON.parse('{"contents":[],"_meta":{"__proto__":{"admin":true}}}') as ReadResourceResult
    cache.set(at('a'), result)
    expect(JSON.stringify(cache.get(at('a')))).toBe(JSON.stringify(result))
    expect('admin' in {}).toBe(false)
  })
})

describe('a full cache', () => {
  it('evicts the least recently used entry for a new key', () => {
    const cache = new ResourceCache({ maxEntries: 2 })
    cache.set(at('a'), of('a'))
    cache.set(at('b'), of('b'))
    cache.get(at('a'))
    cache.set(at('c'), of('c'))
    expect(['a', 'b', 'c'].map((uri) => textOf(cache.get(at(uri))))).toEqual(['a', undefined, 'c'])
  })

  it('does not evict an entry when an existing key is set, and marks that key as recently used', () => {
    const cache = new ResourceCache({ maxEntries: 2 })
    cache.set(at('a'), of('a'))
    cache.set(at('b'), of('b'))
    cache.set(at('a'), of('a2'))
    expect(cache.size).toBe(2)
    cache.set(at('c'), of('c'))
    expect(['a', 'b', 'c'].map((uri) => textOf(cache.get(at(uri))))).toEqual(['a2', undefined, 'c'])
  })

  it('evicts the least recently used entries if their total size is too large', () => {
    const cache = new ResourceCache({ maxBytes: 10_000 })
    for (const uri of ['a', 'b', 'c']) cache.set(at(uri), of('x'.repeat(2_000)))
    expect(cache.size).toBe(2)
    expect(cache.get(at('a'))).toBeUndefined()
  })

  it('does not store a result that is too large, and removes the old entry', () => {
    const cache = new ResourceCache({ maxBytes: 10_000 })
    cache.set(at('a'), of('small'))
    cache.set(at('b'), of('small'))
    expect(cache.set(at('a'), of('x'.repeat(10_000)))).toBe(false)
    expect(cache.get(at('a'))).toBeUndefined()
    expect(textOf(cache.get(at('b')))).toBe('small')
  })

  it('counts the size of all data, not only of text', () => {
    const cache = new ResourceCache({ maxBytes: 10_000 })
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`k${i}`, null]))
    expect(cache.set(at('a'), { contents: [], _meta: many })).toBe(false)
  })
})

describe('cache keys', () => {
  it('may contain any characters in the server and the URI', ({ cache }) => {
    cache.set({ server: 'a', uri: 'b:c' }, of('first'))
    cache.set({ server: 'a:b', uri: 'c' }, of('second'))
    expect(textOf(cache.get({ server: 'a', uri: 'b:c' }))).toBe('first')
    expect(textOf(cache.get({ server: 'a:b', uri: 'c' }))).toBe('second')
    cache.invalidateServer('a')
    expect(cache.get({ server: 'a', uri: 'b:c' })).toBeUndefined()
    expect(textOf(cache.get({ server: 'a:b', uri: 'c' }))).toBe('second')
  })

  it('differ if any part differs', ({ cache }) => {
    const text = fc.string({ unit: fc.constantFrom('a', ':', ',', '"', '[', ']', '\\', '\u0000', '\uD800') })
    const key = fc.record({ server: text, uri: text, partition: text })
    fc.assert(
      fc.property(key, key, (one, other) => {
        cache.set(one, of('one'))
        const same = (['server', 'uri', 'partition'] as const).every((part) => one[part] === other[part])
        return (cache.get(other) !== undefined) === same
      }),
    )
  })
})

describe('cache invalidation', () => {
  const filled = (): ResourceCache => {
    const cache = new ResourceCache()
    for (const server of ['one', 'two'])
      for (const uri of ['a://x', 'a://x/y', 'a://xy'])
        for (const partition of ['ann', 'bob']) cache.set({ server, uri, partition }, of(uri))
    cache.set({ server: 'one', uri: 'p://', partition: 'bob' }, of('p', { cacheScope: 'public' }))
    return cache
  }
  const has = (cache: ResourceCache, uri: string, server = 'one', partition = 'ann'): boolean =>
    cache.get({ server, uri, partition }) !== undefined

  it('removes a resource from every partition, but no other resource', () => {
    const cache = filled()
    cache.invalidate(at('a://x'))
    expect(cache.size).toBe(11)
    expect([has(cache, 'a://x'), has(cache, 'a://x', 'one', 'bob')]).toEqual([false, false])
    expect([has(cache, 'a://x/y'), has(cache, 'a://x', 'two')]).toEqual([true, true])
    cache.invalidate(at('p://'))
    expect(has(cache, 'p://', 'one', 'bob')).toBe(false)
  })

  it('removes only the resources of the given server', () => {
    const cache = filled()
    cache.invalidateServer('one')
    expect(cache.size).toBe(6)
    expect([has(cache, 'p://'), has(cache, 'a://x'), has(cache, 'a://x', 'two')]).toEqual([
      false,
      false,
      true,
    ])
  })

  it("removes the partition's own entries and the server's public entries", () => {
    const cache = filled()
    cache.invalidateServer('one', { partition: 'ann' })
    expect([has(cache, 'p://'), has(cache, 'a://x'), has(cache, 'a://x', 'one', 'bob')]).toEqual([
      false,
      false,
      true,
    ])
  })

  it('removes the updated resource and its parents, but no other resource with a similar prefix', () => {
    const cache = filled()
    cache.invalidateUpdated(at('a://x/y'))
    expect([has(cache, 'a://x'), has(cache, 'a://x/y'), has(cache, 'a://xy')]).toEqual([false, false, true])
    cache.invalidateUpdated(at('p://deep/inside'))
    expect(has(cache, 'p://')).toBe(false)
  })

  it('removes all entries', () => {
    const cache = filled()
    cache.clear()
    expect(cache.size).toBe(0)
    expect(has(cache, 'p://')).toBe(false)
    cache.set(at('a'), of('again'))
    cache.invalidateServer('one')
    expect(cache.size).toBe(0)
  })

  it('changes nothing for an unknown key', () => {
    const cache = filled()
    cache.invalidate(at('none'))
    cache.invalidateServer('none')
    cache.invalidateUpdated(at('none', 'none'))
    expect(cache.size).toBe(13)
  })

  it('works after entries have been evicted', () => {
    const cache = new ResourceCache({ maxEntries: 1 })
    cache.set(at('a'), of('a'))
    cache.set(at('b'), of('b'))
    cache.invalidate(at('a'))
    expect(textOf(cache.get(at('b')))).toBe('b')
  })
})

describe('cache hints (https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching)', () => {
  const key = { server: 'one', uri: 'a', partition: 'ann' }
  const others = { ...key, partition: 'bob' }

  it('can shorten and lengthen the default lifetime', async () => {
    const { cache, clock } = timed({ ttlMs: 100 })
    cache.set(at('short'), of('x', { ttlMs: 10 }))
    cache.set(at('long'), of('x', { ttlMs: 1_000 }))
    await clock.advance(10)
    expect(cache.get(at('short'))).toBeUndefined()
    await clock.advance(989)
    expect(cache.get(at('long'))).toBeDefined()
    await clock.advance(1)
    expect(cache.get(at('long'))).toBeUndefined()
  })

  it.each([0, -5])('given a ttlMs of %d, prevent caching and remove the old entry', (ttlMs) => {
    const cache = new ResourceCache({ ttlMs: 0 })
    cache.set(key, of('old'))
    expect(cache.set(key, of('new', { ttlMs }))).toBe(false)
    expect(cache.get(key)).toBeUndefined()
    expect(cache.size).toBe(0)
  })

  it('are not returned with cached results', ({ cache }) => {
    cache.set(key, of('x', { ttlMs: 1_000, cacheScope: 'private' }))
    expect(cache.get(key)).toEqual({ contents: [{ uri: 'a://', text: 'x' }] })
  })

  it.for([{}, { cacheScope: 'private' as const }])(
    'restrict a result to its own partition: %o',
    (hints, { cache }) => {
      cache.set(key, of('secret', hints))
      expect(textOf(cache.get(key))).toBe('secret')
      expect(cache.get(others)).toBeUndefined()
      expect(cache.get(at('a'))).toBeUndefined()
    },
  )

  it('allow a public result to be shared by all partitions of the server', ({ cache }) => {
    cache.set(key, of('open', { cacheScope: 'public' }))
    expect([key, others, at('a')].map((each) => textOf(cache.get(each)))).toEqual(['open', 'open', 'open'])
    expect(cache.get({ ...key, server: 'two' })).toBeUndefined()
    expect(cache.size).toBe(1)
  })

  it('can change between public and private', ({ cache }) => {
    cache.set(key, of('open', { cacheScope: 'public' }))
    cache.set(others, of('secret of bob'))
    expect(cache.get(key)).toBeUndefined()
    cache.set(others, of('open again', { cacheScope: 'public' }))
    expect(textOf(cache.get(others))).toBe('open again')
  })

  it('are ignored if they are invalid', async () => {
    const { cache, clock } = timed({ ttlMs: 100 })
    const odd = { ...of('x'), ttlMs: '9', cacheScope: 'PUBLIC' } as unknown as ReadResourceResult
    cache.set(key, odd)
    expect(cache.get(others)).toBeUndefined()
    await clock.advance(99)
    expect(cache.get(key)).toBeDefined()
    await clock.advance(1)
    expect(cache.get(key)).toBeUndefined()
  })
})

describe('a read through the cache', () => {
  it('is shared by all concurrent callers', async ({ cache, loads }) => {
    const both = [cache.read(at('a'), loads.load), cache.read(at('a'), loads.load)]
    ;(await loads.at(0)).resolve(of('x'))
    const [first, second] = await Promise.all(both)
    expect(await cache.read(at('a'), loads.load)).toBe(first)
    expect(second).toBe(first)
    expect(Object.isFrozen(first?.contents)).toBe(true)
    expect(loads.pending).toHaveLength(1)
  })

  it('is made once for each partition while the scope is unknown', async ({ cache, loads }) => {
    const ann = cache.read({ ...at('a'), partition: 'ann' }, loads.load)
    const bob = cache.read({ ...at('a'), partition: 'bob' }, loads.load)
    ;(await loads.at(0)).resolve(of('for ann'))
    ;(await loads.at(1)).resolve(of('for bob'))
    expect([textOf(await ann), textOf(await bob)]).toEqual(['for ann', 'for bob'])
  })

  it('is not cached if it fails', async ({ cache }) => {
    const failing = (): Promise<never> => Promise.reject(new Error('down'))
    await expect(cache.read(at('a'), failing)).rejects.toThrow('down')
    const throwing = (): never => {
      throw new Error('not even begun')
    }
    await expect(cache.read(at('a'), throwing)).rejects.toThrow('not even begun')
    expect(textOf(await cache.read(at('a'), () => Promise.resolve(of('up'))))).toBe('up')
  })

  it('is repeated each time if the result must not be cached', async ({ cache }) => {
    let count = 0
    const load: LoadResource = () => Promise.resolve(of(`${++count}`, { ttlMs: 0 }))
    expect(textOf(await cache.read(at('a'), load))).toBe('1')
    expect(textOf(await cache.read(at('a'), load))).toBe('2')
    expect(cache.size).toBe(0)
  })

  it('rejects for each caller that aborts, and is cancelled when the last caller aborts', async ({
    cache,
    loads,
  }) => {
    const [one, other] = [new AbortController(), new AbortController()]
    const first = cache.read(at('a'), loads.load, { signal: one.signal })
    const second = cache.read(at('a'), loads.load, { signal: other.signal })
    const { signal } = await loads.at(0)
    one.abort(new Error('enough'))
    await expect(first).rejects.toThrow('enough')
    expect(signal.aborted).toBe(false)
    const third = cache.read(at('a'), loads.load, { signal: other.signal })
    other.abort(new Error('me too'))
    await expect(second).rejects.toThrow('me too')
    await expect(third).rejects.toThrow('me too')
    expect(signal.aborted).toBe(true)
    const next = cache.read(at('a'), loads.load)
    ;(await loads.at(1)).resolve(of('fresh'))
    expect(textOf(await next)).toBe('fresh')
  })

  it('does not join an aborted load, even if that load continues', async ({ cache }) => {
    const control = new AbortController()
    const deaf = cache.read(at('a'), () => new Promise(() => {}), { signal: control.signal })
    control.abort(new Error('enough'))
    await expect(deaf).rejects.toThrow('enough')
    expect(textOf(await cache.read(at('a'), () => Promise.resolve(of('fresh'))))).toBe('fresh')
  })

  it('continues as long as there are callers without a signal', async ({ cache, loads }) => {
    const control = new AbortController()
    const patient = cache.read(at('a'), loads.load)
    const hasty = cache.read(at('a'), loads.load, { signal: control.signal })
    control.abort(new Error('enough'))
    await expect(hasty).rejects.toThrow('enough')
    ;(await loads.at(0)).resolve(of('x'))
    expect(textOf(await patient)).toBe('x')
  })

  it('returns a cached result even to an aborted caller, but starts no load for it', async ({
    cache,
    loads,
  }) => {
    cache.set(at('a'), of('kept'))
    const signal = AbortSignal.abort(new Error('enough'))
    expect(textOf(await cache.read(at('a'), loads.load, { signal }))).toBe('kept')
    await expect(cache.read(at('b'), loads.load, { signal })).rejects.toThrow('enough')
    expect(loads.pending).toHaveLength(0)
  })

  it.for<[string, (cache: ResourceCache) => void]>([
    ['the resource', (cache) => cache.invalidate(at('a://x'))],
    ['a part of the resource', (cache) => cache.invalidateUpdated(at('a://x/y'))],
    ['the server', (cache) => cache.invalidateServer('one')],
    ['everything', (cache) => cache.clear()],
  ])(
    'is repeated, and its result is not cached, if %s was invalidated in the meantime',
    async ([, forget], { cache, loads }) => {
      const before = cache.read(at('a://x'), loads.load)
      const old = await loads.at(0)
      forget(cache)
      const after = cache.read(at('a://x'), loads.load)
      old.resolve(of('old'))
      expect(textOf(await before)).toBe('old')
      expect(cache.size).toBe(0)
      ;(await loads.at(1)).resolve(of('new'))
      expect(textOf(await after)).toBe('new')
      expect(textOf(cache.get(at('a://x')))).toBe('new')
    },
  )
})
