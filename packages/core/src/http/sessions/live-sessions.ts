import { ANONYMOUS } from '../../stores/principal.ts'
import type { SessionKey } from '../../stores/session-store.ts'
import type { Clock } from '../../util/clock.ts'
import type { LiveSession } from './live-session.ts'
import { LruList } from './lru-list.ts'

export interface LiveSessionsOptions {
  readonly clock: Clock
  readonly max: number
  /** Anonymous callers, who cannot be distinguished, have only `max`. */
  readonly maxPerPrincipal: number
  /** Closes a session that gives way to a new one. */
  readonly evict: (live: LiveSession) => void
}

/**
 * The sessions in this process, limited in number. They are found by principal and id together, so the
 * session of another principal is unknown.
 */
export class LiveSessions {
  readonly #options: LiveSessionsOptions
  readonly #principals = new Map<string, Map<string, LiveSession>>()
  #size = 0
  #reserved = 0
  readonly #reservedBy = new Map<string, number>()
  readonly #uninitialized = new LruList<LiveSession>()
  readonly #anonymous = new LruList<LiveSession>()
  readonly #identified = new LruList<LiveSession>()

  constructor(options: LiveSessionsOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#size
  }

  *[Symbol.iterator](): Iterator<LiveSession> {
    for (const own of this.#principals.values()) yield* own.values()
  }

  get({ principal, id }: SessionKey): LiveSession | undefined {
    return this.#principals.get(principal)?.get(id)
  }

  add(live: LiveSession): void {
    const { principal, id } = live.key
    const own = this.#principals.get(principal) ?? new Map<string, LiveSession>()
    this.#principals.set(principal, own.set(id, live))
    this.#size++
    this.rank(live)
  }

  /** False if the session is not here any more. */
  remove(live: LiveSession): boolean {
    const { principal, id } = live.key
    const own = this.#principals.get(principal)
    if (own?.get(id) !== live) return false
    own.delete(id)
    if (own.size === 0) this.#principals.delete(principal)
    live.list?.remove(live)
    this.#size--
    return true
  }

  clear(): void {
    this.#principals.clear()
    this.#size = 0
  }

  /** Adds a session to the list of its state, when it is new or initialized. */
  rank(live: LiveSession): void {
    const order = this.#orderOf(live)
    if (live.list === order) return
    live.list?.remove(live)
    order.add(live)
  }

  /** Reserves a place for a session that is about to open; false if there is none. `release` returns it. */
  reserve(principal: string): boolean {
    const { max, maxPerPrincipal } = this.#options
    const own = this.#principals.get(principal)
    const reserved = this.#reservedBy.get(principal) ?? 0
    const held = (own?.size ?? 0) + reserved
    if (principal !== ANONYMOUS && held >= maxPerPrincipal && !this.#evict(oldestIdleOf(own))) return false
    if (this.#size + this.#reserved >= max && !this.#evict(this.#dispensable(principal))) return false
    this.#reserved++
    this.#reservedBy.set(principal, reserved + 1)
    return true
  }

  release(principal: string): void {
    this.#reserved--
    const left = (this.#reservedBy.get(principal) ?? 1) - 1
    if (left === 0) this.#reservedBy.delete(principal)
    else this.#reservedBy.set(principal, left)
  }

  #evict(live: LiveSession | undefined): boolean {
    if (live !== undefined) this.#options.evict(live)
    return live !== undefined
  }

  /** The session that gives way to a new one. An anonymous caller cannot end the sessions of principals. */
  #dispensable(newcomer: string): LiveSession | undefined {
    const now = this.#options.clock.now()
    const idle = this.#uninitialized.oldestIdle(now) ?? this.#anonymous.oldestIdle(now)
    if (idle !== undefined || newcomer === ANONYMOUS) return idle
    return this.#anonymous.first ?? this.#identified.oldestIdle(now)
  }

  #orderOf({ key, session }: LiveSession): LruList<LiveSession> {
    if (!session.record.initialized) return this.#uninitialized
    return key.principal === ANONYMOUS ? this.#anonymous : this.#identified
  }
}

/** Checks all sessions of one principal: they are few. */
function oldestIdleOf(own: ReadonlyMap<string, LiveSession> | undefined): LiveSession | undefined {
  const idle = [...(own?.values() ?? [])].filter(({ active }) => !active)
  return idle.length === 0 ? undefined : idle.reduce((a, b) => (closesBefore(b, a) ? b : a))
}

/** Uninitialized sessions close first, then those that are idle longest. */
function closesBefore(a: LiveSession, b: LiveSession): boolean {
  const first = a.session.record.initialized
  return first === b.session.record.initialized ? a.lastSeen < b.lastSeen : !first
}
