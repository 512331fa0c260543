import { revisionOf } from '../protocol/revisions/index.ts'
import { ANONYMOUS } from '../runtime/auth.ts'
import { Session } from '../runtime/session.ts'
import type { SessionKey, SessionRecord, SessionStore } from '../runtime/session-store.ts'
import { Evictions } from './evictions.ts'
import { LiveSession } from './live-session.ts'
import type { Mount } from './mount.ts'
import { fromStore } from './store-failure.ts'
import { Recurring } from '../runtime/timers.ts'

/** How often idle sessions are looked for, in ms; a request meets an expired one at once. */
const MAX_SWEEP_MS = 15_000
const MIN_SWEEP_MS = 1_000
/** The part of its time to live after which a session in use is written to the store again. */
const REFRESH = 0.25
const NONE: ReadonlyMap<string, LiveSession> = new Map()

/**
 * The sessions of one mount. Found by principal and id together, so that another principal's session is as unknown as
 * one that never was.
 */
export class Sessions {
  readonly #mount: Mount
  readonly #store: SessionStore
  readonly #onFirst: () => void
  readonly #sweeper: Recurring
  readonly #principals = new Map<string, Map<string, LiveSession>>()
  #size = 0
  #reserved = 0
  readonly #reservedBy = new Map<string, number>()
  readonly #evictions = new Evictions()
  #closed = false

  /** `onFirst` is called when there is a first session to look after. */
  constructor(mount: Mount, store: SessionStore, onFirst: () => void) {
    this.#mount = mount
    this.#store = store
    this.#onFirst = onFirst
    const { ttlMs, uninitializedTtlMs } = mount.options.sessions
    const every = Math.min(Math.max(Math.min(ttlMs, uninitializedTtlMs) / 4, MIN_SWEEP_MS), MAX_SWEEP_MS)
    this.#sweeper = new Recurring(mount.runtime.clock, every, () => this.#sweep())
  }

  get size(): number {
    return this.#size
  }

  /**
   * The session, woken from its record if it lives elsewhere. Being found counts as being used.
   *
   * @throws StoreFailure
   */
  find(key: SessionKey): LiveSession | undefined | Promise<LiveSession | undefined> {
    const live = this.#principals.get(key.principal)?.get(key.id)
    if (live === undefined) return this.#wake(key)
    const now = this.#mount.runtime.clock.now()
    if (this.#expired(live, now)) {
      live.session.close()
      return undefined
    }
    live.lastSeen = now
    this.#refresh(live, now)
    return live
  }

