/** What is held right now. */
export interface Gauges {
  /** Sessions that are open in this process. */
  readonly sessions: number
  /** Connections that carry an event stream at this moment, of whatever door; none over stdio and in memory. */
  readonly openStreams: number
  /**
   * What waits in this process for peers that read slowly, in bytes; what the runtime's sockets hold is not in it. In
   * UTF-16 units on stdio and in memory, where nothing has been encoded yet.
   */
  readonly queuedBytes: number
  /** Calls that run or wait for their turn. A call that answers at once is never seen. */
  readonly callsInFlight: number
  /** Tasks whose handlers run in this process. They are the server's: 0 for a mount. */
  readonly tasks: number
  /** Streams of which events are kept for clients that come back; 0 where the event store does not tell. */
  readonly replayStreams: number
  /** Events that are kept, and those that have expired and were not met since; 0 where the store does not tell. */
  readonly replayEvents: number
  /** Their size in bytes of UTF-8; 0 where the store does not tell. */
  readonly replayBytes: number
}

/** A snapshot of one mount or connection: plain, and fit for JSON. */
export interface MountStats extends Gauges {
  /** Whether it has begun to close and takes no new work. */
  readonly draining: boolean
  /**
   * What was turned away since it began, by reason: the reasons of `reject` events, `busy` among them. A reason stands
   * here once it has happened, and its number never falls.
   */
  readonly refusals: Readonly<Record<string, number>>
}

/** A snapshot of a server on all of its mounts: plain, and fit for JSON. A store that several mounts share counts for each. */
export interface ServerStats extends MountStats {
  /** Mounts and connections that are open. */
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

/** Counts what was turned away, by reason. Reasons are rows of a table, so that their number is bounded. */
export class Refusals {
  readonly #whole: Refusals | undefined
  readonly #counts = new Map<string, number>()

  /** @param whole - counts everything that this one counts */
  constructor(whole?: Refusals) {
    this.#whole = whole
  }

  count(reason: string): void {
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1)
    this.#whole?.count(reason)
  }

  snapshot(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts)
  }
}
