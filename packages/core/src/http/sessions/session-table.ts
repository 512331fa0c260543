import type { Caller } from '../../call/scope.ts'
import { revisionOf } from '../../protocol/revisions/index.ts'
import {
  answerInitialize,
  type InitializeInput,
  type InitializeResult,
  type SessionDraft,
} from '../../session/initialize.ts'
import type { CloseCause } from '../../session/session-keeper.ts'
import { Session } from '../../session/session.ts'
import type { EventStore } from '../../stores/event-store.ts'
import { ANONYMOUS, principalOf } from '../../stores/principal.ts'
import type { SessionKey, SessionRecord, SessionStore } from '../../stores/session-store.ts'
import { LinkedList } from '../../util/linked-list.ts'
import { attempt, type Awaitable } from '../../util/promises.ts'
import { Recurring } from '../../util/timers.ts'
import type { EndpointContext } from '../context.ts'
import type { SessionNetwork } from './session-network.ts'
import type { ServedServer } from '../servers/served-server.ts'
import { Deletions } from '../streams/deletions.ts'
import { fromStore } from '../streams/store-failure.ts'
import type { HttpRequest } from '../types.ts'
import { LiveSession, type SessionHome } from './live-session.ts'
import type { Pings } from './pings.ts'
import type { PlainIds, SealedIds } from './session-ids.ts'
import { SharedRecord, type SharedRecords, storedMs } from './shared-record.ts'

/**
 * The maximum interval between checks for idle sessions, in ms. A request for an expired session closes that
 * session immediately.
 */
const MAX_SWEEP_MS = 15_000
const MIN_SWEEP_MS = 1_000

type Found = LiveSession | undefined

interface Opening {
  readonly resumed: boolean
  /** The version of the session's record in the store; undefined if there is no store. */
  readonly version?: string | undefined
}

interface SessionTableParts {
  /** Undefined if other processes cannot continue sessions, so that this table contains all sessions. */
  readonly store: SessionStore | undefined
  /** Undefined if there are no other nodes. */
  readonly network: SessionNetwork | undefined
  /** Undefined if streams cannot be resumed. */
  readonly events: EventStore | undefined
  readonly plain: PlainIds
  readonly sealed: SealedIds | undefined
  /** Closes the sessions of clients that do not respond. Undefined unless `keepAlive.mode` is `ping`. */
  readonly pings: Pings | undefined
}

/**
 * Contains the sessions of one mount: a limited number in this process, and those that can be restored from a
 * store or from their ids. Sessions are looked up by both principal and id, so another principal's session is
 * unknown.
 */
export class SessionTable implements SessionHome {
  readonly context: EndpointContext
  readonly events: EventStore | undefined
  readonly network: SessionNetwork | undefined
  readonly deletions: Deletions
  readonly #parts: SessionTableParts
  /** Undefined if there is no store. */
  readonly #shared: SharedRecords | undefined
  readonly #sweeper: Recurring
  readonly #live = new Map<string, Map<string, LiveSession>>()
  #size = 0
  /** The number of slots reserved for sessions that are about to open, and for HTTP+SSE connections. */
  #reserved = 0
  readonly #reservedBy = new Map<string, number>()
  /** The uninitialized sessions, least recently used first. */
  readonly #uninitialized = new LinkedList<LiveSession>()
  readonly #anonymous = new LinkedList<LiveSession>()
  readonly #identified = new LinkedList<LiveSession>()
  #closed = false

  constructor(context: EndpointContext, parts: SessionTableParts) {
    const { clock, logger, options } = context
    const { ttlMs, uninitializedTtlMs, verifyMs } = options.sessions
    const { store } = parts
    this.context = context
    this.events = parts.events
    this.network = parts.network
    this.deletions = new Deletions(clock, logger)
    this.#parts = parts
    if (store !== undefined)
      this.#shared = { store, clock, logger, verifyMs, ttlMs: (record) => this.#ttlMs(record) }
    const sweepMs = Math.max(Math.min(ttlMs, uninitializedTtlMs) / 4, MIN_SWEEP_MS)
    this.#sweeper = new Recurring(clock, Math.min(sweepMs, MAX_SWEEP_MS), () => this.#sweep())
  }

