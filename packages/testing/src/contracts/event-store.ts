import { describe, expect, it } from 'vitest'
import {
  after,
  append,
  event,
  fill,
  FINAL,
  key,
  LIMITS,
  ORIGIN,
  OTHER,
  seqs,
  type CreateEventStore,
} from './event-streams.ts'

export type { CreateEventStore, EventStoreLimits, EventStoreSubject } from './event-streams.ts'

function positions(create: CreateEventStore): void {
  it('returns every event after a position, once and in order', async () => {
    const { store } = await create(LIMITS)
    const lease = await fill(store, key(), 5)
    const { epoch } = lease
    expect(await after(store, key(), { epoch, seq: 0 })).toEqual([1, 2, 3, 4, 5].map((seq) => event(seq)))
    expect(await seqs(store, lease, 3)).toEqual([4, 5])
    expect(await seqs(store, lease, 5)).toEqual([])
  })

  it('finds a new stream before it contains events', async () => {
    const { store } = await create(LIMITS)
    const lease = await store.open(key(), ORIGIN)
    expect(lease.epoch).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    await store.append(key(), lease, [])
    expect(await store.read(key(), { epoch: lease.epoch, seq: 0 })).toMatchObject({
      events: [],
      ended: false,
      node: 'node-1',
      kind: 'call',
      last: 0,
    })
  })

  it('returns frames unchanged', async () => {
    const { store } = await create(LIMITS)
    const lease = await store.open(key(), ORIGIN)
    const frames = ['', '{"a":"é\\n\u{1f600}"}', '"\\ud800"', ' '.repeat(100)]
    for (const [index, frame] of frames.entries()) await store.append(key(), lease, [event(index + 1, frame)])
    const read = await after(store, key(), { epoch: lease.epoch, seq: 0 })
    expect(read?.map(({ frame }) => frame)).toEqual(frames)
  })

  it.each([-1, 6, 0.5, Number.NaN, Number.MAX_SAFE_INTEGER])(
    'does not accept the position %s in a stream of five events',
    async (seq) => {
      const { store } = await create(LIMITS)
      expect(await seqs(store, await fill(store, key(), 5), seq)).toBeUndefined()
    },
  )

  it('does not accept a position from another epoch', async () => {
    const { store } = await create(LIMITS)
    const before = await fill(store, key(), 3)
    const lease = await fill(store, key(), 2)
    expect(lease.epoch).not.toBe(before.epoch)
    expect(await seqs(store, before, 1)).toBeUndefined()
    expect(await seqs(store, lease, 1)).toEqual([2])
    expect(await after(store, key(), { epoch: '', seq: 1 })).toBeUndefined()
  })
}

function appends(create: CreateEventStore): void {
  it('stores several events at once, in order', async () => {
    const { store } = await create(LIMITS)
    const lease = await store.open(key(), ORIGIN)
    expect(await append(store, lease, [event(1), event(2), event(3)])).toBe('kept')
    expect(await append(store, lease, [event(4), event(5)], FINAL)).toBe('kept')
    expect(await seqs(store, lease, 0)).toEqual([1, 2, 3, 4, 5])
  })

  it('preserves the order of concurrent calls', async () => {
    const { store } = await create(LIMITS)
    const lease = await store.open(key(), ORIGIN)
    const states = await Promise.all([1, 2, 3, 4, 5].map((seq) => append(store, lease, [event(seq)])))
    expect(states).toEqual(['kept', 'kept', 'kept', 'kept', 'kept'])
    expect(await seqs(store, lease, 0)).toEqual([1, 2, 3, 4, 5])
  })

  it('ignores events that are already stored, even if the stream has ended', async () => {
    const { store } = await create(LIMITS)
    const lease = await fill(store, key(), 3)
    expect(await append(store, lease, [event(2, 'x'), event(3, 'x'), event(4)])).toBe('kept')
    expect(await append(store, lease, [event(5)], FINAL)).toBe('kept')
    expect(await append(store, lease, [event(5)], FINAL)).toBe('kept')
    expect(await after(store, key(), { epoch: lease.epoch, seq: 0 })).toEqual(
      [1, 2, 3, 4, 5].map((seq) => event(seq)),
    )
  })

  it('reports an event as lost if an earlier event is missing', async () => {
    const { store } = await create(LIMITS)
    const lease = await fill(store, key(), 2)
    expect(await append(store, lease, [event(4)])).toBe('lost')
    expect(await seqs(store, lease, 0)).toEqual([1, 2])
  })

  it('does not store events after a stream has ended', async () => {
    const { store } = await create(LIMITS)
    const lease = await fill(store, key(), 1)
    await store.append(key(), lease, [event(2)], FINAL)
    expect(await append(store, lease, [event(3)])).toBe('lost')
    expect(await store.read(key(), { epoch: lease.epoch, seq: 1 })).toMatchObject({ ended: true, last: 2 })
    expect(await seqs(store, lease, 1)).toEqual([2])
  })

  it('reports events as lost if the stream is unknown or has a different epoch', async () => {
    const { store } = await create(LIMITS)
    const before = await fill(store, key(), 1)
    const lease = await fill(store, key(), 1)
    expect(await append(store, before, [event(2)])).toBe('lost')
    await store.delete(key())
    expect(await append(store, lease, [event(2)])).toBe('lost')
    expect(await seqs(store, lease, 1)).toBeUndefined()
  })
}

