import { FakeClock } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import type { StreamKey } from '../../src/stores/event-store.ts'
import { MemoryEventStore } from '../../src/stores/memory-event-store.ts'

const key = (stream: string, session = 'session'): StreamKey => ({ principal: 'alice', session, stream })
const kilobyte = 'x'.repeat(1_000)

describe('the memory event store', () => {
  it('drops expired events when a stream is opened, also behind a quiet stream', async () => {
    const clock = new FakeClock()
    const store = new MemoryEventStore({ clock, ttlMs: 1_000 })
    const quiet = store.open(key('quiet', 'other'))
    store.append(key('quiet', 'other'), { seq: 1, frame: kilobyte })
    for (const stream of ['a', 'b']) {
      store.open(key(stream))
      store.append(key(stream), { seq: 1, frame: kilobyte })
      store.append(key(stream), { seq: 2, frame: kilobyte }, { final: true })
    }
    expect(store.size).toMatchObject({ streams: 3, bytes: 5_000 })
    await clock.advance(1_001)
    store.open(key('c'))
    expect(store.size).toMatchObject({ streams: 2, bytes: 0 })
    expect(store.read(key('quiet', 'other'), { epoch: quiet, seq: 0 })).toBeUndefined()
    expect(store.read(key('quiet', 'other'), { epoch: quiet, seq: 1 })).toEqual([])
  })

  it('beyond its total drops streams of the session that holds most, ended ones first, and none of others', () => {
    const store = new MemoryEventStore({ clock: new FakeClock(), maxTotalBytes: 100_000 })
    const quiet = store.open(key('quiet', 'other'))
    store.append(key('quiet', 'other'), { seq: 1, frame: kilobyte })
    const open = store.open(key('open'))
    store.append(key('open'), { seq: 1, frame: kilobyte })
    const epochs = Array.from({ length: 300 }, (_, i) => {
      const epoch = store.open(key(`greedy-${i}`))
      store.append(key(`greedy-${i}`), { seq: 1, frame: kilobyte.repeat(4) }, { final: true })
      expect(store.size.bytes).toBeLessThanOrEqual(100_000)
      return epoch
    })
    const kept = epochs.flatMap((epoch, i) =>
      store.read(key(`greedy-${i}`), { epoch, seq: 0 }) === undefined ? [] : [i],
    )
    expect(kept).toEqual(Array.from({ length: 24 }, (_, i) => 276 + i))
    expect(store.read(key('open'), { epoch: open, seq: 0 })).toHaveLength(1)
    expect(store.read(key('quiet', 'other'), { epoch: quiet, seq: 0 })).toHaveLength(1)
  })

  it('beyond its total drops open streams of a session that has no ended ones', () => {
    const store = new MemoryEventStore({ clock: new FakeClock(), maxTotalBytes: 10_000 })
    store.open(key('silent'))
    const epochs = Array.from({ length: 12 }, (_, i) => {
      const epoch = store.open(key(`${i}`))
      store.append(key(`${i}`), { seq: 1, frame: kilobyte })
      return epoch
    })
    expect(store.size).toMatchObject({ streams: 11, bytes: 10_000 })
    expect(store.read(key('1'), { epoch: epochs[1] ?? '', seq: 0 })).toBeUndefined()
    expect(store.read(key('2'), { epoch: epochs[2] ?? '', seq: 0 })).toHaveLength(1)
  })

  it('takes room from whoever holds most now, also after deletions and expiry', async () => {
    const clock = new FakeClock()
    const store = new MemoryEventStore({ clock, maxTotalBytes: 20_000, ttlMs: 1_000 })
    const write = (session: string, stream: string, kilobytes: number): string => {
      const epoch = store.open(key(stream, session))
      store.append(key(stream, session), { seq: 1, frame: kilobyte.repeat(kilobytes) }, { final: true })
      return epoch
    }
    write('first', 'a', 16)
    store.delete(key('a', 'first'))
    write('second', 'a', 16)
    await clock.advance(1_001)
    const small = write('first', 'b', 2)
    const large = write('third', 'a', 15)
    const next = write('second', 'b', 4)
    const held = [
      store.read(key('b', 'first'), { epoch: small, seq: 0 }),
      store.read(key('a', 'third'), { epoch: large, seq: 0 }),
      store.read(key('b', 'second'), { epoch: next, seq: 0 }),
    ]
    expect(held.map((events) => events?.length)).toEqual([1, undefined, 1])
    expect(store.size).toEqual({ streams: 2, events: 2, bytes: 6_000 })
  })

  it('continues its sweep after a stream whose events expired before', async () => {
    const clock = new FakeClock()
    const store = new MemoryEventStore({ clock, ttlMs: 1_000 })
    const epoch = store.open(key('read'))
    store.append(key('read'), { seq: 1, frame: kilobyte })
    store.open(key('ended'))
    store.append(key('ended'), { seq: 1, frame: kilobyte }, { final: true })
    await clock.advance(1_001)
    expect(store.read(key('read'), { epoch, seq: 0 })).toBeUndefined()
    store.open(key('new'))
    expect(store.size).toMatchObject({ streams: 2, bytes: 0 })
  })

  it('does not apply the limits on events to the response', () => {
    const store = new MemoryEventStore({ maxEvents: 2, maxBytes: 2_000 })
    const epoch = store.open(key('a'))
    for (const seq of [1, 2]) store.append(key('a'), { seq, frame: kilobyte })
    store.append(key('a'), { seq: 3, frame: kilobyte.repeat(100) }, { final: true })
    expect(store.read(key('a'), { epoch, seq: 0 })?.map(({ seq }) => seq)).toEqual([1, 2, 3])
  })
})
