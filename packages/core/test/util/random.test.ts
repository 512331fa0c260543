import { afterEach, describe, expect, it, vi } from 'vitest'
import { randomToken, randomUuid, secureRandom } from '../../src/util/random.ts'

afterEach(() => void vi.restoreAllMocks())

describe('secureRandom, randomToken and randomUuid', () => {
  it('never return the same bytes twice, regardless of the size', () => {
    const seen = new Set<string>()
    let draws = 0
    for (let round = 0; round < 400; round++) {
      for (const size of [16, 33, 700, 1_024, 1_025, 5_000]) {
        const bytes = secureRandom(size)
        expect(bytes).toHaveLength(size)
        for (let at = 0; at + 16 <= Math.min(size, 64); at += 16, draws++) {
          seen.add(bytes.subarray(at, at + 16).join())
        }
      }
    }
    expect(seen.size).toBe(draws)
  })

  it('do not change bytes that were returned earlier', () => {
    const first = secureRandom(32)
    const copy = first.slice()
    for (let i = 0; i < 1_000; i++) secureRandom(32)
    expect(first).toEqual(copy)
    first.fill(0)
    expect(secureRandom(32)).not.toEqual(first)
  })

  it('request large blocks of random bytes from the platform', () => {
    const platform = vi.spyOn(crypto, 'getRandomValues')
    for (let i = 0; i < 1_280; i++) randomToken(32)
    expect(platform).toHaveBeenCalled()
    expect(platform.mock.calls.length).toBeLessThanOrEqual(11)
  })

  it('generate tokens whose characters are evenly distributed', () => {
    const counts = new Map<string, number>()
    for (const character of randomToken(64_000)) counts.set(character, (counts.get(character) ?? 0) + 1)
    expect(counts.size).toBe(64)
    for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(250)
  })

  it.each([
    [0, '00000000-0000-4000-8000-000000000000'],
    [0xff, 'ffffffff-ffff-4fff-bfff-ffffffffffff'],
  ])('generate a version 4 UUID even if every byte is %i', (byte, uuid) => {
    expect(randomUuid((bytes) => new Uint8Array(bytes).fill(byte))).toBe(uuid)
  })

  it('derive each token character from the lowest six bits of a byte', () => {
    expect(randomToken(5, () => Uint8Array.of(0, 25, 63, 64, 255))).toBe('AZ_A_')
  })
})
