import type { EncodedAnswer } from '../../call/response.ts'
import type { RequestId } from '../../protocol/jsonrpc.ts'
import type { EventStore, SeizedStream, StreamKey, StreamOrigin } from '../../stores/event-store.ts'
import type { SessionKey } from '../../stores/session-store.ts'
import type { ChangeRecord, CloseCause, SessionKeeper } from '../../session/session-keeper.ts'
import type { Session } from '../../session/session.ts'
import type { Linked, LinkedList } from '../../util/linked-list.ts'
import type { Awaitable } from '../../util/promises.ts'
import { randomToken } from '../../util/random.ts'
import type { EndpointContext } from '../context.ts'
import type { YieldMail } from '../nodes/session-mail.ts'
import { SessionLink } from './session-link.ts'
import type { SessionNetwork } from './session-network.ts'
import { type EventStream, PlainStream } from '../streams/plain-stream.ts'
import type { Deletions } from '../streams/deletions.ts'
import { replay } from '../streams/replay.ts'
import { ResumableStream } from '../streams/resumable-stream.ts'
import type { EventId } from '../streams/sse-format.ts'
import type { StreamReader } from '../streams/sse-writer.ts'
import { fromStore } from '../streams/store-failure.ts'
import { storedStream, wholeStream } from '../streams/whole-stream.ts'
import type { ServedServer } from '../servers/served-server.ts'
import type { HttpReply } from '../types.ts'
import type { SharedRecord } from './shared-record.ts'

/** The length of a stream's name, in characters of six random bits each. */
const STREAM_TOKEN_LENGTH = 12
/** The node id if there is only one node. */
const ONLY_NODE = ''

/** The state and stores that the sessions of a mount share. */
export interface SessionHome {
  readonly context: EndpointContext
  /** Undefined if streams cannot be resumed. */
  readonly events: EventStore | undefined
  readonly deletions: Deletions
  /** Undefined if there are no other nodes. */
  readonly network: SessionNetwork | undefined
  changed(live: LiveSession): void
  /** Ends a session in this process, because another process has ended it. */
  forget(live: LiveSession): void
  remove(live: LiveSession, cause: CloseCause): void
}

/** A session in this process, together with its streams. */
export class LiveSession implements Linked<LiveSession>, SessionKeeper {
  readonly session: Session
  readonly server: ServedServer
  /** When the session's last request was received. */
  lastSeen: number
  /** Undefined if no other process can continue the session. */
  readonly shared: SharedRecord | undefined
  /**
   * Settles when the store has deleted the session. Undefined before the deletion starts, and if the store is
   * synchronous.
   */
  forgotten: Promise<unknown> | undefined
  /** The GET stream, for messages that do not belong to a request. */
  standalone: EventStream | undefined
  /** Undefined if there are no other nodes. */
  readonly link: SessionLink | undefined
  /** The id of this node; undefined if there are no other nodes. */
  readonly node: string | undefined
  /** The name of the {@link standalone} stream; undefined if that stream cannot be resumed. */
  #standaloneToken: string | undefined
  list: LinkedList<LiveSession> | undefined
  previous: LiveSession | undefined
  next: LiveSession | undefined
  readonly #home: SessionHome
  #streams: Map<string, ResumableStream> | undefined

  constructor(home: SessionHome, session: Session, server: ServedServer, shared: SharedRecord | undefined) {
    this.#home = home
    this.server = server
    this.session = session
    this.shared = shared
    this.lastSeen = home.context.clock.now()
    if (shared === undefined || home.network === undefined) return
    this.link = new SessionLink(this, shared, home.network)
    this.node = this.link.node
    session.attach(this.link.channel)
  }

  get key(): SessionKey {
    const { principal, id } = this.session.record
    return { principal, id }
  }

  recordChanged(change: ChangeRecord): Awaitable<void> {
    this.#home.changed(this)
    return this.link === undefined ? this.shared?.save(change) : this.link.save(change)
  }

  /** Ends the session in this process, because another process has ended it. */
  forget(): void {
    this.#home.forget(this)
  }

  sessionClosed(cause: CloseCause): void {
    this.#home.remove(this, cause)
    this.server.removeSession(this.session)
  }

