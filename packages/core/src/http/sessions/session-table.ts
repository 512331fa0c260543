import { revisionOf } from '../../protocol/revisions/index.ts'
import { ANONYMOUS, principalOf } from '../../stores/principal.ts'
import type { EventStore } from '../../stores/event-store.ts'
import {
  answerInitialize,
  type InitializeInput,
  type InitializeResult,
  type SessionDraft,
} from '../../session/initialize.ts'
import type { Caller } from '../../call/scope.ts'
import type { CloseCause } from '../../session/session-keeper.ts'
import { Session } from '../../session/session.ts'
import type { SessionKey, SessionRecord, SessionStore } from '../../stores/session-store.ts'
import { attempt, type Awaitable } from '../../util/promises.ts'
import { LiveSession, type SessionHome } from './live-session.ts'
import type { EndpointContext } from '../mount.ts'
import type { Pings } from './pings.ts'
import type { PlainIds } from './plain-ids.ts'
import type { SealedIds } from './sealed-ids.ts'
import type { SessionNetwork } from '../nodes/session-link.ts'
import { Deletions } from '../streams/deletions.ts'
import { fromStore } from '../streams/store-failure.ts'
import type { ServedServer } from '../served-server.ts'
import type { HttpRequest } from '../types.ts'
import { LiveSessions } from './live-sessions.ts'
import { lifetimeMs, SessionExpiry } from './session-expiry.ts'
import { SharedRecord, type SharedRecords, storedMs } from './shared-record.ts'

const NEW: Opening = { resumed: false }

type Found = LiveSession | undefined

interface Opening {
  readonly resumed: boolean
  /** Of its record in the store; undefined without a store. */
  readonly version?: string | undefined
}

interface Restoring {
  readonly request: HttpRequest
  readonly caller: Caller
}

export interface SessionTableParts {
  /** Undefined if no other process can continue a session: then this table has all of them. */
  readonly store: SessionStore | undefined
  /** Undefined without other nodes. */
  readonly network: SessionNetwork | undefined
  /** Undefined where nothing can be resumed. */
  readonly events: EventStore | undefined
  readonly plain: PlainIds
  readonly sealed: SealedIds | undefined
  /**
   * Whether no other process can have the sessions of this one, so that an id of
   * another process is a mistake.
   */
  readonly unshared: boolean
  /** Closes the sessions of clients that do not respond; undefined unless `keepAlive.mode` is `ping`. */
  readonly pings: Pings | undefined
}

/** The sessions of one mount: those in this process, and those that a store or their id can restore. */
export class SessionTable {
  readonly #context: EndpointContext
  readonly #parts: SessionTableParts
  readonly #home: SessionHome
  readonly #deletions: Deletions
  /** Undefined without a store. */
  readonly #shared: SharedRecords | undefined
  readonly #expiry: SessionExpiry
  readonly #live: LiveSessions
  #closed = false

