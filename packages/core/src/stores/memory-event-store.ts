import { type Clock, systemClock } from '../util/clock.ts'
import type { RequestId } from '../protocol/jsonrpc.ts'
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
import { type Sized, SizeRanks } from './size-ranks.ts'
import { type Random, randomToken, secureRandom } from '../util/random.ts'
import { utf8Length } from '../util/bytes.ts'

export interface MemoryEventStoreOptions {
  /** Events kept for each stream. @default 1_000 */
  readonly maxEvents?: number
  /** Bytes of events kept for each stream. @default 1_048_576 */
  readonly maxBytes?: number
  /** The largest final response that is kept; the limits above do not apply to it. @default 8_396_800 */
  readonly maxFinalBytes?: number
  /** How long an event and an ended stream are kept. @default 600_000 */
  readonly ttlMs?: number
  /** Streams of one session; one more drops an ended one, or else the oldest. @default 512 */
  readonly maxStreamsPerSession?: number
  /** Bytes in total; beyond it, the session that holds most loses a stream. @default 268_435_456 */
  readonly maxTotalBytes?: number
  readonly clock?: Clock
  readonly random?: Random
}

interface Kept {
  readonly event: StoredEvent
  readonly bytes: number
  readonly at: number
}

interface Log {
  readonly key: StreamKey
  readonly owner: SessionLogs
  readonly epoch: string
  readonly kind: StreamOrigin['kind']
  pending: readonly RequestId[]
  /** The node that writes. */
  node: string
  fence: number
  follower: string | undefined
  readonly events: Kept[]
  /** Bytes of `events`. */
  bytes: number
  /** The response, which the limits on events do not drop. */
  final: Kept | undefined
  /** Events up to this position are dropped. */
  evicted: number
  /** The position of the last event. */
  last: number
  endedAt: number | undefined
}

/** The results of nearly all calls. */
const KEPT: AppendResult = Object.freeze({ state: 'kept' })
const LOST: AppendResult = Object.freeze({ state: 'lost' })
const FENCED: AppendResult = Object.freeze({ state: 'fenced' })

/** The streams of one session, and their bytes. */
interface SessionLogs extends Sized {
  readonly streams: Map<string, Log>
  bytes: number
}

/** Stores events in this process. Expiry needs no timer: it happens on access. */
export class MemoryEventStore implements EventStore {
  readonly #limits: Required<Omit<MemoryEventStoreOptions, 'clock' | 'random'>>
  readonly #clock: Clock
  readonly #random: Random
  readonly #principals = new Map<string, Map<string, SessionLogs>>()
  readonly #sessions = new SizeRanks<SessionLogs>()
  /** The streams with something to expire, in the order of their last event, oldest first. */
  readonly #aging = new Set<Log>()
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