function completeStreams(create: CreateEventStore): void {
  it('stores a complete stream with its only event', async () => {
    const { store } = await create(LIMITS)
    const lease = await store.complete(key(), ORIGIN, event(1, '{"a":"é"}'))
    const { epoch } = lease
    expect(epoch).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    const stored = { ended: true, node: 'node-1', kind: 'call', last: 1, follower: undefined }
    expect(await store.read(key(), { epoch, seq: 0 })).toMatchObject(stored)
    expect(await after(store, key(), { epoch, seq: 0 })).toEqual([event(1, '{"a":"é"}')])
    expect(await seqs(store, lease, 1)).toEqual([])
    expect(await seqs(store, lease, 2)).toBeUndefined()
    expect(await append(store, lease, [event(2)])).toBe('lost')
    expect(await store.seize(key(), epoch, OTHER)).toBeUndefined()
  })

  it('replaces an earlier stream with a complete one', async () => {
    const { store } = await create(LIMITS)
    const before = await fill(store, key(), 3)
    const lease = await store.complete(key(), ORIGIN, event(1))
    expect(lease.epoch).not.toBe(before.epoch)
    expect(await seqs(store, before, 0)).toBeUndefined()
    expect(await seqs(store, lease, 0)).toEqual([1])
  })

  it('drops the only event of a complete stream if it exceeds maxFinalBytes, and tells readers about the loss', async () => {
    const { store } = await create(LIMITS)
    const kept = await store.complete(key(), ORIGIN, event(1, 'x'.repeat(4_000)))
    expect(await seqs(store, kept, 0)).toEqual([1])
    const dropped = await store.complete(key(), ORIGIN, event(1, 'x'.repeat(6_000)))
    expect(await seqs(store, dropped, 0)).toBeUndefined()
  })

  it('deletes a complete stream after its TTL, or together with its session', async () => {
    const { store, pass } = await create(LIMITS)
    const other = key({ session: 's2' })
    const lease = await store.complete(key(), ORIGIN, event(1))
    const otherLease = await store.complete(other, ORIGIN, event(1))
    await pass(500)
    expect(await seqs(store, lease, 0)).toEqual([1])
    await store.delete({ principal: other.principal, session: other.session })
    expect(await seqs(store, otherLease, 0, other)).toBeUndefined()
    await pass(600)
    expect(await seqs(store, lease, 0)).toBeUndefined()
  })
}

