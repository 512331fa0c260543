import type { SessionRecord } from '../../stores/session-store.ts'
import type { Clock } from '../../util/clock.ts'
import { Recurring } from '../../util/timers.ts'
import type { ResolvedOptions } from '../options.ts'
import type { LiveSession } from './live-session.ts'

/** How often idle sessions are closed, in ms; a request for an expired one closes it at once. */
const MAX_SWEEP_MS = 15_000
const MIN_SWEEP_MS = 1_000

type Lifetimes = Pick<ResolvedOptions['sessions'], 'ttlMs' | 'uninitializedTtlMs'>

export interface SessionExpiryOptions {
  readonly clock: Clock
  readonly lifetimes: Lifetimes
  readonly onExpired: (live: LiveSession) => void
  /** The record of a session in use must be renewed in the store. */
  readonly onRenewalDue: (live: LiveSession) => void
}

/** Finds sessions that have been idle for too long, and records to renew. */
export class SessionExpiry {
  readonly #sessions: Iterable<LiveSession>
  readonly #options: SessionExpiryOptions
  readonly #sweeper: Recurring

  constructor(sessions: Iterable<LiveSession>, options: SessionExpiryOptions) {
    this.#sessions = sessions
    this.#options = options
    this.#sweeper = new Recurring(options.clock, sweepMs(options.lifetimes), () => this.#sweep())
  }

  start(): void {
    this.#sweeper.start()
  }

  stop(): void {
    this.#sweeper.stop()
  }

  isExpired(live: LiveSession): boolean {
    const { clock, lifetimes } = this.#options
    return clock.now() - live.lastSeen > lifetimeMs(live.session.record, lifetimes) && !live.active
  }

  #sweep(): void {
    const { clock, onExpired, onRenewalDue } = this.#options
    const now = clock.now()
    for (const live of this.#sessions) {
      if (live.active) live.list?.use(live, now)
      if (this.isExpired(live)) onExpired(live)
      else if (live.lastSeen === now && live.shared?.isRenewalDue(now) === true) onRenewalDue(live)
    }
  }
}

/** How long a session may be idle, in ms. */
export function lifetimeMs({ initialized }: SessionRecord, { ttlMs, uninitializedTtlMs }: Lifetimes): number {
  return initialized ? ttlMs : uninitializedTtlMs
}

/** How often expired sessions are looked for, in ms. */
export const sweepMs = ({ ttlMs, uninitializedTtlMs }: Lifetimes): number =>
  Math.min(Math.max(Math.min(ttlMs, uninitializedTtlMs) / 4, MIN_SWEEP_MS), MAX_SWEEP_MS)