  constructor(context: EndpointContext, parts: SessionTableParts) {
    this.#context = context
    this.#parts = parts
    this.#deletions = new Deletions(context.clock, context.logger)
    this.#home = {
      context,
      deletions: this.#deletions,
      events: parts.events,
      network: parts.network,
      forget: (live) => this.#forget(live),
      changed: (live) => this.#live.rank(live),
      remove: (live, cause) => this.#remove(live, cause),
    }
    const { sessions: lifetimes } = context.options
    const { max, maxPerPrincipal, verifyMs } = lifetimes
    const evict = ({ session }: LiveSession): void => session.close(this.#idleCause)
    this.#live = new LiveSessions({ clock: context.clock, max, maxPerPrincipal, evict })
    const { store } = parts
    if (store !== undefined) {
      const { clock, logger } = context
      this.#shared = { store, clock, logger, verifyMs, ttlMs: (record) => lifetimeMs(record, lifetimes) }
    }
    this.#expiry = new SessionExpiry(this.#live, {
      clock: context.clock,
      lifetimes,
      onExpired: evict,
      onRenewalDue: (live) => void this.#renew(live),
    })
  }

  get events(): EventStore | undefined {
    return this.#parts.events
  }

  /** The records that other processes read too; undefined without a store. */
  get records(): SharedRecords | undefined {
    return this.#shared
  }

  get network(): SessionNetwork | undefined {
    return this.#parts.network
  }

  /**
   * The session, restored from its record if it is not in this process. A found session counts as used.
   *
   * @throws StoreFailure
   */
  find(request: HttpRequest, caller: Caller, id: string): Awaitable<Found> {
    const key = { principal: principalOf(caller), id }
    const live = this.#live.get(key)
    if (live === undefined) return this.#restore(key, { request, caller })
    this.#context.servers.assign(request, live.server)
    const now = this.#context.clock.now()
    const { shared } = live
    if (shared?.mustVerify(now) === true) return shared.verify().then((known) => this.#verified(live, known))
    if (shared === undefined && this.#expiry.isExpired(live)) {
      live.session.close()
      return undefined
    }
    live.list?.use(live, now)
    return live
  }

  /** Reserves a place for a session that is about to open; false if there is none. `release` returns it. */
  reserve(principal: string): boolean {
    return this.#live.reserve(principal)
  }

  release(principal: string): void {
    this.#live.release(principal)
  }

  /**
   * Answers an `initialize`, and adds the session that it opens. Undefined if there is no place for it.
   *
   * @throws StoreFailure
   */
  async open(
    server: ServedServer,
    input: Omit<InitializeInput, 'id'>,
  ): Promise<InitializeResult | undefined> {
    const { principal } = input
    if (!this.reserve(principal)) return undefined
    try {
      const id = (draft: SessionDraft): Awaitable<string> => this.#name(draft)
      const result = await answerInitialize(server.runtime, { ...input, id })
      if (result.error !== undefined) return result
      const { revision } = result
      const record = { ...result.record, server: server.runtime.info.name }
      const version = await this.create(record)
      this.add(new Session(server.runtime, record, revision), server, version)
      return result
    } finally {
      this.release(principal)
    }
  }

  /**
   * Stores a new record, and resolves to its version; undefined without a store.
   *
   * @throws StoreFailure
   */
  async create(record: SessionRecord): Promise<string | undefined> {
    await this.#joined()
    return fromStore(() => this.#create(record))
  }

  /** Deletes a record, now or when the store is back. Settles after the first try. */
  delete(key: SessionKey): void | Promise<void> {
    return this.#deletions.run(() => this.#parts.store?.delete(key))
  }

  /** Adds a session that has begun now, with the version of its record in the store. */
  add(session: Session, server: ServedServer, version: string | undefined): Found {
    return this.#add(session, server, { resumed: false, version })
  }

  /** The session, if it is in this process. */
  live(key: SessionKey): Found {
    return this.#live.get(key)
  }

  /** Starts what a session needs on either transport. */
  start(session: Session, server: ServedServer, how: Opening = NEW): void {
    this.#parts.pings?.add(session)
    server.addSession(session)
    session.emitEvents(how)
  }

  /** Closes all sessions here. Their records stay: another process may continue them. */
  closeAll(): void {
    this.#closed = true
    const all = [...this.#live]
    this.#live.clear()
    this.#expiry.stop()
    for (const live of all) {
      live.releaseStreams()
      live.session.close(this.#idleCause)
    }
  }

  /** Leaves the other nodes. Must follow the end of all streams. */
  leave(): Promise<void> | undefined {
    const { network } = this.#parts
    this.#deletions.close()
    return network?.peers.close()
  }

  /** Ends the standalone streams, so that clients know that nothing more will come. */
  endStandalone(): void {
    for (const live of this.#live) live.endStandalone()
  }

  #name(draft: SessionDraft): Awaitable<string> {
    const { plain, sealed } = this.#parts
    if (sealed === undefined) return plain.create()
    return sealed.seal(draft).then((id) => id ?? plain.create())
  }

  #add(session: Session, server: ServedServer, how: Opening): LiveSession | undefined {
    if (this.#closed) {
      session.close('released')
      return undefined
    }
    const shared =
      this.#shared && how.version !== undefined
        ? new SharedRecord(this.#shared, session, how.version)
        : undefined
    const live = new LiveSession(this.#home, session, { server, shared })
    session.keeper = live
    this.#live.add(live)
    this.#expiry.start()
    this.start(session, server, how)
    return live
  }

  /** Without a store no other process can continue a session. */
  get #idleCause(): CloseCause {
    return this.#shared === undefined ? 'ended' : 'released'
  }

  #remove(live: LiveSession, cause: CloseCause): void {
    if (!this.#detach(live)) return
    if (cause === 'released') {
      live.releaseStreams()
      return
    }
    live.closeStreams()
    live.link?.end()
    const { principal, id: session } = live.key
    const { events } = this.#parts
    const deleted = this.delete(live.key)
    if (deleted instanceof Promise) live.forgotten = deleted
    void this.#deletions.run(() => events?.delete({ principal, session }))
  }

  /** False if the session is not in the table any more. */
  #detach(live: LiveSession): boolean {
    if (!this.#live.remove(live)) return false
    if (this.#live.size === 0) this.#expiry.stop()
    return true
  }

  /** Takes the result of reading a session's record again. */
  #verified(live: LiveSession, known: boolean): Found {
    if (live.session.closed) return this.#live.get(live.key)
    if (known) {
      live.list?.use(live, this.#context.clock.now())
      this.#live.rank(live)
      return live
    }
    this.#forget(live)
    return undefined
  }

  /** Closes a session that another process has ended. */
  #forget(live: LiveSession): void {
    if (!this.#detach(live)) return
    live.closeStreams()
    live.session.close()
  }

  /** Other nodes must see this one before they see its id. */
  #joined(): Awaitable<void> {
    return fromStore(() => this.#parts.network?.peers.ready())
  }

  #create(record: SessionRecord): Awaitable<string | undefined> {
    const { sessions } = this.#context.options
    const ttlMs = storedMs(lifetimeMs(record, sessions))
    const anonymous = record.principal === ANONYMOUS
    return this.#parts.store?.create(
      record,
      anonymous ? { ttlMs } : { ttlMs, maxPerPrincipal: sessions.maxPerPrincipal },
    )
  }

  async #restore(key: SessionKey, { request, caller }: Restoring): Promise<Found> {
    const { servers } = this.#context
    await this.#joined()
    const stored = await fromStore(() => this.#parts.store?.get(key))
    const record = stored?.record ?? (await this.#parts.sealed?.open(key))
    if (record === undefined) return this.#live.get(key) ?? this.#unknown(key)
    const opening = { resumed: true, version: stored?.version }
    const server = await servers.choose(request, caller)
    // Two requests may have asked at the same time.
    if (server === undefined) return undefined
    servers.assign(request, server)
    return servers.during(server, () => this.#live.get(key) ?? this.#resume(record, server, opening))
  }

  #unknown({ id }: SessionKey): undefined {
    if (this.#parts.unshared) this.#parts.plain.unknown(id)
  }

  #resume(record: SessionRecord, server: ServedServer, opening: Opening): Found {
    const { principal, id } = record
    const revision = revisionOf(record.revision)
    if (revision === undefined || !server.served.includes(revision)) return undefined
    // Another server, with the same shared stores.
    if (record.server !== undefined && record.server !== server.runtime.info.name) return undefined
    // It may have ended while its server was chosen.
    if (this.#parts.sealed?.ended(id) === true || !this.reserve(principal)) return undefined
    this.release(principal)
    const live = this.#add(new Session(server.runtime, record, revision), server, opening)
    live?.session.onClose(() => this.#parts.sealed?.end(id))
    return live
  }

  /** For a session with an open stream, whose client may send no request for long. */
  #renew(live: LiveSession): unknown {
    return this.#background(() => live.shared?.verify().then((known) => void this.#verified(live, known)))
  }

  /** A step that no request waits for. If the store fails, the error is logged and the session continues. */
  #background(step: () => unknown): Promise<unknown> | undefined {
    const done = attempt(step, (err) => this.#context.logger.error({ err }, 'A session store failed'))
    return done instanceof Promise ? done : undefined
  }
}
