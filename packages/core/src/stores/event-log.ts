import type { RequestId } from '../protocol/jsonrpc.ts'
import { utf8Length } from '../util/bytes.ts'
import type { Linked, LinkedList } from '../util/linked-list.ts'
import type { StoredEvent, StreamKey, StreamOrigin } from './event-store.ts'
import type { Sized, SizeRanks } from './size-ranks.ts'

/** The streams of one session, and the number of bytes in them. */
export interface SessionLogs extends Sized {
  readonly principal: PrincipalLogs
  readonly streams: Map<string, EventLog>
  /** The ended streams, in the order in which they ended. */
  readonly ended: LinkedList<Place>
  bytes: number
}

/** The streams of all of one principal's sessions. Anonymous clients count as one principal. */
export interface PrincipalLogs extends Sized {
  readonly sessions: Map<string, SessionLogs>
  readonly bySize: SizeRanks<SessionLogs>
  bytes: number
}

/** A log's entry in one of the lists that contain it. */
export class Place implements Linked<Place> {
  list: LinkedList<Place> | undefined
  previous: Place | undefined
  next: Place | undefined
  readonly log: EventLog

  constructor(log: EventLog) {
    this.log = log
  }

  /** Moves the entry to the end of a list. */
  moveTo(list: LinkedList<Place>): void {
    this.leave()
    list.add(this)
  }

  leave(): void {
    this.list?.remove(this)
  }
}

interface StoredEntry {
  readonly event: StoredEvent
  readonly bytes: number
  readonly at: number
}

interface LogLimits {
  readonly maxEvents: number
  readonly maxBytes: number
  readonly maxFinalBytes: number
  readonly ttlMs: number
}

interface LogOptions {
  readonly key: StreamKey
  readonly owner: SessionLogs
  readonly epoch: string
  readonly limits: LogLimits
}

/** The events of one stream. */
export class EventLog {
  readonly key: StreamKey
  readonly owner: SessionLogs
  readonly epoch: string
  readonly kind: StreamOrigin['kind']
  /** The node that writes the stream. */
  node: string
  fence = 1
  follower: string | undefined
  pending: readonly RequestId[]
  /** The position of the last event. */
  last = 0
  endedAt: number | undefined
  dropped = false
  /** The entry in the list of logs with data that can expire. */
  readonly aging: Place = new Place(this)
  /** The entry in the list of the session's ended streams. */
  readonly ended: Place = new Place(this)
  readonly #limits: LogLimits
  readonly #events: StoredEntry[] = []
  /** The size of the events, in bytes. */
  #bytes = 0
  /** The final response. The limits on events do not apply to it. */
  #final: StoredEntry | undefined
  /** The position up to which events have been dropped. */
  #evicted = 0

  constructor({ key, owner, epoch, limits }: LogOptions, { node, kind, pending }: StreamOrigin) {
    this.key = key
    this.owner = owner
    this.epoch = epoch
    this.#limits = limits
    this.node = node
    this.kind = kind
    this.pending = pending
  }

  get bytes(): number {
    return this.#bytes + (this.#final?.bytes ?? 0)
  }

  get size(): number {
    return this.#events.length + (this.#final === undefined ? 0 : 1)
  }

  /** Adds the next event. If `final` is set, it is the last one. */
  add(event: StoredEvent, at: number, final: boolean): void {
    const bytes = event.bytes ?? utf8Length(event.frame)
    this.last = event.seq
    if (event.answers !== undefined) this.pending = this.pending.filter((id) => id !== event.answers)
    if (!final) {
      this.#bytes += bytes
      this.#events.push({ event, bytes, at })
      return
    }
    this.endedAt = at
    this.ended.moveTo(this.owner.ended)
    if (bytes <= this.#limits.maxFinalBytes) this.#final = { event, bytes, at }
    else this.forget()
  }

  /** Drops events that exceed the limits on number, size and age. */
  trim(now: number): void {
    const { maxEvents, maxBytes, ttlMs } = this.#limits
    const events = this.#events
    for (let oldest = events[0]; oldest !== undefined; oldest = events[0]) {
      if (events.length <= maxEvents && this.#bytes <= maxBytes && now - oldest.at <= ttlMs) return
      events.shift()
      this.#bytes -= oldest.bytes
      this.#evicted = oldest.event.seq
    }
  }

  /** Drops all events, after which every position before the last event counts as dropped. */
  forget(): void {
    this.#events.length = 0
    this.#bytes = 0
    this.#final = undefined
    this.#evicted = this.last
  }

  /** Returns whether the stream ended so long ago that it has expired. */
  expired(now: number): boolean {
    return this.endedAt !== undefined && now - this.endedAt > this.#limits.ttlMs
  }

  /** Returns the time at which the last event was added, or undefined if there are no events. */
  lastEventAt(): number | undefined {
    return this.endedAt ?? this.#events.at(-1)?.at
  }

  /** Returns the events after a position, or undefined if the position is unknown or has been dropped. */
  after(seq: number): readonly StoredEvent[] | undefined {
    if (!Number.isSafeInteger(seq) || seq < this.#evicted || seq > this.last) return undefined
    const all = this.#final === undefined ? this.#events : [...this.#events, this.#final]
    return all.filter(({ event }) => event.seq > seq).map(({ event }) => event)
  }
}
