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
