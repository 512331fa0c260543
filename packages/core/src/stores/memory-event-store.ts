import { type Clock, systemClock } from '../util/clock.ts'
import { LinkedList } from '../util/linked-list.ts'
import { type Random, randomToken, secureRandom } from '../util/random.ts'
import { EventLog, type Place, type PrincipalLogs, type SessionLogs } from './event-log.ts'
import type {
  AppendResult,
  Cursor,
  EventStore,
  SeizedStream,
  StoredEvent,
  StreamKey,
  StreamLease,
  StreamOrigin,
  StreamState,
} from './event-store.ts'
import { SizeRanks } from './size-ranks.ts'

interface MemoryEventStoreOptions {
  /** The maximum number of events kept per stream. @default 1_000 */
  readonly maxEvents?: number
  /** The maximum size of the events kept per stream, in bytes. @default 1_048_576 */
  readonly maxBytes?: number
  /** The maximum size of a final response, in bytes. The limits above do not apply to it. @default 8_396_800 */
  readonly maxFinalBytes?: number
  /** How long events and ended streams are kept, in ms. @default 600_000 */
  readonly ttlMs?: number
  /**
   * The maximum number of streams per session. When it is exceeded, the stream that ended first is dropped
   * or, if none has ended, the oldest stream.
   * @default 512
   */
  readonly maxStreamsPerSession?: number
  /**
   * The maximum total size, in bytes. When it is exceeded, a stream is dropped from the largest session of
   * the principal with the most bytes.
   *
   * @default 268_435_456
   */
  readonly maxTotalBytes?: number
  readonly clock?: Clock
  readonly random?: Random
}

/** This object is shared, because nearly all calls to `append` return it. */
const KEPT: AppendResult = { state: 'kept' }
const LOST: AppendResult = { state: 'lost' }
const FENCED: AppendResult = { state: 'fenced' }
const FINAL = { final: true }

/**
 * A lease with a reference to its stream, because three look-ups by text would cost as much as storing an
 * event.
 */
interface Lease extends StreamLease {
  readonly log: EventLog
}

/** Stores events in this process. No timer is needed for expiry, because it is checked on access. */
export class MemoryEventStore implements EventStore {
  readonly #limits: Required<Omit<MemoryEventStoreOptions, 'clock' | 'random'>>
  readonly #clock: Clock
  readonly #random: Random
  readonly #principals = new Map<string, PrincipalLogs>()
  readonly #bySize = new SizeRanks<PrincipalLogs>()
  /** The streams with data that can expire, sorted by the time of their last event, oldest first. */
  readonly #aging = new LinkedList<Place>()
  #streams = 0
  #totalBytes = 0
  #process: string | undefined
  #opened = 0

