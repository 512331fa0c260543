import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { HeldMessages } from '../../src/dev/held-messages.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

describe('HeldMessages', () => {
  it('holds at most 1,024 messages', () => {
    const held = new HeldMessages(() => {})
    const added = Array.from({ length: 1_025 }, (_, id) => held.add('', id))
    expect(added.indexOf(false)).toBe(1_024)
    expect(held.takeAll().map(({ message }) => message)).toEqual([...Array(1_024).keys()])
    expect(vi.getTimerCount()).toBe(0)
    expect(held.takeAll()).toEqual([])
  })

  it('holds at most 4 Mi characters', async () => {
    const expired = vi.fn()
    const held = new HeldMessages(expired)
    const half = 'x'.repeat(2 * 1024 * 1024)
    expect([held.add(half, 1), held.add('y', 2), held.add(half, 3)]).toEqual([true, true, false])
    expect(held.add(half.slice(1), 4)).toBe(true)
    expect(held.add('z', 5)).toBe(false)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(expired.mock.calls).toEqual([[1], [2], [4]])
    expect(held.takeAll()).toEqual([])
    // The expired messages no longer count towards the limit.
    expect([held.add(half, 6), held.add(half, 7), held.add('z', 8)]).toEqual([true, true, false])
    held.takeAll()
    expect([held.add(half, 9), held.add(half, 10), held.add('z', 11)]).toEqual([true, true, false])
  })

  it('gives up on a message 10 s after it arrives', async () => {
    const expired = vi.fn()
    const held = new HeldMessages(expired)
    held.add('a', 1)
    await vi.advanceTimersByTimeAsync(1)
    held.add('b', 2)
    await vi.advanceTimersByTimeAsync(9_999)
    expect(expired.mock.calls).toEqual([[1]])
    expect(held.takeAll()).toMatchObject([{ text: 'b', message: 2 }])
  })
})
