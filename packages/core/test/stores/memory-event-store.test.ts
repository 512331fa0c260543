import { FakeClock } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import type { StoredEvent, StreamKey, StreamLease, StreamOrigin } from '../../src/stores/event-store.ts'
import { MemoryEventStore } from '../../src/stores/memory-event-store.ts'

const key = (stream: string, session = 'session'): StreamKey => ({ principal: 'alice', session, stream })
const kilobyte = 'x'.repeat(1_000)
const ORIGIN: StreamOrigin = { node: 'node', kind: 'call', pending: [] }
const FINAL = { final: true }

/** Opens a stream and appends one event. */
function write(
  store: MemoryEventStore,
  of: StreamKey,
  frame: string,
  options?: { readonly final: boolean },
): StreamLease {
  const lease = store.open(of, ORIGIN)
  store.append(of, lease, [{ seq: 1, frame }], options)
  return lease
}

const eventsAfter = (
  store: MemoryEventStore,
  of: StreamKey,
  { epoch }: StreamLease,
  seq: number,
): readonly StoredEvent[] | undefined => store.read(of, { epoch, seq })?.events

describe('MemoryEventStore', () => {
  it('drops expired events when a stream is opened, even if an older stream is still open', async () => {
    const clock = new FakeClock()
    const store = new MemoryEventStore({ clock, ttlMs: 1_000 })
    const quiet = write(store, key('quiet', 'other'), kilobyte)
    for (const stream of ['a', 'b']) {
      const lease = write(store, key(stream), kilobyte)
      store.append(key(stream), lease, [{ seq: 2, frame: kilobyte }], FINAL)
    }
    expect(store.size).toMatchObject({ streams: 3, bytes: 5_000 })
    await clock.advance(1_001)
    store.open(key('c'), ORIGIN)
    expect(store.size).toMatchObject({ streams: 2, bytes: 0 })
    expect(eventsAfter(store, key('quiet', 'other'), quiet, 0)).toBeUndefined()
    expect(eventsAfter(store, key('quiet', 'other'), quiet, 1)).toEqual([])
  })

  it('drops the ended streams of the session with the most bytes first if `maxTotalBytes` is exceeded', () => {
    const store = new MemoryEventStore({ clock: new FakeClock(), maxTotalBytes: 100_000 })
    const quiet = write(store, key('quiet', 'other'), kilobyte)
    const open = write(store, key('open'), kilobyte)
    const leases = Array.from({ length: 300 }, (_, i) => {
      const lease = write(store, key(`greedy-${i}`), kilobyte.repeat(4), FINAL)
      expect(store.size.bytes).toBeLessThanOrEqual(100_000)
      return lease
    })
    const kept = leases.flatMap((lease, i) =>
      eventsAfter(store, key(`greedy-${i}`), lease, 0) === undefined ? [] : [i],
    )
    expect(kept).toEqual(Array.from({ length: 24 }, (_, i) => 276 + i))
    expect(eventsAfter(store, key('open'), open, 0)).toHaveLength(1)
    expect(eventsAfter(store, key('quiet', 'other'), quiet, 0)).toHaveLength(1)
  })

  it('drops open streams if `maxTotalBytes` is exceeded and no ended streams are left', () => {
    const store = new MemoryEventStore({ clock: new FakeClock(), maxTotalBytes: 10_000 })
    store.open(key('silent'), ORIGIN)
    const leases = Array.from({ length: 12 }, (_, i) => write(store, key(`${i}`), kilobyte))
    expect(store.size).toMatchObject({ streams: 11, bytes: 10_000 })
    const known = leases.map((lease, i) => eventsAfter(store, key(`${i}`), lease, 0)?.length)
    expect(known.slice(1, 3)).toEqual([undefined, 1])
  })

  it('still finds the session with the most bytes after deletions and expiry', async () => {
    const clock = new FakeClock()
    const store = new MemoryEventStore({ clock, maxTotalBytes: 20_000, ttlMs: 1_000 })
    const answer = (session: string, stream: string, kilobytes: number): StreamLease =>
      write(store, key(stream, session), kilobyte.repeat(kilobytes), FINAL)
    answer('first', 'a', 16)
    store.delete(key('a', 'first'))
    answer('second', 'a', 16)
    await clock.advance(1_001)
    const small = answer('first', 'b', 2)
    const large = answer('third', 'a', 15)
    const next = answer('second', 'b', 4)
    const held = [
      eventsAfter(store, key('b', 'first'), small, 0),
      eventsAfter(store, key('a', 'third'), large, 0),
      eventsAfter(store, key('b', 'second'), next, 0),
    ]
    expect(held.map((events) => events?.length)).toEqual([1, undefined, 1])
    expect(store.size).toEqual({ streams: 2, events: 2, bytes: 6_000 })
  })

  it('drops expired streams even if an older stream contains no events', async () => {
    const clock = new FakeClock()
    const store = new MemoryEventStore({ clock, ttlMs: 1_000 })
    const lease = write(store, key('read'), kilobyte)
    write(store, key('ended'), kilobyte, FINAL)
    await clock.advance(1_001)
    expect(eventsAfter(store, key('read'), lease, 0)).toBeUndefined()
    store.open(key('new'), ORIGIN)
    expect(store.size).toMatchObject({ streams: 2, bytes: 0 })
  })

  it('does not apply the event limits to the final response', () => {
    const store = new MemoryEventStore({ maxEvents: 2, maxBytes: 2_000 })
    const lease = write(store, key('a'), kilobyte)
    store.append(key('a'), lease, [{ seq: 2, frame: kilobyte }])
    store.append(key('a'), lease, [{ seq: 3, frame: kilobyte.repeat(100) }], FINAL)
    expect(eventsAfter(store, key('a'), lease, 0)?.map(({ seq }) => seq)).toEqual([1, 2, 3])
  })
})
