import { describe, expect, it } from 'vitest'
import { type AskedAddress, withAddresses, withoutAddress } from '../../src/stores/pending-urls.ts'

const HOUR = 3_600_000

describe('the addresses that a user was sent to', () => {
  it('are known until one is done', () => {
    const known = withAddresses([], ['a', 'b'], 0)
    expect(withoutAddress(known, 'c', 1)).toBeUndefined()
    const left = withoutAddress(known, 'a', 1)
    expect(left).toEqual([{ id: 'b', until: HOUR }])
    expect(withoutAddress(left ?? [], 'a', 2)).toBeUndefined()
  })

  it('are forgotten after an hour', () => {
    const known = withAddresses(withAddresses([], ['a'], 0), ['b'], HOUR - 1)
    expect(withoutAddress(known, 'a', HOUR - 1)).toHaveLength(1)
    expect(withoutAddress(known, 'a', HOUR)).toBeUndefined()
    expect(withAddresses(known, ['c'], HOUR).map(({ id }) => id)).toEqual(['b', 'c'])
  })

  it('are at most 64, of which the oldest goes', () => {
    let known: readonly AskedAddress[] = []
    for (let i = 0; i < 70; i++) known = withAddresses(known, [`a${i}`], i)
    expect(known).toHaveLength(64)
    expect(withoutAddress(known, 'a5', 70)).toBeUndefined()
    expect(withoutAddress(known, 'a6', 70)).toHaveLength(63)
  })
})
