import { FakeClock } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { MemoryUsedStates } from '../../src/stores/used-states.ts'
import { type Sized, SizeRanks } from '../../src/stores/size-ranks.ts'

describe('MemoryUsedStates', () => {
  it('drops expired states to make room', async () => {
    const clock = new FakeClock()
    const states = new MemoryUsedStates({ max: 2, clock })
    const soon = clock.now() + 100
    expect([states.take('a', soon, 'ann'), states.take('b', soon + 100, 'ann')]).toEqual([true, true])
    await clock.advance(100)
    expect(states.take('c', soon + 200, 'ann')).toBe(true)
    // No state of this principal was dropped, so an older one still counts as unused.
    expect([states.take('d', soon + 1, 'ann'), states.take('b', soon + 100, 'ann')]).toEqual([true, false])
  })

  it('treats a state as used if it expires no later than one that was dropped to make room', () => {
    const clock = new FakeClock()
    const states = new MemoryUsedStates({ max: 1, clock })
    const now = clock.now()
    expect([states.take('a', now + 10, 'ann'), states.take('b', now + 20, 'bob')]).toEqual([true, true])
    expect([10, 11].map((ms) => states.take(`c${ms}`, now + ms, 'cat'))).toEqual([false, true])
  })

  it('keeps ten thousand states by default', () => {
    const states = new MemoryUsedStates({ clock: new FakeClock() })
    const later = 2_000_000
    for (let i = 0; i < 10_000; i++) states.take(`${i}`, later + i, 'ann')
    expect(states.take('new', later, 'ann')).toBe(true)
    expect(states.take('newer', later, 'ann')).toBe(false)
  })
})

it('`SizeRanks` finds one of the largest members, even after sizes have changed', () => {
  const ranks = new SizeRanks<Sized & { bytes: number }>()
  const member = (bytes: number) => ({ bytes, rank: 0 })
  const [small, medium, large] = [member(3), member(4), member(1_000)]
  expect(ranks.largest()).toBeUndefined()
  const largest = (...changed: readonly (readonly [typeof small, number])[]): unknown => {
    for (const [one, bytes] of changed) {
      one.bytes = bytes
      ranks.update(one)
    }
    return ranks.largest()
  }
  expect(largest([small, 1])).toBe(small)
  expect(largest([small, 3], [medium, 4])).toBe(medium)
  expect(largest([large, 1_000])).toBe(large)
  expect(largest([large, 2])).toBe(medium)
  expect(largest([medium, 0])).toBe(small)
  expect(largest([small, 0], [large, 0])).toBeUndefined()
})
