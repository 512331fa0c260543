import { describe, expect, it } from 'vitest'
import { frozenCopy } from '../../src/resource-cache/frozen-copy.ts'
import { ResourceCache, type ResourceKey } from '../../src/resource-cache/resource-cache.ts'

const key = (uri: string): ResourceKey => ({ server: 's', uri })
const result = (text: string) => ({ contents: [{ uri: 'a://b', text }] })

describe('a frozen copy', () => {
  it.each<[unknown, number]>([
    [null, 16],
    [5, 16],
    ['', 16],
    ['abc', 22],
    [[], 16],
    [['a', 'b'], 52],
    [{}, 16],
    [{ ab: 'c' }, 38],
    [{ a: { b: [1] } }, 68],
  ])('of %j has a weight of %i bytes', (data, weight) => {
    expect(frozenCopy(data)).toEqual({ value: data, weight })
  })

  it('is deeply frozen and independent of the original', () => {
    const data = { list: [{ text: 'a' }] }
    const { value } = frozenCopy(data)
    expect([value, value.list, value.list[0]].every((each) => Object.isFrozen(each))).toBe(true)
    expect([Object.isFrozen(data), value.list === data.list]).toEqual([false, false])
  })
})

describe('a resource cache', () => {
  /** Returns the weight of an entry, which is that of its result and its key. */
  const weightOf = (uri: string, text: string): number =>
    frozenCopy(result(text)).weight + 2 * JSON.stringify(['s', uri, '']).length

  it('stores a result as large as the whole cache, but not a larger one', () => {
    const maxBytes = weightOf('a://b', 'xyz')
    const cache = new ResourceCache({ maxBytes })
    expect(cache.set(key('a://b'), result('xyz'))).toBe(true)
    expect(cache.set(key('a://b'), result('xyzz'))).toBe(false)
    expect(cache.get(key('a://b'))).toBeUndefined()
  })

  it('evicts the least recently used result above its default limit of 256 entries', () => {
    const cache = new ResourceCache()
    for (let at = 0; at < 256; at++) cache.set(key(`a://${at}`), result('x'))
    expect([cache.size, cache.get(key('a://0'))]).toEqual([256, result('x')])
    cache.set(key('a://256'), result('x'))
    expect([cache.size, cache.get(key('a://0')), cache.get(key('a://1'))]).toEqual([
      256,
      result('x'),
      undefined,
    ])
  })

  it.each([
    [{}, 300_000],
    [{ ttlMs: 5 }, 5],
  ])('given %j, keeps a result without a ttlMs for %i ms', (options, ms) => {
    let now = 7
    const cache = new ResourceCache({ ...options, clock: { now: () => now } as never })
    cache.set(key('a://b'), result('x'))
    now = 7 + ms - 1
    expect(cache.get(key('a://b'))).toEqual(result('x'))
    now = 7 + ms
    expect(cache.get(key('a://b'))).toBeUndefined()
    expect(cache.size).toBe(1)
  })

  it.each([
    [{ maxEntries: 0 }, 'maxEntries must be a positive whole number, and is 0'],
    [{ maxEntries: 1.5 }, 'maxEntries must be a positive whole number, and is 1.5'],
    [{ maxBytes: -1 }, 'maxBytes must be a positive whole number, and is -1'],
    [{ maxBytes: Number.NaN }, 'maxBytes must be a positive whole number, and is NaN'],
    [{ ttlMs: Number.NaN }, 'ttlMs must be a number of ms'],
    [{ ttlMs: '5' as never }, 'ttlMs must be a number of ms'],
  ])('rejects %j', (options, message) => {
    expect(() => new ResourceCache(options)).toThrow(message)
  })

  it('can be limited to a single entry', () => {
    const cache = new ResourceCache({ maxEntries: 1, maxBytes: 1_000 })
    expect(cache.set(key('a://1'), result('x'))).toBe(true)
    expect(cache.set(key('a://2'), result('x'))).toBe(true)
    expect([cache.size, cache.get(key('a://1'))]).toEqual([1, undefined])
  })
})
