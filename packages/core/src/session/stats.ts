/** Values that describe the current state. */
export interface Gauges {
  /** The number of open sessions in this process. */
  readonly sessions: number
  /** The number of connections that currently carry an event stream; 0 for the stdio and in-memory transports. */
  readonly openStreams: number
  /**
   * The number of bytes queued in this process for slow readers, excluding socket buffers. Replies and parts
   * of streams of 64 KiB or more are counted until Node.js has sent them. Over HTTP, `limits.queuedBytes`
   * limits this number. For the stdio and in-memory transports, and for replies that are strings, UTF-16 code
   * units are counted instead of bytes.
   */
  readonly queuedBytes: number
  /** The number of running and queued calls. A call that returns synchronously is not counted. */
  readonly callsInFlight: number
  /**
   * The number of tasks whose handlers run in this process; always 0 for a mount, because tasks belong to the
   * server.
   */
  readonly tasks: number
  /** The number of streams whose events are stored for replay; 0 if the event store does not report it. */
  readonly replayStreams: number
  /**
   * The number of stored events, including expired ones not yet removed; 0 if the event store does not report it.
   */
  readonly replayEvents: number
  /** The size of the stored events, in bytes; 0 if the event store does not report it. */
  readonly replayBytes: number
}

/** A snapshot of a mount's or connection's state, as plain JSON. */
export interface MountStats extends Gauges {
  /** Whether the mount is closing and therefore refuses new work. */
  readonly draining: boolean
  /**
   * The number of refusals since the start, keyed by the `reason` of their `reject` event. A reason appears
   * after its first refusal, and its count never decreases.
   */
  readonly refusals: Readonly<Record<string, number>>
}

/**
 * A snapshot of a server's state on all its mounts, as plain JSON. A store that several mounts share is counted
 * once per mount.
 */
export interface ServerStats extends MountStats {
  /** The number of open mounts and connections. */
  readonly mounts: number
}

/** The gauges of a mount that holds nothing. */
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

/**
 * Counts refusals by reason. The number of reasons is bounded, because each reason is a row in a fixed table.
 */
export class Refusals {
  readonly #total: Refusals | undefined
  readonly #counts = new Map<string, number>()

  /** @param total - another counter that also counts every refusal counted here */
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
