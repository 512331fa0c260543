import { describe, expect, it } from 'vitest'
import { BoundedMap } from '../../src/util/bounded-map.ts'

describe('BoundedMap', () => {
  it('evicts the least recently written entries above maxEntries or maxWeight', () => {
    const weigh = (_key: string, value: number): number => value
    const map = new BoundedMap<string, number>({ maxEntries: 3, maxWeight: 10, weigh })
    map.set('a', 1).set('b', 1).set('c', 1).set('a', 2).set('d', 1)
    expect([...map]).toEqual([
      ['c', 1],
      ['a', 2],
      ['d', 1],
    ])
    map.set('e', 8)
    expect([...map]).toEqual([
      ['d', 1],
      ['e', 8],
    ])
    map.set('f', 11)
    expect([...map.keys()]).toEqual(['d', 'e'])
    map.set('d', 11)
    expect([...map.keys()]).toEqual(['e'])
    map.clear()
    expect([...map.set('g', 10)]).toEqual([['g', 10]])
  })
})
