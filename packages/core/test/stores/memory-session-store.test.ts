import { FakeClock } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { MemorySessionStore } from '@jetway-apps/test-support/stores'
import type { SessionRecord } from '../../src/stores/session-store.ts'

describe('MemorySessionStore', () => {
  const record = (id: string, principal = ''): SessionRecord => ({
    id,
    principal,
    revision: '2025-06-18',
    client: { capabilities: {} },
    initialized: true,
    createdAt: 0,
    listChanged: [],
    subscriptions: [],
  })

  it('keeps a record until it expires', async () => {
    const clock = new FakeClock()
    const store = new MemorySessionStore({ clock })
    const first = store.create(record('a'), { ttlMs: 100 })
    await clock.advance(99)
    expect(store.get(record('a'))?.version).toBe(first)
    await clock.advance(1)
    expect([store.get(record('a')), store.size]).toEqual([undefined, 0])
  })

  it('replaces a record with the same id, and removes up to two expired records per new record', async () => {
    const clock = new FakeClock()
    const store = new MemorySessionStore({ clock })
    for (const id of ['a', 'a', 'b', 'c', 'd']) store.create(record(id), { ttlMs: 100 })
    expect(store.size).toBe(4)
    await clock.advance(100)
    store.create(record('e'), { ttlMs: 100 })
    expect(store.size).toBe(3)
    store.create(record('f'), { ttlMs: 100 })
    expect(store.size).toBe(2)
  })

  it('keeps ten thousand records by default', () => {
    const store = new MemorySessionStore({ clock: new FakeClock() })
    for (let i = 0; i < 10_001; i++) store.create(record(`${i}`), { ttlMs: 100 })
    expect([store.size, store.get(record('0'))]).toEqual([10_000, undefined])
  })

  it('drops the least recently used record when the maximum is exceeded', () => {
    const store = new MemorySessionStore({ max: 3, clock: new FakeClock() })
    for (const id of ['a', 'b', 'c']) store.create(record(id), { ttlMs: 1_000 })
    store.get({ principal: '', id: 'a' }, 1_000)
    store.create(record('d'), { ttlMs: 1_000 })
    expect(['a', 'b', 'c', 'd'].filter((id) => store.get({ principal: '', id }) !== undefined)).toEqual([
      'a',
      'c',
      'd',
    ])
    for (let i = 0; i < 1_000; i++) store.create(record(`x${i}`), { ttlMs: 1_000 })
    expect(store.size).toBe(3)
  })

  it('does not accumulate expired records', async () => {
    const clock = new FakeClock()
    const store = new MemorySessionStore({ clock })
    for (let i = 0; i < 5_000; i++) {
      store.create(record(`x${i}`), { ttlMs: 10 })
      await clock.advance(i % 100 === 0 ? 20 : 0)
    }
    expect(store.size).toBeLessThan(500)
  })
})
