import { describe, expect, it } from 'vitest'
import { type PendingUrl, withoutPendingUrl, withPendingUrls } from '../../src/stores/session-store.ts'

const HOUR = 3_600_000

describe('pending URLs', () => {
  it('are kept until they are completed', () => {
    const known = withPendingUrls([], ['a', 'b'], 0)
    expect(withoutPendingUrl(known, 'c', 1)).toBeUndefined()
    const left = withoutPendingUrl(known, 'a', 1)
    expect(left).toEqual([{ id: 'b', until: HOUR }])
    expect(withoutPendingUrl(left ?? [], 'a', 2)).toBeUndefined()
  })

  it('expire after an hour', () => {
    const known = withPendingUrls(withPendingUrls([], ['a'], 0), ['b'], HOUR - 1)
    expect(withoutPendingUrl(known, 'a', HOUR - 1)).toHaveLength(1)
    expect(withoutPendingUrl(known, 'a', HOUR)).toBeUndefined()
    expect(withPendingUrls(known, ['c'], HOUR).map(({ id }) => id)).toEqual(['b', 'c'])
  })

  it('are limited to 64, beyond which the oldest is dropped', () => {
    let known: readonly PendingUrl[] = []
    for (let i = 0; i < 70; i++) known = withPendingUrls(known, [`a${i}`], i)
    expect(known).toHaveLength(64)
    expect(withoutPendingUrl(known, 'a5', 70)).toBeUndefined()
    expect(withoutPendingUrl(known, 'a6', 70)).toHaveLength(63)
  })
})
