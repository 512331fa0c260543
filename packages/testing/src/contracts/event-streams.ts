import type {
  AppendResult,
  EventStore,
  StoredEvent,
  StreamKey,
  StreamLease,
  StreamOrigin,
} from '@jetway/core/stores'

/** An empty store for one test, and its clock. */
export interface EventStoreSubject {
  readonly store: EventStore
  /** Advances the store's clock by this many milliseconds. */
  readonly pass: (ms: number) => Promise<void>
}

/** The limits that `create` must set for its store. */
export interface EventStoreLimits {
  readonly maxEvents: number
  readonly maxBytes: number
  readonly maxFinalBytes: number
  readonly ttlMs: number
}

/** Creates a new store with these limits for each test. */
export type CreateEventStore = (limits: EventStoreLimits) => EventStoreSubject | Promise<EventStoreSubject>

export const LIMITS: EventStoreLimits = { maxEvents: 10, maxBytes: 1_000, maxFinalBytes: 5_000, ttlMs: 1_000 }

export const key = (change: Partial<StreamKey> = {}): StreamKey => ({
  principal: 'alice',
  session: 'session-1',
  stream: 'stream-1',
  ...change,
})

export const event = (seq: number, frame = `{"seq":${seq}}`): StoredEvent => ({ seq, frame })

export const ORIGIN: StreamOrigin = { node: 'node-1', kind: 'call', pending: [] }
export const FINAL = { final: true }
export const OTHER = 'node-2'

export async function fill(store: EventStore, of: StreamKey, count: number): Promise<StreamLease> {
  const lease = await store.open(of, ORIGIN)
  for (let seq = 1; seq <= count; seq++) await store.append(of, lease, [event(seq)])
  return lease
}

/** Appends events with consecutive positions. */
export async function append(
  store: EventStore,
  lease: StreamLease,
  events: readonly StoredEvent[],
  options?: { readonly final?: boolean },
): Promise<AppendResult['state']> {
  return (await store.append(key(), lease, events, options)).state
}

/** Returns the events after a position, or undefined if the position is unknown. */
export async function after(
  store: EventStore,
  of: StreamKey,
  cursor: { readonly epoch: string; readonly seq: number },
): Promise<{ readonly seq: number; readonly frame: string }[] | undefined> {
  const state = await store.read(of, cursor)
  return state?.events.map(({ seq, frame }) => ({ seq, frame }))
}

export async function seqs(
  store: EventStore,
  { epoch }: StreamLease,
  seq: number,
  of: StreamKey = key(),
): Promise<number[] | undefined> {
  return (await after(store, of, { epoch, seq }))?.map((one) => one.seq)
}
