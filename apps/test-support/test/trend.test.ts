import { seeded, trendOf } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'

const range = (count: number): number[] => Array.from({ length: count }, (_, x) => x)

describe('trendOf', () => {
  it('returns the exact slope of a line', () => {
    expect(trendOf(range(20).map((x) => [x, 3 * x + 7]))).toMatchObject({
      slope: expect.closeTo(3),
      upper: expect.closeTo(3),
    })
  })

  it('ignores the first quarter', () => {
    expect(trendOf(range(20).map((x) => [x, x < 5 ? -1e6 : 2])).upper).toBeCloseTo(0)
  })

  it('returns an upper bound that exceeds the slope for 97.5 % of noisy lines', () => {
    const random = seeded(1)
    const below = range(1_000).filter(() => trendOf(range(24).map((x) => [x, x + random()])).upper < 1)
    expect(below.length).toBeGreaterThan(10)
    expect(below.length).toBeLessThan(50)
  })

  it('requires at least four samples', () => {
    expect(() => trendOf([[1, 1], [2, 2]])).toThrow(RangeError) // prettier-ignore
  })
})