  /**
   * Finds a session, and restores it from its record if it is not in this process. Finding a session counts as
   * using it.
   *
   * @throws StoreFailure
   */
  find(request: HttpRequest, caller: Caller, id: string): Awaitable<Found> {
    const principal = principalOf(caller)
    const live = this.#live.get(principal)?.get(id)
    if (live === undefined) return this.#restore({ principal, id }, request, caller)
    const { clock, servers } = this.context
    servers.assign(request, live.server)
    const now = clock.now()
    const { shared } = live
    if (shared === undefined) {
      if (now - live.lastSeen > this.#ttlMs(live.session.record) && !live.active) {
        live.session.close()
        return undefined
      }
    } else if (shared.mustVerify(now)) return shared.verify().then((known) => this.#verified(live, known))
    live.lastSeen = now
    if (live.list?.last !== live) moveToEnd(live)
    return live
  }

  /** Returns the session if it is in this process. */
  live({ principal, id }: SessionKey): Found {
    return this.#live.get(principal)?.get(id)
  }

  /**
   * Handles an `initialize` request, and adds the resulting session. Returns undefined if no slot is free.
   *
   * @throws StoreFailure
   */
  async open(
    server: ServedServer,
    input: Omit<InitializeInput, 'id'>,
  ): Promise<InitializeResult | undefined> {
    const { principal } = input
    if (!this.reserve(principal)) return undefined
    const { plain, sealed, store } = this.#parts
    const id = (draft: SessionDraft): Awaitable<string> =>
      sealed === undefined ? plain.create() : sealed.seal(draft).then((made) => made ?? plain.create())
    try {
      const { runtime } = server
      const result = await answerInitialize(runtime, { ...input, id, server: runtime.info.name })
      if (result.error !== undefined) return result
      const { record } = result
      let version: string | undefined
      if (store !== undefined) {
        const ttlMs = storedMs(this.#ttlMs(record))
        const { max, maxPerPrincipal } = this.context.options.sessions
        await this.#joined()
        const most = principal === ANONYMOUS ? max : maxPerPrincipal
        version = await fromStore(() => store.create(record, { ttlMs, maxPerPrincipal: most }))
      }
      this.#add(new Session(server.runtime, record, result.revision), server, { resumed: false, version })
      return result
    } finally {
      this.release(principal)
    }
  }

  /**
   * Reserves a slot for a session that is about to open. Returns false if no slot is free. `release` frees
   * the slot again.
   *
   * @param most - the maximum number of slots that anonymous callers may have reserved
   */
  reserve(principal: string, most: number = Infinity): boolean {
    const { max, maxPerPrincipal } = this.context.options.sessions
    const own = this.#live.get(principal)
    const reserved = this.#reservedBy.get(principal) ?? 0
    const held = (own?.size ?? 0) + reserved
    if (principal === ANONYMOUS && reserved >= most) return false
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

  /** Starts a session's pings and events, on either transport. */
  start(session: Session, server: ServedServer, how: { readonly resumed: boolean }): void {
    this.#parts.pings?.add(session)
    server.addSession(session)
    session.emitEvents(how)
  }

  /** Moves a session to the list that matches its state, after the session has been opened or initialized. */
  changed(live: LiveSession): void {
    const { initialized, principal } = live.session.record
    const identified = principal === ANONYMOUS ? this.#anonymous : this.#identified
    const list = initialized ? identified : this.#uninitialized
    if (live.list === list) return
    live.list?.remove(live)
    list.add(live)
  }

  /** Closes a session in this process, after another process has ended it and deleted its records. */
  forget(live: LiveSession): void {
    if (!this.#detach(live)) return
    live.closeStreams()
    live.session.close()
  }

  /** Removes a session that has closed. */
  remove(live: LiveSession, cause: CloseCause): void {
    if (!this.#detach(live)) return
    if (cause === 'released') {
      live.releaseStreams()
      return
    }
    live.closeStreams()
    live.link?.end()
    const { store } = this.#parts
    const { events } = this
    const { principal, id } = live.session.record
    const deleted = store && this.deletions.run(() => store.delete({ principal, id }))
    if (deleted instanceof Promise) live.forgotten = deleted
    if (events !== undefined) void this.deletions.run(() => events.delete({ principal, session: id }))
  }

  /** Ends the GET streams, so that clients know that no more messages will follow. */
  endStandalone(): void {
    for (const live of this.#all()) live.endStandalone()
  }

  /**
   * Closes all sessions in this process. Their records remain, because another process may continue the
   * sessions.
   */
  closeAll(): void {
    this.#closed = true
    const all = [...this.#all()]
    this.#live.clear()
    this.#size = 0
    this.#sweeper.stop()
    for (const live of all) {
      live.releaseStreams()
      live.session.close(this.#idleCause)
    }
  }

  /** Leaves the other nodes. Must be called after all streams have ended. */
  leave(): Promise<void> | undefined {
    this.deletions.close()
    return this.network?.peers.close()
  }

  *#all(): Iterable<LiveSession> {
    for (const own of this.#live.values()) yield* own.values()
  }

  /** Returns how long a session may be idle, in ms. */
  #ttlMs({ initialized }: SessionRecord): number {
    const { ttlMs, uninitializedTtlMs } = this.context.options.sessions
    return initialized ? ttlMs : uninitializedTtlMs
  }

  /**
   * The cause reported when an idle session is closed: `ended` if there is no store from which another
   * process could continue the session.
   */
  get #idleCause(): CloseCause {
    return this.#shared === undefined ? 'ended' : 'released'
  }

  /** Announces this node to the others before its id appears in a record. */
  #joined(): Awaitable<void> {
    return fromStore(() => this.network?.peers.ready())
  }

  async #restore(key: SessionKey, request: HttpRequest, caller: Caller): Promise<Found> {
    const { servers } = this.context
    const { plain, sealed, store } = this.#parts
    await this.#joined()
    const stored = await fromStore(() => store?.get(key))
    const record = stored?.record ?? (await sealed?.open(key))
    if (record === undefined) {
      const live = this.live(key)
      // Without a store or sealed ids, processes do not share sessions, so an id from another process is a
      // configuration error.
      if (live === undefined && sealed === undefined && store === undefined) plain.unknown(key.id)
      return live
    }
    const server = await servers.choose(request, caller)
    if (server === undefined) return undefined
    servers.assign(request, server)
    // Another request may have restored the session at the same time.
    const resume = (): Found => this.live(key) ?? this.#resume(record, server, stored?.version)
    return servers.during(server, resume)
  }

  #resume(record: SessionRecord, server: ServedServer, version: string | undefined): Found {
    const { sealed } = this.#parts
    const { principal, id } = record
    const revision = revisionOf(record.revision)
    if (revision === undefined || !server.served.includes(revision)) return undefined
    // The session belongs to another server that uses the same shared stores.
    if (record.server !== undefined && record.server !== server.runtime.info.name) return undefined
    // The session may have ended while its server was being selected.
    if (sealed?.ended(id) === true || !this.reserve(principal)) return undefined
    this.release(principal)
    const live = this.#add(new Session(server.runtime, record, revision), server, { resumed: true, version })
    live?.session.onClose(() => sealed?.end(id))
    return live
  }

  #add(session: Session, server: ServedServer, how: Opening): Found {
    if (this.#closed) {
      session.close('released')
      return undefined
    }
    const shared =
      this.#shared && how.version !== undefined
        ? new SharedRecord(this.#shared, session, how.version)
        : undefined
    const live = new LiveSession(this, session, server, shared)
    session.keeper = live
    const { principal, id } = session.record
    const own = this.#live.get(principal) ?? new Map<string, LiveSession>()
    this.#live.set(principal, own.set(id, live))
    this.#size++
    this.changed(live)
    this.#sweeper.start()
    this.start(session, server, how)
    return live
  }

  /** Returns false if the session is no longer in the table. */
  #detach(live: LiveSession): boolean {
    const { principal, id } = live.session.record
    const own = this.#live.get(principal)
    if (own?.get(id) !== live) return false
    own.delete(id)
    if (own.size === 0) this.#live.delete(principal)
    live.list?.remove(live)
    this.#size--
    if (this.#size === 0) this.#sweeper.stop()
    return true
  }

  /** Handles the result of rereading a session's record. */
  #verified(live: LiveSession, known: boolean): Found {
    if (live.session.closed) return this.live(live.key)
    if (!known) {
      this.forget(live)
      return undefined
    }
    live.lastSeen = this.context.clock.now()
    moveToEnd(live)
    this.changed(live)
    return live
  }

  /**
   * Closes idle sessions, and renews the records of sessions in use, because their clients might not send a
   * request for a long time.
   */
  #sweep(): void {
    const { clock, logger } = this.context
    const now = clock.now()
    // An error here would terminate the process, because this runs in a timer.
    const failed = (err: unknown): void => logger.error({ err }, 'A session store failed')
    for (const live of this.#all()) void attempt(() => this.#sweepOne(live, now), failed)
  }

  #sweepOne(live: LiveSession, now: number): Awaitable<unknown> {
    const { shared, session } = live
    if (!live.active) return now - live.lastSeen > this.#ttlMs(session.record) && this.#evict(live)
    live.lastSeen = now
    moveToEnd(live)
    return shared?.isRenewalDue(now) && shared.verify().then((known) => this.#verified(live, known))
  }

  /** Closes an idle session. Returns false if `live` is undefined. */
  #evict(live: Found): boolean {
    live?.session.close(this.#idleCause)
    return live !== undefined
  }

  /**
   * Returns the session that a new session may replace. An anonymous caller cannot end the sessions of
   * authenticated clients.
   */
  #dispensable(newcomer: string): Found {
    const now = this.context.clock.now()
    const idle = oldestIdle(this.#uninitialized, now) ?? oldestIdle(this.#anonymous, now)
    if (idle !== undefined || newcomer === ANONYMOUS) return idle
    return this.#anonymous.first ?? oldestIdle(this.#identified, now)
  }
}

function moveToEnd(live: LiveSession): void {
  const { list } = live
  list?.remove(live)
  list?.add(live)
}

/**
 * Returns the session that has been idle longest. Active sessions found on the way are moved to the end of
 * the list.
 */
function oldestIdle(list: LinkedList<LiveSession>, now: number): Found {
  const { last } = list
  for (let live = list.first; live !== undefined;) {
    if (!live.active) return live
    if (live === last) return undefined
    const { next } = live
    live.lastSeen = now
    moveToEnd(live)
    live = next
  }
  return undefined
}

/** Returns the principal's session that has been idle longest. Uninitialized sessions come first. */
function oldestIdleOf(own: ReadonlyMap<string, LiveSession> | undefined): Found {
  let oldest: Found
  for (const live of own?.values() ?? []) {
    if (live.active) continue
    const { initialized } = live.session.record
    const than = oldest?.session.record.initialized
    const before = initialized === than ? live.lastSeen < (oldest?.lastSeen ?? 0) : !initialized
    if (oldest === undefined || before) oldest = live
  }
  return oldest
}