  /** Includes expired streams and events that are not removed yet. */
  get size(): { readonly streams: number; readonly events: number; readonly bytes: number } {
    let events = 0
    for (const log of this.#aging) events += log.events.length + (log.final === undefined ? 0 : 1)
    return { streams: this.#streams, events, bytes: this.#totalBytes }
  }

  open(key: StreamKey, { node, kind, pending }: StreamOrigin): StreamLease {
    // The random part identifies this process: a cursor from before a restart has another one.
    this.#process ??= randomToken(8, this.#random)
    const epoch = `${this.#process}${(++this.#opened).toString(36)}`
    const { streams } = this.#logsOf(key)
    this.#drop(streams.get(key.stream))
    this.#sweep()
    while (streams.size >= this.#limits.maxStreamsPerSession) this.#drop(leastWanted(streams))
    // Dropping the last stream of a session also drops its map.
    const owner = this.#logsOf(key)
    const log: Log = {
      key,
      owner,
      epoch,
      kind,
      pending,
      node,
      fence: 1,
      follower: undefined,
      events: [],
      bytes: 0,
      final: undefined,
      evicted: 0,
      last: 0,
      endedAt: undefined,
    }
    owner.streams.set(key.stream, log)
    this.#streams++
    return { epoch, fence: log.fence }
  }

  append(
    key: StreamKey,
    { epoch, fence }: StreamLease,
    events: readonly StoredEvent[],
    { final = false }: { readonly final?: boolean } = {},
  ): AppendResult {
    const log = this.#find(key)
    if (log === undefined || log.epoch !== epoch) return LOST
    if (log.fence !== fence) return FENCED
    const at = this.#clock.now()
    for (const event of events) {
      if (event.seq <= log.last) continue
      if (log.endedAt !== undefined || event.seq !== log.last + 1) return LOST
      this.#add(log, event, { at, final: final && event === events.at(-1) })
    }
    this.#trim(log, at)
    while (this.#totalBytes > this.#limits.maxTotalBytes) this.#drop(this.#leastFair())
    return log.follower === undefined ? KEPT : { state: 'kept', follower: log.follower }
  }

  read(key: StreamKey, { epoch, seq }: Cursor, reader?: string): StreamState | undefined {
    const log = this.#find(key)
    if (log === undefined || log.epoch !== epoch) return undefined
    const now = this.#clock.now()
    if (this.#expired(log, now)) {
      this.#drop(log)
      return undefined
    }
    this.#trim(log, now)
    const { node, kind, last, evicted, final } = log
    if (!Number.isSafeInteger(seq) || seq < evicted || seq > last) return undefined
    const ended = log.endedAt !== undefined
    if (reader !== undefined && !ended) log.follower = reader === node ? undefined : reader
    const all = final === undefined ? log.events : [...log.events, final]
    const events = all.filter(({ event }) => event.seq > seq).map(({ event }) => event)
    return { events, ended, node, kind, last, follower: log.follower }
  }

  seize(key: StreamKey, epoch: string, node: string): SeizedStream | undefined {
    const log = this.#find(key)
    if (log === undefined || log.epoch !== epoch || log.endedAt !== undefined) return undefined
    log.node = node
    log.fence++
    log.follower = undefined
    const { fence, last, kind, pending } = log
    return { lease: { epoch, fence }, last, kind, pending }
  }

  delete({ principal, session, stream }: Omit<StreamKey, 'stream'> & { readonly stream?: string }): void {
    const streams = this.#principals.get(principal)?.get(session)?.streams
    if (streams === undefined) return
    if (stream !== undefined) this.#drop(streams.get(stream))
    else for (const log of streams.values()) this.#drop(log)
  }

  #find({ principal, session, stream }: StreamKey): Log | undefined {
    return this.#principals.get(principal)?.get(session)?.streams.get(stream)
  }

  #logsOf({ principal, session }: StreamKey): SessionLogs {
    const sessions = this.#principals.get(principal) ?? new Map<string, SessionLogs>()
    const logs = sessions.get(session) ?? { streams: new Map<string, Log>(), bytes: 0, rank: 0 }
    this.#principals.set(principal, sessions.set(session, logs))
    return logs
  }

  #add(log: Log, event: StoredEvent, { at, final }: { readonly at: number; readonly final: boolean }): void {
    const bytes = event.bytes ?? utf8Length(event.frame)
    log.last = event.seq
    if (event.answers !== undefined) log.pending = log.pending.filter((id) => id !== event.answers)
    this.#aging.delete(log)
    this.#aging.add(log)
    this.#count(log, bytes)
    if (final) {
      log.endedAt = at
      log.final = { event, bytes, at }
      if (bytes > this.#limits.maxFinalBytes) this.#forget(log)
    } else {
      log.bytes += bytes
      log.events.push({ event, bytes, at })
    }
  }

  #count({ owner }: Log, bytes: number): void {
    this.#totalBytes += bytes
    owner.bytes += bytes
    this.#sessions.update(owner)
  }

  /** A stream of the session that holds most, so that no session can drop the streams of others. */
  #leastFair(): Log | undefined {
    const streams = this.#sessions.largest()?.streams ?? new Map<string, Log>()
    return leastWanted(streams, (log) => log.bytes > 0 || log.final !== undefined)
  }

  #expired({ endedAt }: Log, now: number): boolean {
    return endedAt !== undefined && now - endedAt > this.#limits.ttlMs
  }

  #sweep(): void {
    const now = this.#clock.now()
    for (const log of this.#aging) {
      const last = log.endedAt ?? log.events.at(-1)?.at ?? Number.NEGATIVE_INFINITY
      if (now - last <= this.#limits.ttlMs) return
      if (log.endedAt !== undefined) {
        this.#drop(log)
      } else {
        // A reader at the end of the stream can still resume.
        this.#trim(log, now)
        this.#aging.delete(log)
      }
    }
  }

  #trim(log: Log, now: number): void {
    const { maxEvents, maxBytes, ttlMs } = this.#limits
    const { events } = log
    for (let oldest = events[0]; oldest !== undefined; oldest = events[0]) {
      if (events.length <= maxEvents && log.bytes <= maxBytes && now - oldest.at <= ttlMs) return
      events.shift()
      log.bytes -= oldest.bytes
      this.#count(log, -oldest.bytes)
      log.evicted = oldest.event.seq
    }
  }

  /** Keeps the stream without events, so that every position counts as evicted. */
  #forget(log: Log): void {
    this.#count(log, -log.bytes - (log.final?.bytes ?? 0))
    log.events.length = 0
    log.bytes = 0
    log.final = undefined
    log.evicted = log.last
  }

  #drop(log: Log | undefined): void {
    if (log === undefined) return
    const { principal, session, stream } = log.key
    const sessions = this.#principals.get(principal)
    const streams = sessions?.get(session)?.streams
    if (streams?.get(stream) !== log) return
    streams.delete(stream)
    this.#streams--
    this.#aging.delete(log)
    this.#forget(log)
    if (streams.size === 0) sessions?.delete(session)
    if (sessions?.size === 0) this.#principals.delete(principal)
  }
}

/** The first of some streams that has ended, else the first. */
function leastWanted(
  streams: ReadonlyMap<string, Log>,
  counts: (log: Log) => boolean = () => true,
): Log | undefined {
  let first: Log | undefined
  for (const log of streams.values()) {
    if (!counts(log)) continue
    if (log.endedAt !== undefined) return log
    first ??= log
  }
  return first
}
