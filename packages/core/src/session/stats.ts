/** The current state. */
export interface Gauges {
  /** Open sessions in this process. */
  readonly sessions: number
  /** Connections that carry an event stream now; 0 over stdio and in memory. */
  readonly openStreams: number
  /**
   * Bytes that are queued in this process for slow readers, without the buffers of sockets. Replies and parts
   * of streams of 64 KiB or more count until Node.js has sent them. `limits.queuedBytes` bounds them on HTTP.
   * Counted in UTF-16 units on stdio, in memory and for replies that are strings.
   */
  readonly queuedBytes: number
  /** Running and queued calls. A call that returns synchronously is not counted. */
  readonly callsInFlight: number
  /** Tasks whose handlers run in this process. 0 for a mount: tasks belong to the server. */
  readonly tasks: number
  /** Streams whose events are stored for replay; 0 if the event store does not report it. */
  readonly replayStreams: number
  /**
   * Stored events, including expired ones that have not been removed; 0 if the event store does not report it.
   */
  readonly replayEvents: number
  /** Their size in bytes; 0 if the event store does not report it. */
  readonly replayBytes: number
}

/** A snapshot of one mount or connection, as plain JSON. */
export interface MountStats extends Gauges {
  /** Whether it is closing and refuses new work. */
  readonly draining: boolean
  /**
   * Refusals since the start, by the reason of their `reject` event. A reason appears when it first
   * happens, and its number never falls.
   */
  readonly refusals: Readonly<Record<string, number>>
}

/**
 * A snapshot of a server on all its mounts, as plain JSON. A store that several mounts share is counted once
 * per mount.
 */
export interface ServerStats extends MountStats {
  /** Open mounts and connections. */
  readonly mounts: number
}

export const NOTHING_HELD: Gauges = Object.freeze({
  sessions: 0,
  openStreams: 0,
  queuedBytes: 0,
  callsInFlight: 0,
  tasks: 0,
  replayStreams: 0,
  replayEvents: 0,
  replayBytes: 0,
})

export function sumOf(all: Iterable<Gauges>): Gauges {
  const sum: Record<keyof Gauges, number> = { ...NOTHING_HELD }
  const names = Object.keys(NOTHING_HELD) as (keyof Gauges)[]
  for (const gauges of all) for (const name of names) sum[name] += gauges[name]
  return sum
}

/** Counts refusals by reason. The number of reasons is bounded, because they are rows of a table. */
export class Refusals {
  readonly #total: Refusals | undefined
  readonly #counts = new Map<string, number>()

  /** @param total - also counts everything that this object counts */
  constructor(total?: Refusals) {
    this.#total = total
  }

  count(reason: string): void {
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1)
    this.#total?.count(reason)
  }

  snapshot(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts)
  }
}
