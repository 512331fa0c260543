import type { EventStore, StoredEvent, StreamKey } from '@jetway/core/stores'
import { describe, expect, it } from 'vitest'

export interface EventStoreSubject {
  readonly store: EventStore
  /** Advances the store's clock, in ms. */
  readonly pass: (ms: number) => Promise<void>
}

/** The limits with which `create` is to make its store. */
export interface EventStoreLimits {
  readonly maxEvents: number
  readonly maxBytes: number
  readonly maxFinalBytes: number
  readonly ttlMs: number
}

export type CreateEventStore = (limits: EventStoreLimits) => EventStoreSubject | Promise<EventStoreSubject>

const LIMITS: EventStoreLimits = { maxEvents: 10, maxBytes: 1_000, maxFinalBytes: 5_000, ttlMs: 1_000 }

const key = (change: Partial<StreamKey> = {}): StreamKey => ({
  principal: 'alice',
  session: 'session-1',
  stream: 'stream-1',
  ...change,
})

const event = (seq: number, frame = `{"seq":${seq}}`): StoredEvent => ({ seq, frame })

async function fill(store: EventStore, of: StreamKey, count: number): Promise<string> {
  const epoch = await store.open(of)
  for (let seq = 1; seq <= count; seq++) await store.append(of, event(seq))
  return epoch
}

const seqs = (events: readonly StoredEvent[] | undefined): number[] | undefined =>
  events?.map(({ seq }) => seq)

function positions(create: CreateEventStore): void {
  it('returns each event after a position once and in order', async () => {
    const { store } = await create(LIMITS)
    const epoch = await fill(store, key(), 5)
    expect(await store.read(key(), { epoch, seq: 0 })).toEqual([1, 2, 3, 4, 5].map((seq) => event(seq)))
    expect(seqs(await store.read(key(), { epoch, seq: 3 }))).toEqual([4, 5])
    expect(await store.read(key(), { epoch, seq: 5 })).toEqual([])
  })

  it('knows a new stream before its first event', async () => {
    const { store } = await create(LIMITS)
    const epoch = await store.open(key())
    expect(epoch).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    expect(await store.read(key(), { epoch, seq: 0 })).toEqual([])
  })

  it('returns frames unchanged', async () => {
    const { store } = await create(LIMITS)
    const epoch = await store.open(key())
    const frames = ['', '{"a":"é\\n\u{1f600}"}', '"\ud800"'.replace('\ud800', '\\ud800'), ' '.repeat(100)]
    for (const [index, frame] of frames.entries()) await store.append(key(), event(index + 1, frame))
    expect((await store.read(key(), { epoch, seq: 0 }))?.map(({ frame }) => frame)).toEqual(frames)
  })

  it.each([-1, 6, 0.5, Number.NaN, Number.MAX_SAFE_INTEGER])(
    'does not know position %s of five',
    async (seq) => {
      const { store } = await create(LIMITS)
      const epoch = await fill(store, key(), 5)
      expect(await store.read(key(), { epoch, seq })).toBeUndefined()
    },
  )

  it('does not accept a position of another epoch', async () => {
    const { store } = await create(LIMITS)
    const before = await fill(store, key(), 3)
    const epoch = await fill(store, key(), 2)
    expect(epoch).not.toBe(before)
    expect(await store.read(key(), { epoch: before, seq: 1 })).toBeUndefined()
    expect(seqs(await store.read(key(), { epoch, seq: 1 }))).toEqual([2])
    expect(await store.read(key(), { epoch: '', seq: 1 })).toBeUndefined()
  })
}

function isolation(create: CreateEventStore): void {
  it.each([
    { principal: 'bob' },
    { principal: '' },
    { session: 'session-2' },
    { stream: 'stream-2' },
    { principal: 'alice:session-1', session: 'stream-1', stream: '' },
  ])('never shows the events of one stream to %j', async (change) => {
    const { store } = await create(LIMITS)
    const epoch = await fill(store, key(), 3)
    expect(await store.read(key(change), { epoch, seq: 0 })).toBeUndefined()
    const other = await fill(store, key(change), 1)
    expect(await store.read(key(change), { epoch, seq: 0 })).toBeUndefined()
    expect(seqs(await store.read(key(change), { epoch: other, seq: 0 }))).toEqual([1])
    expect(seqs(await store.read(key(), { epoch, seq: 0 }))).toEqual([1, 2, 3])
  })
}

