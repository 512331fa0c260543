import type { EventStore, StreamKey } from '../../stores/event-store.ts'
import type { SessionKey } from '../../stores/session-store.ts'
import type { Session } from '../../session/session.ts'
import { randomToken } from '../../util/random.ts'
import type { EndpointContext } from '../mount.ts'
import { type EventStream, PlainStream } from '../streams/plain-stream.ts'
import { replay, ResumableStream } from '../streams/resumable-stream.ts'
import type { EventId } from '../streams/sse-format.ts'
import type { StreamReader } from '../streams/sse-writer.ts'
import type { ServedServer } from '../served-server.ts'
import type { HttpReply } from '../types.ts'
import type { Ranked, LruList } from './lru-list.ts'

/** Characters, of six random bits each. */
const STREAM_TOKEN_LENGTH = 12

/** A session in this process, with its streams. */
export class LiveSession implements Ranked<LiveSession> {
  readonly session: Session
  readonly key: SessionKey
  readonly server: ServedServer
  /** When a request last belonged to it. */
  lastSeen: number
  /** When it was last refreshed in the store. */
  lastTouched: number
  /** Settles when the store has deleted the session; undefined before, or if the store is synchronous. */
  forgotten: Promise<unknown> | undefined
  /** The stream of GET, for messages outside of any request. */
  standalone: EventStream | undefined
  order: LruList<LiveSession> | undefined
  older: LiveSession | undefined
  newer: LiveSession | undefined
  readonly #context: EndpointContext
  readonly #events: EventStore | undefined
  #streams: Map<string, ResumableStream> | undefined

  /** @param events - undefined if nothing can be resumed */
  constructor(
    context: EndpointContext,
    session: Session,
    server: ServedServer,
    events: EventStore | undefined,
  ) {
    this.#context = context
    this.#events = events
    this.server = server
    this.session = session
    this.key = { principal: session.record.principal, id: session.id }
    this.lastSeen = context.clock.now()
    this.lastTouched = this.lastSeen
  }

  /** Has a running call or a connected stream. */
  get active(): boolean {
    if (this.session.inFlight > 0) return true
    for (const stream of this.#streams?.values() ?? []) if (stream.connected) return true
    return false
  }

  get resumable(): boolean {
    return this.#events !== undefined
  }

  openStream(): EventStream {
    const { server, session } = this
    if (this.#events === undefined) return new PlainStream(this.#context, server, session.id)
    const token = randomToken(STREAM_TOKEN_LENGTH, this.#context.random)
    const stream = new ResumableStream(this.#context, {
      server,
      log: { store: this.#events, key: this.#keyOf(token) },
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
    const stream = this.openStream()
    this.standalone = stream
    this.session.attach(stream)
    return stream.connect(reader)
  }

  /** The reply that continues a stream after an event; undefined if the event is unknown. */
  async resume(from: EventId, reader: StreamReader): Promise<HttpReply | undefined> {
    const stream = this.#streams?.get(from.stream)
    if (stream !== undefined) return stream.resume(from, reader)
    if (this.#events === undefined) return undefined
    const log = { store: this.#events, key: this.#keyOf(from.stream) }
    return replay(this.#context, this.server, { log, from, reader })
  }

  /** Ends the standalone stream. The streams of calls end with the answers of their calls. */
  closeStreams(): void {
    this.standalone?.close()
    for (const stream of this.#streams?.values() ?? []) stream.forget()
  }

  #keyOf(stream: string): StreamKey {
    return { principal: this.key.principal, session: this.key.id, stream }
  }
}