  constructor(options: MemoryEventStoreOptions = {}) {
    const { clock = systemClock, random = secureRandom, ...limits } = options
    this.#clock = clock
    this.#random = random
    this.#limits = {
      maxEvents: 1_000,
      maxBytes: 1_048_576,
      maxFinalBytes: 8_396_800,
      ttlMs: 600_000,
      maxStreamsPerSession: 512,
      maxTotalBytes: 268_435_456,
      ...limits,
    }
  }

  /** The size of the store, including expired streams and events that have not been removed yet. */
  get size(): { readonly streams: number; readonly events: number; readonly bytes: number } {
    let events = 0
    for (let place = this.#aging.first; place !== undefined; place = place.next) events += place.log.size
    return { streams: this.#streams, events, bytes: this.#totalBytes }
  }

  open(key: StreamKey, origin: StreamOrigin): Lease {
    // The random part of an epoch identifies this process. A cursor from before a restart has a different random
    // part.
    this.#process ??= randomToken(8, this.#random)
    const epoch = `${this.#process}${(++this.#opened).toString(36)}`
    const now = this.#clock.now()
    for (let place = this.#aging.first; place !== undefined; place = this.#aging.first) {
      const { log } = place
      if (now - (log.lastEventAt() ?? Number.NEGATIVE_INFINITY) <= this.#limits.ttlMs) break
      if (log.endedAt === undefined) {
        // The stream is kept, because a reader at its end can still resume.
        this.#trim(log, now)
        place.leave()
      } else this.#drop(log)
    }
    const known = this.#logsOf(key)
    this.#drop(known?.streams.get(key.stream))
    if (known !== undefined)
      while (known.streams.size >= this.#limits.maxStreamsPerSession)
        this.#drop(known.ended.first?.log ?? known.streams.values().next().value)
    // Dropping the last stream of a session also drops the session.
    const owner = this.#logsOf(key) ?? this.#addSession(key)
    const log = new EventLog({ key, owner, epoch, limits: this.#limits }, origin)
    owner.streams.set(key.stream, log)
    this.#streams++
    return { epoch, fence: log.fence, log }
  }

  append(
    key: StreamKey,
    lease: StreamLease,
    events: readonly StoredEvent[],
    { final = false }: { readonly final?: boolean } = {},
  ): AppendResult {
    const { log: own } = lease as Partial<Lease>
    const log = own?.key === key && !own.dropped ? own : this.#find(key)
    if (log === undefined || log.epoch !== lease.epoch) return LOST
    if (log.fence !== lease.fence) return FENCED
    const at = this.#clock.now()
    const before = log.bytes
    let state = KEPT
    for (const event of events) {
      if (event.seq <= log.last) continue
      if (log.endedAt !== undefined || event.seq !== log.last + 1) {
        state = LOST
        break
      }
      log.add(event, at, final && event === events.at(-1))
      log.aging.moveTo(this.#aging)
    }
    log.trim(at)
    this.#count(log, log.bytes - before)
    while (this.#totalBytes > this.#limits.maxTotalBytes) this.#drop(this.#leastFair())
    return state === LOST || log.follower === undefined ? state : { state: 'kept', follower: log.follower }
  }

  complete(key: StreamKey, origin: StreamOrigin, event: StoredEvent): StreamLease {
    const lease = this.open(key, origin)
    this.append(key, lease, [event], FINAL)
    return lease
  }

  read(key: StreamKey, { epoch, seq }: Cursor, reader?: string): StreamState | undefined {
    const log = this.#find(key)
    if (log === undefined || log.epoch !== epoch) return undefined
    const now = this.#clock.now()
    if (log.expired(now)) {
      this.#drop(log)
      return undefined
    }
    this.#trim(log, now)
    const events = log.after(seq)
    if (events === undefined) return undefined
    const { node, kind, last } = log
    const ended = log.endedAt !== undefined
    if (reader !== undefined && !ended) log.follower = reader === node ? undefined : reader
    return { events, ended, node, kind, last, follower: log.follower }
  }

  seize(key: StreamKey, epoch: string, node: string): SeizedStream | undefined {
    const log = this.#find(key)
    if (log === undefined || log.epoch !== epoch || log.endedAt !== undefined) return undefined
    log.node = node
    log.fence++
    log.follower = undefined
    const { last, kind, pending } = log
    return { lease: { epoch, fence: log.fence }, last, kind, pending }
  }

  delete({ principal, session, stream }: Omit<StreamKey, 'stream'> & { readonly stream?: string }): void {
    const streams = this.#logsOf({ principal, session })?.streams
    if (streams === undefined) return
    if (stream !== undefined) this.#drop(streams.get(stream))
    else for (const log of streams.values()) this.#drop(log)
  }

  #find(key: StreamKey): EventLog | undefined {
    return this.#logsOf(key)?.streams.get(key.stream)
  }

  #logsOf({ principal, session }: Omit<StreamKey, 'stream'>): SessionLogs | undefined {
    return this.#principals.get(principal)?.sessions.get(session)
  }

  #addSession({ principal, session }: StreamKey): SessionLogs {
    const known = this.#principals.get(principal)
    const owner = known ?? { sessions: new Map(), bySize: new SizeRanks(), bytes: 0, rank: 0 }
    if (known === undefined) this.#principals.set(principal, owner)
    const logs: SessionLogs = {
      principal: owner,
      streams: new Map(),
      ended: new LinkedList(),
      bytes: 0,
      rank: 0,
    }
    owner.sessions.set(session, logs)
    return logs
  }

  #count({ owner }: EventLog, bytes: number): void {
    this.#totalBytes += bytes
    owner.bytes += bytes
    owner.principal.bytes += bytes
    owner.principal.bySize.update(owner)
    this.#bySize.update(owner.principal)
  }

  /**
   * Returns a stream from the largest session of the principal with the most bytes, so that a principal
   * cannot cause the streams of others to be dropped.
   */
  #leastFair(): EventLog | undefined {
    const owner = this.#bySize.largest()?.bySize.largest()
    if (owner === undefined) return undefined
    for (let place = owner.ended.first; place !== undefined; place = place.next)
      if (place.log.bytes > 0) return place.log
    return [...owner.streams.values()].find(({ bytes }) => bytes > 0)
  }

  #trim(log: EventLog, now: number): void {
    const before = log.bytes
    log.trim(now)
    this.#count(log, log.bytes - before)
  }

  #drop(log: EventLog | undefined): void {
    if (log === undefined || log.dropped) return
    log.dropped = true
    log.aging.leave()
    log.ended.leave()
    this.#count(log, -log.bytes)
    this.#streams--
    const { principal, session, stream } = log.key
    const { streams } = log.owner
    streams.delete(stream)
    if (streams.size > 0) return
    const { sessions } = log.owner.principal
    sessions.delete(session)
    if (sessions.size === 0) this.#principals.delete(principal)
  }
}