function limits(create: CreateEventStore): void {
  it('keeps at most maxEvents, and reports lost events', async () => {
    const { store } = await create(LIMITS)
    const epoch = await fill(store, key(), 25)
    expect(await store.read(key(), { epoch, seq: 14 })).toBeUndefined()
    expect(await store.read(key(), { epoch, seq: 0 })).toBeUndefined()
    expect(seqs(await store.read(key(), { epoch, seq: 15 }))).toEqual([
      16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
    ])
  })

  it('keeps at most maxBytes, counted in UTF-8', async () => {
    const { store } = await create(LIMITS)
    const epoch = await store.open(key())
    for (let seq = 1; seq <= 4; seq++) await store.append(key(), event(seq, 'é'.repeat(200)))
    expect(await store.read(key(), { epoch, seq: 1 })).toBeUndefined()
    expect(seqs(await store.read(key(), { epoch, seq: 2 }))).toEqual([3, 4])
  })

  it('drops events after their TTL', async () => {
    const { store, pass } = await create(LIMITS)
    const epoch = await fill(store, key(), 2)
    await pass(600)
    await store.append(key(), event(3))
    await pass(600)
    expect(await store.read(key(), { epoch, seq: 1 })).toBeUndefined()
    expect(seqs(await store.read(key(), { epoch, seq: 2 }))).toEqual([3])
  })

  it('keeps the position of a quiet stream, so that its reader can reconnect', async () => {
    const { store, pass } = await create(LIMITS)
    const epoch = await fill(store, key(), 2)
    await pass(5_000)
    expect(await store.read(key(), { epoch, seq: 2 })).toEqual([])
    await store.append(key(), event(3))
    expect(seqs(await store.read(key(), { epoch, seq: 2 }))).toEqual([3])
  })

  it('keeps the final response beyond the limits on events', async () => {
    const { store } = await create(LIMITS)
    const epoch = await fill(store, key(), 10)
    await store.append(key(), event(11, 'x'.repeat(4_000)), { final: true })
    const last = (await store.read(key(), { epoch, seq: 10 }))?.at(-1)
    expect([last?.seq, last?.frame.length]).toEqual([11, 4_000])
    expect(seqs(await store.read(key(), { epoch, seq: 5 }))?.at(-1)).toBe(11)
  })

  it('drops a final response beyond its own limit, and reports it', async () => {
    const { store } = await create(LIMITS)
    const epoch = await fill(store, key(), 2)
    await store.append(key(), event(3, 'x'.repeat(6_000)), { final: true })
    expect(await store.read(key(), { epoch, seq: 2 })).toBeUndefined()
  })
}

function ends(create: CreateEventStore): void {
  it('deletes a stream some time after its end', async () => {
    const { store, pass } = await create(LIMITS)
    const epoch = await fill(store, key(), 1)
    await store.append(key(), event(2), { final: true })
    await pass(900)
    expect(seqs(await store.read(key(), { epoch, seq: 1 }))).toEqual([2])
    await pass(200)
    expect(await store.read(key(), { epoch, seq: 1 })).toBeUndefined()
  })

  it('deletes one stream, or all streams of a session, and no other', async () => {
    const { store } = await create(LIMITS)
    const keys = [key(), key({ stream: 'b' }), key({ session: 's2' }), key({ principal: 'bob' })]
    const epochs = await Promise.all(keys.map((one) => fill(store, one, 1)))
    const known = async (): Promise<boolean[]> =>
      Promise.all(
        keys.map(async (one, i) => (await store.read(one, { epoch: epochs[i] ?? '', seq: 0 })) !== undefined),
      )
    await store.delete(key())
    expect(await known()).toEqual([false, true, true, true])
    await store.delete({ principal: 'alice', session: 'session-1' })
    expect(await known()).toEqual([false, false, true, true])
    await store.delete({ principal: 'nobody', session: 'none' })
    expect(await known()).toEqual([false, false, true, true])
  })

  it('reports events for an unknown stream as lost', async () => {
    const { store } = await create(LIMITS)
    const epoch = await fill(store, key(), 1)
    await store.delete(key())
    await store.append(key(), event(2))
    expect(await store.read(key(), { epoch, seq: 1 })).toBeUndefined()
  })
}

/** The contract of an EventStore. Calls `create` for each test. */
export function describeEventStore(name: string, create: CreateEventStore): void {
  describe(`an event store: ${name}`, () => {
    positions(create)
    isolation(create)
    limits(create)
    ends(create)
  })
}