  /** Sets a place aside for a session that is about to open; false if there is none. `release` gives it back. */
  reserve(principal: string): boolean {
    const { max, maxPerPrincipal } = this.#mount.options.sessions
    const own = this.#principals.get(principal)
    const reserved = this.#reservedBy.get(principal) ?? 0
    const held = (own?.size ?? 0) + reserved
    if (principal !== ANONYMOUS && held >= maxPerPrincipal && !this.#evict(own ?? NONE)) return false
    if (this.#size + this.#reserved >= max && !this.#evict(undefined)) return false
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

  /** Takes a new session in. A promise only where the store makes one. */
  open(session: Session): void | Promise<void> {
    const { uninitializedTtlMs } = this.#mount.options.sessions
    const stored = fromStore(() => this.#store.put(session.record, uninitializedTtlMs * (1 + REFRESH)))
    if (stored instanceof Promise) return stored.then(() => void this.#add(session))
    this.#add(session)
  }

  /** Closes what lives here. The records stay: another process may go on with them. */
  closeAll(): void {
    this.#closed = true
    const all = [...this.#all()]
    this.#principals.clear()
    this.#size = 0
    this.#sweeper.stop()
    for (const live of all) {
      live.closeStreams()
      live.session.close()
    }
  }

  /** Ends the streams that belong to no request: clients see that nothing more will come. */
  endStandalone(): void {
    for (const live of this.#all()) live.standalone?.close()
  }

  all(): Iterable<LiveSession> {
    return this.#all()
  }

  #add(session: Session): LiveSession | undefined {
    if (this.#closed) {
      session.close()
      return undefined
    }
    const live = new LiveSession(session, this.#mount.runtime.clock.now())
    const { principal, id } = live.key
    const own = this.#principals.get(principal) ?? new Map<string, LiveSession>()
    this.#principals.set(principal, own.set(id, live))
    this.#size++
    session.onClose(() => this.#remove(live))
    session.onRecord((record) => this.#save(live, record))
    this.#sweeper.start()
    this.#onFirst()
    return live
  }

  #remove(live: LiveSession): void {
    const { principal, id } = live.key
    const own = this.#principals.get(principal)
    if (own?.get(id) !== live) return
    own.delete(id)
    if (own.size === 0) this.#principals.delete(principal)
    if (--this.#size === 0) this.#sweeper.stop()
    live.closeStreams()
    live.forgotten = this.#background(() => this.#store.delete(live.key))
    void this.#background(() => this.#mount.events?.delete({ principal, session: id }))
  }

  #wake(key: SessionKey): LiveSession | undefined | Promise<LiveSession | undefined> {
    const record = fromStore(() => this.#store.get(key))
    return record instanceof Promise
      ? record.then((found) => this.#revive(key, found))
      : this.#revive(key, record)
  }

  #revive(key: SessionKey, record: SessionRecord | undefined): LiveSession | undefined {
    // Two requests may have asked the store at the same time.
    const before = this.#principals.get(key.principal)?.get(key.id)
    if (before !== undefined || record === undefined) return before
    const revision = revisionOf(record.revision)
    if (revision === undefined || !this.#mount.served.includes(revision)) return undefined
    if (!this.reserve(key.principal)) return undefined
    this.release(key.principal)
    return this.#add(new Session(this.#mount.runtime, record, revision))
  }

  #ttl({ session }: LiveSession): number {
    const { ttlMs, uninitializedTtlMs } = this.#mount.options.sessions
    return session.record.initialized ? ttlMs : uninitializedTtlMs
  }

  #expired(live: LiveSession, now: number): boolean {
    return now - live.lastSeen > this.#ttl(live) && !live.active
  }

  #sweep(): void {
    const now = this.#mount.runtime.clock.now()
    for (const live of this.#all()) {
      if (live.active) live.lastSeen = now
      if (this.#expired(live, now)) live.session.close()
      else if (live.lastSeen === now) this.#refresh(live, now)
    }
  }

  /** Tells the store that the session lives: not at every request, so its time there is longer by that much. */
  #refresh(live: LiveSession, now: number): void {
    if (now - live.lastTouched <= this.#ttl(live) * REFRESH) return
    live.lastTouched = now
    void this.#background(() => this.#store.touch(live.key, this.#ttl(live) * (1 + REFRESH)))
  }

  #save(live: LiveSession, record: SessionRecord): void {
    live.lastTouched = this.#mount.runtime.clock.now()
    void this.#background(() => this.#store.put(record, this.#ttl(live) * (1 + REFRESH)))
  }

  #evict(own: ReadonlyMap<string, LiveSession> | undefined): boolean {
    const evictions = own === undefined ? this.#evictions : new Evictions()
    const idle = evictions.next(() => own?.values() ?? this.#all())
    idle?.session.close()
    return idle !== undefined
  }

  *#all(): Iterable<LiveSession> {
    for (const own of this.#principals.values()) yield* own.values()
  }

  /** What a request does not wait for. A store that fails is logged; the session goes on. */
  #background(step: () => unknown): Promise<unknown> | undefined {
    const failed = (error: unknown): void =>
      this.#mount.logger.error({ err: error }, 'A session store failed')
    try {
      const done = step()
      if (done instanceof Promise) return done.catch(failed)
    } catch (error) {
      failed(error)
    }
    return undefined
  }
}