  /** Whether the session has a running call or a connected stream. */
  get active(): boolean {
    if (this.session.inFlight > 0 || this.standalone?.connected === true) return true
    if (this.link?.isFollowing === true) return true
    for (const stream of this.#streams?.values() ?? []) if (stream.connected) return true
    return false
  }

  get resumable(): boolean {
    return this.#home.events !== undefined
  }

  /** Returns an HTTP reply whose body is a complete event stream with the response. */
  answer(answer: EncodedAnswer): Awaitable<HttpReply> {
    const { context, events, deletions } = this.#home
    if (events === undefined || this.session.closed) return wholeStream(answer)
    const { clock, logger, options, random } = context
    return storedStream(answer, {
      store: events,
      key: this.#keyOf(randomToken(STREAM_TOKEN_LENGTH, random)),
      node: this.node ?? ONLY_NODE,
      primes: this.session.revision.primesStreams,
      retry: options.retryMs,
      clock,
      logger,
      deletions,
    })
  }

  /** Opens a call's stream, on which the call's responses will be sent. */
  openCallStream(pending: readonly RequestId[]): EventStream {
    const { context, events } = this.#home
    if (events === undefined) return this.#plainStream()
    const begin = { node: this.node ?? ONLY_NODE, kind: 'call', pending } as const
    return this.#write(events, randomToken(STREAM_TOKEN_LENGTH, context.random), begin)
  }

  /** Opens the GET stream. It replaces the previous one. */
  listen(reader: StreamReader): Awaitable<HttpReply> {
    const { context, events } = this.#home
    const token = events && randomToken(STREAM_TOKEN_LENGTH, context.random)
    const begin = { node: this.node ?? ONLY_NODE, kind: 'session', pending: [] } as const
    const stream = events && token !== undefined ? this.#write(events, token, begin) : this.#plainStream()
    this.#setStandalone(stream, token)
    const reply = stream.connect(reader)
    return this.link === undefined ? reply : this.link.took(token).then(() => reply)
  }

  /** Continues the GET stream that another node has written until now. */
  continueStream(token: string, seized: SeizedStream): ResumableStream {
    const { events } = this.#home
    if (events === undefined) throw new TypeError('A stream without an event store cannot be continued')
    const stream = this.#write(events, token, seized)
    this.#setStandalone(stream, token)
    return stream
  }

  /** Stops writing the GET stream, because another node has taken it over. */
  yieldStream({ kind, stream, fence = Infinity }: YieldMail): void {
    const { standalone } = this
    if (standalone === undefined || stream !== this.#standaloneToken) return
    // The message is out of date, because this node took over the stream after the sender did.
    if (fence < (this.#streams?.get(stream ?? '')?.lease.fence ?? 0)) return
    if (kind === 'seized') standalone.release()
    else standalone.close()
    this.#forgetStandalone()
  }

  /** Returns the reply that continues a stream after an event, or undefined if the event is unknown. */
  async resume(from: EventId, reader: StreamReader): Promise<HttpReply | undefined> {
    const stream = this.#streams?.get(from.stream)
    const reply = await stream?.resume(from, reader)
    if (stream !== undefined && reply !== 'seized') return reply
    const { context, events } = this.#home
    if (events === undefined) return undefined
    const log = { store: events, key: this.#keyOf(from.stream) }
    const state = await fromStore(() => events.read(log.key, from, this.node))
    if (state === undefined) return undefined
    if (this.link !== undefined && !state.ended) return this.link.resume({ log, from, state, reader })
    return replay(context, this.server, { from, reader, events: state.events, key: log.key })
  }

  /** Ends the streams of an ended session. A call's stream ends with the call's response. */
  closeStreams(): void {
    this.standalone?.close()
    for (const stream of this.#streams?.values() ?? []) stream.forget()
    this.link?.close()
  }

  /** Lets other nodes, if there are any, continue the streams. */
  releaseStreams(): void {
    this.endStandalone()
    this.link?.close()
  }

  /** Ends the GET stream. Another node may continue it. */
  endStandalone(): void {
    if (this.link === undefined) this.standalone?.close()
    else this.standalone?.release()
  }

  #plainStream(): PlainStream {
    const { server, session } = this
    return new PlainStream(this.#home.context, { server, sessionId: session.record.id })
  }

  #write(store: EventStore, token: string, begin: StreamOrigin | SeizedStream): ResumableStream {
    const { server, session } = this
    const { context, deletions } = this.#home
    const stream = new ResumableStream(context, {
      server,
      deletions,
      log: { store, key: this.#keyOf(token) },
      node: this.node ?? ONLY_NODE,
      begin,
      primes: session.revision.primesStreams,
      owner: this,
    })
    this.#streams ??= new Map()
    this.#streams.set(token, stream)
    return stream
  }

  #setStandalone(stream: EventStream, token: string | undefined): void {
    this.standalone?.close()
    this.standalone = stream
    this.#standaloneToken = token
    this.session.attach(stream)
  }

  #forgetStandalone(): void {
    const { standalone } = this
    if (standalone === undefined) return
    this.standalone = undefined
    this.#standaloneToken = undefined
    if (this.link === undefined) this.session.detach(standalone)
    else this.session.attach(this.link.channel)
  }

  streamEnded(stream: ResumableStream): void {
    if (this.#streams?.get(stream.token) === stream) this.#streams.delete(stream.token)
  }

  streamFollowed(stream: ResumableStream, node: string): void {
    this.link?.followed(node, stream.token)
  }

  streamFenced(stream: ResumableStream, frame: string): void {
    // The calls of a stream that was taken over have already received error responses.
    if (stream.kind === 'call' || this.link === undefined) return
    if (stream === this.standalone) this.#forgetStandalone()
    const { logger } = this.#home.context
    const failed = (err: unknown): void =>
      logger.error({ err }, 'A frame was not sent to the node of its stream')
    this.link.fenced(frame).catch(failed)
  }

  #keyOf(stream: string): StreamKey {
    const { principal, id: session } = this.session.record
    return { principal, session, stream }
  }
}