function takeovers(create: CreateEventStore): void {
  it('fences off the former writer, and lets the new writer continue after the last position', async () => {
    const { store } = await create(LIMITS)
    const lease = await fill(store, key(), 2)
    const seized = await store.seize(key(), lease.epoch, OTHER)
    expect(seized).toMatchObject({ lease: { epoch: lease.epoch }, last: 2, kind: 'call', pending: [] })
    expect(await append(store, lease, [event(3, 'stale')])).toBe('fenced')
    const next = seized?.lease ?? lease
    expect(await append(store, next, [event(3)])).toBe('kept')
    expect(await store.read(key(), { epoch: lease.epoch, seq: 2 })).toMatchObject({ node: OTHER, last: 3 })
    expect(await after(store, key(), { epoch: lease.epoch, seq: 2 })).toEqual([event(3)])
  })

  it('lets the last of several writers win', async () => {
    const { store } = await create(LIMITS)
    const { epoch } = await fill(store, key(), 1)
    const second = await store.seize(key(), epoch, OTHER)
    const third = await store.seize(key(), epoch, 'node-3')
    if (second === undefined || third === undefined) throw new Error('The stream was not seized')
    expect(third.lease.fence).toBeGreaterThan(second.lease.fence)
    expect(await append(store, second.lease, [event(2, 'second')])).toBe('fenced')
    expect(await append(store, third.lease, [event(2, 'third')])).toBe('kept')
  })

  it('does not hand over a stream that is unknown, has ended or has a different epoch', async () => {
    const { store } = await create(LIMITS)
    const lease = await fill(store, key(), 1)
    expect(await store.seize(key({ stream: 'other' }), lease.epoch, OTHER)).toBeUndefined()
    expect(await store.seize(key({ principal: 'bob' }), lease.epoch, OTHER)).toBeUndefined()
    expect(await store.seize(key(), 'other', OTHER)).toBeUndefined()
    await store.append(key(), lease, [event(2)], FINAL)
    expect(await store.seize(key(), lease.epoch, OTHER)).toBeUndefined()
  })

  it('returns the ids of unanswered requests to a new writer, and preserves the types of the ids', async () => {
    const { store } = await create(LIMITS)
    const pending = [1, '1', 'a b:"', 2, '']
    const lease = await store.open(key(), { node: 'node-1', kind: 'session', pending })
    await store.append(key(), lease, [
      { ...event(1), answers: 1 },
      event(2),
      { ...event(3), answers: 'a b:"' },
    ])
    const seized = await store.seize(key(), lease.epoch, OTHER)
    expect(seized?.kind).toBe('session')
    expect(new Set(seized?.pending)).toEqual(new Set(['1', 2, '']))
  })
}

function followers(create: CreateEventStore): void {
  it('tells the writer and readers which node the client reads from', async () => {
    const { store } = await create(LIMITS)
    const lease = await fill(store, key(), 1)
    const { epoch } = lease
    expect((await store.append(key(), lease, [event(2)])).follower).toBeUndefined()
    await store.read(key(), { epoch, seq: 2 })
    expect((await store.append(key(), lease, [event(3)])).follower).toBeUndefined()
    expect((await store.read(key(), { epoch, seq: 1 }, OTHER))?.follower).toBe(OTHER)
    expect(await store.append(key(), lease, [event(4)])).toMatchObject({ state: 'kept', follower: OTHER })
    expect((await store.read(key(), { epoch, seq: 1 }, 'node-3'))?.follower).toBe('node-3')
    expect((await store.read(key(), { epoch, seq: 1 }))?.follower).toBe('node-3')
    expect((await store.read(key(), { epoch, seq: 1 }, 'node-1'))?.follower).toBeUndefined()
    expect((await store.append(key(), lease, [event(5)])).follower).toBeUndefined()
  })

  it('ignores a reader at an unknown position, and a reader that has become the writer', async () => {
    const { store } = await create(LIMITS)
    const lease = await fill(store, key(), 1)
    expect(await store.read(key(), { epoch: lease.epoch, seq: 9 }, OTHER)).toBeUndefined()
    expect((await store.append(key(), lease, [event(2)])).follower).toBeUndefined()
    await store.read(key(), { epoch: lease.epoch, seq: 2 }, OTHER)
    const seized = await store.seize(key(), lease.epoch, OTHER)
    const result = await store.append(key(), seized?.lease ?? lease, [event(3)])
    expect([result.state, result.follower]).toEqual(['kept', undefined])
  })
}

function isolation(create: CreateEventStore): void {
  it.each([
    { principal: 'bob' },
    { principal: '' },
    { session: 'session-2' },
    { stream: 'stream-2' },
    { principal: 'alice:session-1', session: 'stream-1', stream: '' },
  ])('does not return the events of one stream for another key: %j', async (change) => {
    const { store } = await create(LIMITS)
    const lease = await fill(store, key(), 3)
    const other = key(change)
    expect(await seqs(store, lease, 0, other)).toBeUndefined()
    const otherLease = await fill(store, other, 1)
    expect(await seqs(store, lease, 0, other)).toBeUndefined()
    expect((await store.append(other, lease, [event(4)])).state).toBe('lost')
    expect(await seqs(store, otherLease, 0, other)).toEqual([1])
    expect(await seqs(store, lease, 0)).toEqual([1, 2, 3])
  })
}

