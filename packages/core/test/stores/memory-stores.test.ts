import { FakeClock } from '@jetway-apps/test-support'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MemoryBus } from '../../src/stores/bus.ts'
import { MemoryEventStore } from '../../src/stores/memory-event-store.ts'
import { MemorySessionStore } from '@jetway-apps/test-support/stores'
import type { StreamLease, StreamOrigin } from '../../src/stores/event-store.ts'
import { utf8Length } from '../../src/util/bytes.ts'

const key = (
  stream: string,
  session = 's',
  principal = 'p',
): { principal: string; session: string; stream: string } => ({
  principal,
  session,
  stream,
})

const ORIGIN: StreamOrigin = { node: 'node', kind: 'call', pending: [] }
const FINAL = { final: true }

describe('the constructors of the in-memory stores', () => {
  it('start no timers and generate no random values', () => {
    const clock = new FakeClock()
    const random = (): never => {
      throw new Error('drawn too early')
    }
    const made = [new MemoryBus(), new MemorySessionStore({ clock }), new MemoryEventStore({ clock, random })]
    expect([made.length, clock.pending]).toEqual([3, 0])
  })
})

describe('MemoryEventStore', () => {
  it('keeps running streams and the newest ended streams, up to the maximum number per session', () => {
    const store = new MemoryEventStore({ maxStreamsPerSession: 3, clock: new FakeClock() })
    const leases = new Map<string, StreamLease>()
    const begin = (stream: string): StreamLease => {
      const lease = store.open(key(stream), ORIGIN)
      leases.set(stream, lease)
      return lease
    }
    begin('a')
    store.append(key('b'), begin('b'), [{ seq: 1, frame: '{}' }], FINAL)
    begin('c')
    begin('d')
    const known = (): string[] =>
      [...leases]
        .filter(([stream, { epoch }]) => store.read(key(stream), { epoch, seq: 0 }))
        .map(([stream]) => stream)
    expect(known()).toEqual(['a', 'c', 'd'])
    begin('e')
    expect(known()).toEqual(['c', 'd', 'e'])
    expect(store.size.streams).toBe(3)
  })

  it('drops the older stream if two sessions have the same number of bytes', () => {
    const store = new MemoryEventStore({ maxTotalBytes: 1_000, clock: new FakeClock() })
    const one = store.open(key('one'), ORIGIN)
    const two = store.open(key('two', 'other'), ORIGIN)
    store.append(key('one'), one, [{ seq: 1, frame: 'x'.repeat(600) }])
    store.append(key('two', 'other'), two, [{ seq: 1, frame: 'x'.repeat(600) }])
    expect(store.read(key('one'), { epoch: one.epoch, seq: 0 })).toBeUndefined()
    expect(store.read(key('two', 'other'), { epoch: two.epoch, seq: 0 })?.events).toHaveLength(1)
    expect(store.size).toEqual({ streams: 1, events: 1, bytes: 600 })
  })

  it('counts its streams, events and bytes after every operation', async () => {
    const step = fc.record({
      stream: fc.constantFrom('a', 'b', 'c'),
      act: fc.constantFrom('open', 'append', 'append', 'append', 'final', 'delete', 'read', 'wait'),
      size: fc.nat(400),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const clock = new FakeClock()
        const store = new MemoryEventStore({
          maxEvents: 4,
          maxBytes: 900,
          maxFinalBytes: 300,
          ttlMs: 50,
          clock,
        })
        const leases = new Map<string, StreamLease>()
        const seqs = new Map<string, number>()
        for (const { stream, act, size } of steps) {
          const lease = leases.get(stream) ?? { epoch: 'none', fence: 1 }
          if (act === 'open') {
            leases.set(stream, store.open(key(stream), ORIGIN))
            seqs.set(stream, 0)
          } else if (act === 'delete') store.delete(key(stream))
          else if (act === 'read') store.read(key(stream), { epoch: 'x', seq: 0 })
          else if (act === 'wait') await clock.advance(20)
          else {
            const seq = (seqs.get(stream) ?? 0) + 1
            seqs.set(stream, seq)
            store.append(key(stream), lease, [{ seq, frame: 'x'.repeat(size) }], { final: act === 'final' })
          }
          expect(store.size.bytes).toBeLessThanOrEqual(3 * (900 + 300))
        }
        store.delete({ principal: 'p', session: 's' })
        expect(store.size).toEqual({ streams: 0, events: 0, bytes: 0 })
      }),
    )
  })

  it('creates epochs that are unique within the process', () => {
    const epochs = [new MemoryEventStore(), new MemoryEventStore()].flatMap((store) => [
      store.open(key('a'), ORIGIN).epoch,
      store.open(key('a'), ORIGIN).epoch,
    ])
    expect(new Set(epochs).size).toBe(4)
  })
})

describe('MemoryBus', () => {
  it('drops messages if listeners never stop publishing more', () => {
    const errors: unknown[] = []
    const bus = new MemoryBus({ onError: (error) => errors.push(error) })
    let delivered = 0
    bus.subscribe('a', (message) => {
      delivered++
      if (message === 'first') for (let i = 0; i < 10_005; i++) bus.publish('a', i)
    })
    bus.publish('a', 'first')
    expect(errors).toHaveLength(5)
    expect(delivered).toBe(10_001)
  })
})

describe('utf8Length', () => {
  it('returns the number of bytes in the encoded string', () => {
    const encoder = new TextEncoder()
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        (text) => utf8Length(text) === encoder.encode(text).byteLength,
      ),
    )
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        (text) => utf8Length(text) === encoder.encode(text).byteLength,
      ),
    )
    for (const text of ['\ud800', 'a\udc00b', '\ud800\ud800\udc00', '\u{1f600}', 'é', '\u0800']) {
      expect(utf8Length(text)).toBe(encoder.encode(text).byteLength)
    }
  })
})
