import { FakeClock } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import type { StoredEvent, StreamKey, StreamOrigin } from '../../src/stores/event-store.ts'
import { MemoryEventStore } from '../../src/stores/memory-event-store.ts'

describe('the limits of MemoryEventStore', () => {
  const ORIGIN: StreamOrigin = { node: 'n', kind: 'call', pending: [] }
  const key = (stream: string, session = 's'): StreamKey => ({ principal: 'p', session, stream })
  const fill = (store: MemoryEventStore, of: StreamKey, events: readonly StoredEvent[], final = false) => {
    const lease = store.open(of, ORIGIN)
    store.append(of, lease, events, { final })
    return (seq: number) => store.read(of, { epoch: lease.epoch, seq })?.events.map((event) => event.seq)
  }
  const events = (count: number, frame = 'x'): StoredEvent[] =>
    Array.from({ length: count }, (_, at) => ({ seq: at + 1, frame }))

  it.each([
    ['as many events as maxEvents', { maxEvents: 3 }, events(3), [1, 2, 3]],
    ['one event above maxEvents', { maxEvents: 3 }, events(4), undefined],
    ['as many bytes as maxBytes', { maxBytes: 6 }, events(3, 'é'), [1, 2, 3]],
    ['one byte above maxBytes', { maxBytes: 5 }, events(3, 'é'), undefined],
    ['a given size at the limit', { maxBytes: 5 }, [{ seq: 1, frame: 'xxxxxx', bytes: 5 }], [1]],
    ['a given size above the limit', { maxBytes: 5 }, [{ seq: 1, frame: 'x', bytes: 6 }], undefined],
    ['a thousand events by default', {}, events(1_000), events(1_000).map(({ seq }) => seq)],
    ['more than a thousand events by default', {}, events(1_001), undefined],
    ['a mebibyte by default', {}, [{ seq: 1, frame: '', bytes: 1_048_576 }], [1]],
    ['more than a mebibyte by default', {}, [{ seq: 1, frame: '', bytes: 1_048_577 }], undefined],
  ])('apply to each stream: %s', (_what, limits, given, kept) => {
    expect(fill(new MemoryEventStore({ clock: new FakeClock(), ...limits }), key('a'), given)(0)).toEqual(
      kept,
    )
  })

  it.each([
    ['as large as the limit', [1], { maxFinalBytes: 5 }, 5],
    ['larger than the limit', undefined, { maxFinalBytes: 5 }, 6],
    ['of 8 MiB and 8 KiB by default', [1], {}, 8_396_800],
    ['larger than the default', undefined, {}, 8_396_801],
  ])('apply to the size of a final response %s (events kept: %j)', (_what, kept, limits, bytes) => {
    const store = new MemoryEventStore({ clock: new FakeClock(), ...limits })
    expect(fill(store, key('a'), [{ seq: 1, frame: '', bytes }], true)(0)).toEqual(kept)
    expect(store.size).toMatchObject({ streams: 1, events: kept?.length ?? 0, bytes: kept ? bytes : 0 })
  })

  it('default to ten minutes for events and ended streams', async () => {
    const clock = new FakeClock()
    const store = new MemoryEventStore({ clock })
    const reads = [fill(store, key('open'), events(1)), fill(store, key('ended'), events(1), true)]
    await clock.advance(600_000)
    store.open(key('new'), ORIGIN)
    expect(reads.map((read) => read(0))).toEqual([[1], [1]])
    await clock.advance(1)
    expect(reads.map((read) => read(0))).toEqual([undefined, undefined])
    expect(reads.map((read) => read(1))).toEqual([[], undefined])
    expect(store.size).toMatchObject({ streams: 2, bytes: 0 })
  })

  it('default to 512 streams per session', () => {
    const store = new MemoryEventStore({ clock: new FakeClock() })
    for (let i = 0; i < 513; i++) store.open(key(`${i}`), ORIGIN)
    store.open(key('other', 'other'), ORIGIN)
    expect(store.size.streams).toBe(513)
    store.open(key('512'), ORIGIN)
    expect(store.size.streams).toBe(513)
  })

  it('default to 256 MiB in total', () => {
    const store = new MemoryEventStore({ clock: new FakeClock(), maxFinalBytes: 2 ** 30 })
    const half = (stream: string, bytes = 2 ** 27) =>
      fill(store, key(stream, stream), [{ seq: 1, frame: '', bytes }], true)
    const reads = [half('a'), half('b')]
    expect(reads.map((read) => read(0))).toEqual([[1], [1]])
    half('c', 1)
    expect(reads.map((read) => read(0))).toEqual([undefined, [1]])
  })

  it('do not cause streams without stored bytes to be dropped', () => {
    const store = new MemoryEventStore({ clock: new FakeClock(), maxTotalBytes: 10 })
    const empty = [
      fill(store, key('ended'), [{ seq: 1, frame: '' }], true),
      fill(store, key('open'), [{ seq: 1, frame: '' }]),
    ]
    const full = ['a', 'b'].map((stream) => fill(store, key(stream), [{ seq: 1, frame: 'xxxxxx' }]))
    expect([...empty, ...full].map((read) => read(0))).toEqual([[1], [1], undefined, [1]])
  })

  it('cause the oldest events to be dropped, after which earlier positions can no longer be read', () => {
    const store = new MemoryEventStore({ clock: new FakeClock(), maxEvents: 2 })
    const read = fill(store, key('a'), events(5))
    expect([2, 3, 4, 5, 6].map(read)).toEqual([undefined, [4, 5], [5], [], undefined])
    expect(store.size).toEqual({ streams: 1, events: 2, bytes: 2 })
  })
})
