import type { EncodedAnswer } from '../../call/response.ts'
import type { EventStore, StreamKey, StreamOrigin } from '../../stores/event-store.ts'
import type { SessionKey } from '../../stores/session-store.ts'
import type { ChangeRecord, CloseCause, Session, SessionKeeper } from '../../session/session.ts'
import type { Awaitable } from '../../util/promises.ts'
import { randomToken } from '../../util/random.ts'
import type { EndpointContext } from '../mount.ts'
import { type EventStream, PlainStream } from '../streams/plain-stream.ts'
import { replay, ResumableStream } from '../streams/resumable-stream.ts'
import type { EventId } from '../streams/sse-format.ts'
import type { StreamReader } from '../streams/sse-writer.ts'
import { storedStream, wholeStream } from '../streams/whole-stream.ts'
import type { ServedServer } from '../served-server.ts'
import type { HttpReply } from '../types.ts'
import type { Ranked, LruList } from './lru-list.ts'
import type { SharedRecord } from './shared-record.ts'

/** Characters, of six random bits each. */
const STREAM_TOKEN_LENGTH = 12
const LOCAL = ''

/** What the sessions of a mount share. */
export interface SessionHome {
  readonly context: EndpointContext
  /** Undefined if nothing can be resumed. */
  readonly events: EventStore | undefined
  readonly changed: (live: LiveSession) => void
  readonly remove: (live: LiveSession, cause: CloseCause) => void
}

export interface LiveParts {
  readonly server: ServedServer
  readonly shared: SharedRecord | undefined
}

/** A session in this process, with its streams. */
export class LiveSession implements Ranked<LiveSession>, SessionKeeper {
  readonly session: Session
  readonly server: ServedServer
  /** When a request last belonged to it. */
  lastSeen: number
  /** Undefined if no other process can continue the session. */
  readonly shared: SharedRecord | undefined
  /** Settles when the store has deleted the session; undefined before, or if the store is synchronous. */
  forgotten: Promise<unknown> | undefined
  /** The stream of GET, for messages outside of any request. */
  standalone: EventStream | undefined
  list: LruList<LiveSession> | undefined
  previous: LiveSession | undefined
  next: LiveSession | undefined
  readonly #home: SessionHome
  #streams: Map<string, ResumableStream> | undefined

  constructor(home: SessionHome, session: Session, { server, shared }: LiveParts) {
    this.#home = home
    this.server = server
    this.session = session
    this.shared = shared
    this.lastSeen = home.context.clock.now()
  }

  get key(): SessionKey {
    const { principal, id } = this.session.record
    return { principal, id }
  }

  recordChanged(change: ChangeRecord): Awaitable<void> {
    this.#home.changed(this)
    return this.shared?.save(change)
  }

  sessionClosed(cause: CloseCause): void {
    this.#home.remove(this, cause)
    this.server.removeSession(this.session)
  }

  /** Has a running call or a connected stream. */
  get active(): boolean {
    if (this.session.inFlight > 0 || this.standalone?.connected === true) return true
    for (const stream of this.#streams?.values() ?? []) if (stream.connected) return true
    return false
  }

  get resumable(): boolean {
    return this.#home.events !== undefined
  }

  /** The reply with a response as a stream that is complete. */
  answer(answer: EncodedAnswer): Awaitable<HttpReply> {
    const { context, events } = this.#home
    if (events === undefined || this.session.closed) return wholeStream(answer)
    const { logger, options, random } = context
    return storedStream(answer, {
      store: events,
      key: this.#keyOf(randomToken(STREAM_TOKEN_LENGTH, random)),
      node: LOCAL,
      primes: this.session.revision.primesStreams,
      retry: options.retryMs,
      logger,
    })
  }

  openStream(kind: StreamOrigin['kind'], pending: StreamOrigin['pending']): EventStream {
    const { server, session } = this
    const { context, events } = this.#home
    if (events === undefined) return new PlainStream(context, server, session.id)
    const token = randomToken(STREAM_TOKEN_LENGTH, context.random)
    const stream = new ResumableStream(context, {
      server,
      log: { store: events, key: this.#keyOf(token) },
      origin: { node: LOCAL, kind, pending },
      primes: session.revision.primesStreams,
      onEnd: () => this.#streams?.delete(token),
    })
    this.#streams ??= new Map()
    this.#streams.set(token, stream)
    return stream
  }

  /** Opens the stream for messages outside of any request. It replaces the one before. */
  listen(reader: StreamReader): HttpReply {
    this.standalone?.close()
    const stream = this.openStream('session', [])
    this.standalone = stream
    this.session.attach(stream)
    return stream.connect(reader)
  }

  /** The reply that continues a stream after an event; undefined if the event is unknown. */
  async resume(from: EventId, reader: StreamReader): Promise<HttpReply | undefined> {
    const stream = this.#streams?.get(from.stream)
    if (stream !== undefined) return stream.resume(from, reader)
    const { context, events } = this.#home
    if (events === undefined) return undefined
    const log = { store: events, key: this.#keyOf(from.stream) }
    return replay(context, this.server, { log, from, reader })
  }

  /** Ends the standalone stream. The streams of calls end with the answers of their calls. */
  closeStreams(): void {
    this.standalone?.close()
    for (const stream of this.#streams?.values() ?? []) stream.forget()
  }

  #keyOf(stream: string): StreamKey {
    return { principal: this.session.record.principal, session: this.session.id, stream }
  }
}