function limits(create: CreateEventStore): void {
  it('keeps at most maxEvents events, and tells readers about lost events', async () => {
    const { store } = await create(LIMITS)
    const lease = await fill(store, key(), 25)
    expect(await seqs(store, lease, 14)).toBeUndefined()
    expect(await seqs(store, lease, 0)).toBeUndefined()
    expect(await seqs(store, lease, 15)).toEqual([16, 17, 18, 19, 20, 21, 22, 23, 24, 25])
  })

  it('keeps events of at most maxBytes in total, counted in UTF-8', async () => {
    const { store } = await create(LIMITS)
    const lease = await store.open(key(), ORIGIN)
    for (let seq = 1; seq <= 4; seq++) await store.append(key(), lease, [event(seq, 'é'.repeat(200))])
    expect(await seqs(store, lease, 1)).toBeUndefined()
    expect(await seqs(store, lease, 2)).toEqual([3, 4])
  })

  it('drops events after their TTL', async () => {
    // If the clock cannot be advanced, the real elapsed time may be longer on a busy machine.
    const { store, pass } = await create({ ...LIMITS, ttlMs: 3_000 })
    const lease = await fill(store, key(), 2)
    await pass(1_600)
    await store.append(key(), lease, [event(3)])
    await pass(1_600)
    expect(await seqs(store, lease, 1)).toBeUndefined()
    expect(await seqs(store, lease, 2)).toEqual([3])
  })

  it('keeps the position of an idle stream, so that its reader can reconnect', async () => {
    const { store, pass } = await create(LIMITS)
    const lease = await fill(store, key(), 2)
    await pass(5_000)
    expect(await seqs(store, lease, 2)).toEqual([])
    expect(await append(store, lease, [event(3)])).toBe('kept')
    expect(await seqs(store, lease, 2)).toEqual([3])
  })

  it('keeps the final response regardless of the event limits', async () => {
    const { store } = await create(LIMITS)
    const lease = await fill(store, key(), 10)
    await store.append(key(), lease, [event(11, 'x'.repeat(4_000))], FINAL)
    const last = (await after(store, key(), { epoch: lease.epoch, seq: 10 }))?.at(-1)
    expect([last?.seq, last?.frame.length]).toEqual([11, 4_000])
    expect((await seqs(store, lease, 5))?.at(-1)).toBe(11)
  })

  it('drops a final response that exceeds maxFinalBytes, and tells readers about the loss', async () => {
    const { store } = await create(LIMITS)
    const lease = await fill(store, key(), 2)
    await store.append(key(), lease, [event(3, 'x'.repeat(6_000))], FINAL)
    expect(await seqs(store, lease, 2)).toBeUndefined()
  })
}

function ends(create: CreateEventStore): void {
  it('deletes a stream some time after it has ended', async () => {
    const { store, pass } = await create(LIMITS)
    const lease = await fill(store, key(), 1)
    await store.append(key(), lease, [event(2)], FINAL)
    await pass(500)
    expect(await seqs(store, lease, 1)).toEqual([2])
    await pass(600)
    expect(await seqs(store, lease, 1)).toBeUndefined()
  })

  it('deletes one stream, or all streams of one session', async () => {
    const { store } = await create(LIMITS)
    const keys = [key(), key({ stream: 'b' }), key({ session: 's2' }), key({ principal: 'bob' })]
    const leases = await Promise.all(keys.map(async (one) => ({ one, lease: await fill(store, one, 1) })))
    const known = async (): Promise<boolean[]> =>
      Promise.all(leases.map(async ({ one, lease }) => (await seqs(store, lease, 0, one)) !== undefined))
    await store.delete(key())
    expect(await known()).toEqual([false, true, true, true])
    await store.delete({ principal: 'alice', session: 'session-1' })
    expect(await known()).toEqual([false, false, true, true])
    await store.delete({ principal: 'nobody', session: 'none' })
    expect(await known()).toEqual([false, false, true, true])
  })
}

/** The contract of an EventStore, as Vitest tests. Calls `create` for each of them. */
export function describeEventStore(name: string, create: CreateEventStore): void {
  describe(`an event store: ${name}`, () => {
    positions(create)
    appends(create)
    completeStreams(create)
    takeovers(create)
    followers(create)
    isolation(create)
    limits(create)
    ends(create)
  })
}
