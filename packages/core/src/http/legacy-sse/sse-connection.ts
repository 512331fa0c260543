import { initialize } from '../../session/initialize.ts'
import type { Session } from '../../session/session.ts'
import type { SessionKey, StoredSession } from '../../stores/session-store.ts'
import { Outstanding } from '../../util/outstanding.ts'
import type { Deadline, Due } from '../../util/timers.ts'
import type { EndpointContext } from '../mount.ts'
import type { LinkMail, SseMail } from '../nodes/session-mail.ts'
import { SseArrivals } from '../nodes/sse-arrivals.ts'
import { SseHome } from '../nodes/sse-home.ts'
import type { SseRecords } from '../nodes/sse-records.ts'
import { refuse } from '../refusals.ts'
import type { ServedServer } from '../served-server.ts'
import type { SessionTable } from '../sessions/session-table.ts'
import { createSseWriter } from '../streams/create-writer.ts'
import { formatEvent, messageEvent } from '../streams/sse-format.ts'
import { emitOverflow, type SseWriter, type StreamReader } from '../streams/sse-writer.ts'
import type { HttpReply, Reply } from '../types.ts'
import { type Posted, SseConversation, type SseInitialize, type SseOpening } from './sse-conversation.ts'

/** Results of the largest size that may wait here when other nodes have sent them. */
const RESULTS = 4

export interface SseConnectionOptions {
  readonly context: EndpointContext
  readonly sessions: SessionTable
  readonly id: string
  readonly principal: string
  readonly server: ServedServer
  /** Undefined if other nodes take no messages for this connection. */
  readonly records: SseRecords | undefined
  /** Called once, when the connection has ended. */
  readonly onClose: (connection: SseConnection) => void
}

/**
 * One client of the HTTP+SSE transport: an event stream for all messages of the server, and the session that
 * `initialize` opens on it. The stream and the session end together.
 *
 * @see https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */
export class SseConnection implements Due {
  deadline: Deadline | undefined
  readonly id: string
  readonly principal: string
  readonly server: ServedServer
  readonly #options: SseConnectionOptions
  readonly #writer: SseWriter
  readonly #conversation: SseConversation
  readonly #unanswered: Outstanding
  readonly #arrivals: SseArrivals | undefined
  /** The record before `initialize`; undefined without other nodes. */
  #draft: StoredSession | undefined
  /** Undefined before `initialize`, and without other nodes. */
  #home: SseHome | undefined
  #closed = false

  constructor(options: SseConnectionOptions) {
    const { context, id, principal, server, records } = options
    this.#options = options
    this.id = id
    this.principal = principal
    this.server = server
    const writer = createSseWriter(context, {
      overflow: 'drop',
      server,
      principal,
      sessionId: id,
      onExpired: () => this.close(),
      onDisconnect: () => this.close(),
    })
    this.#writer = writer
    this.#unanswered = new Outstanding(context.clock)
    this.#conversation = new SseConversation({
      context,
      server,
      id,
      outlet: {
        get waitingBytes() {
          return writer.waitingBytes
        },
        send: (frame) => {
          writer.write(messageEvent(frame))
          return writer.pressure()
        },
        respond: (frame) => writer.writeAlways(messageEvent(frame)),
      },
      unanswered: this.#unanswered,
      open: (request) => this.#open(request),
      onFailure: () => this.close(),
    })
    if (records !== undefined) this.#arrivals = this.#createArrivals(records)
  }

  get closed(): boolean {
    return this.#closed
  }

  /** Makes the connection known to the other nodes, if there are any. */
  async publish(): Promise<void> {
    this.#draft = await this.#options.records?.create(this.#key)
    // The mount may have closed meanwhile.
    if (this.#closed) this.#options.records?.end(this.#key)
  }

  /** The reply that carries the stream. Its first event has the address for messages. */
  connect(address: string, reader: StreamReader): HttpReply {
    this.#writer.writeAlways(formatEvent({ event: 'endpoint', data: address }))
    return this.#writer.reply(reader)
  }

  /** A message had new credentials: a client that renews them keeps its stream. */
  renew(expiresAt: number | undefined): void {
    this.#writer.expiresAt = expiresAt
  }

  /** The time to initialize a session is over. */
  due(): void {
    if (this.#conversation.session === undefined) this.close()
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    const { session } = this.#conversation
    if (session !== undefined) {
      session.close()
      this.server.removeSession(session)
    }
    this.#options.onClose(this)
    // The session has ended its calls: their answers are the last events.
    void this.#unanswered.flushed().then(() => this.#writer.end())
  }

  /** Takes a message that the client has posted. Responses follow on the stream. */
  receive(value: unknown, posted: Posted): Reply {
    const checking = this.#check()
    const receive = (): Reply =>
      // The connection may have closed while the body was read.
      this.#closed ? refuse('noConnection') : this.#conversation.receive(value, posted)
    return checking === undefined ? receive() : checking.then(receive)
  }

  /** Takes mail of another node about the session. */
  receiveMail(from: string, mail: LinkMail): void {
    if (this.#home !== undefined) this.#home.link.receive(from, mail)
    else if (mail.kind === 'ended') this.close()
  }

  /** Takes mail of another node about the stream. */
  receiveSseMail(from: string, mail: SseMail): void {
    if (this.#closed) return
    if (mail.kind === 'frames') this.#arrivals?.receive(from, mail)
    else if (mail.kind === 'renewed') this.renew(mail.expiresAt)
    else if (mail.kind === 'opened') this.#continue(mail)
  }

  /** Renews the record in the store when it is time, and ends the connection if it was deleted. */
  keepAlive(now: number): void {
    const { context } = this.#options
    const { record } = this.#home ?? {}
    if (record?.isRenewalDue(now) !== true) return
    this.#verify(record).catch((err: unknown) => context.logger.error({ err }, 'A session store failed'))
  }

  get #key(): SessionKey {
    const { principal, id } = this
    return { principal, id }
  }

  /** Checks for changes by other nodes. Undefined if that was done a moment ago. */
  #check(): Promise<void> | undefined {
    const { context, records } = this.#options
    if (records === undefined || this.#closed) return undefined
    if (this.#home === undefined) return this.#readRecord(records)
    const { record } = this.#home
    return record.mustVerify(context.clock.now()) ? this.#verify(record) : undefined
  }

  /** Another node may have answered `initialize`, and its mail may come later than this request. */
  async #readRecord(records: SseRecords): Promise<void> {
    const stored = await records.read(this.#key)
    if (stored === undefined) this.close()
    else if (stored.record.revision !== '') this.#continue(stored)
  }

  async #verify(record: SseHome['record']): Promise<void> {
    if (!(await record.verify())) this.close()
  }

  async #open(request: SseInitialize): Promise<SseOpening> {
    const { server, principal, id } = this
    const { records } = this.#options
    if (records !== undefined) return this.#openShared(request, records)
    const { session, frame } = await initialize(server.runtime, { ...request, principal, id })
    if (this.#closed) {
      session?.close()
      return refuse('noConnection')
    }
    if (session !== undefined) this.#begin(session, { resumed: false })
    return { session, frame }
  }

  async #openShared(request: SseInitialize, records: SseRecords): Promise<SseOpening> {
    const opening = this.#draft && (await records.open(this.server, request, this.#draft))
    if (this.#closed) {
      // The record may have been completed after it was deleted.
      records.end(this.#key)
      return refuse('noConnection')
    }
    if (opening === undefined) return refuse('busy', { id: request.message.id })
    const { frame, opened } = opening
    if (opened !== undefined) this.#beginShared(opened.session, { version: opened.version, resumed: false })
    return { frame, session: opened?.session }
  }

  /** Continues a session that another node has opened. */
  #continue(stored: StoredSession): void {
    const { records } = this.#options
    if (records === undefined || this.#closed || this.#conversation.session !== undefined) return
    const session = records.sessionOf(stored, this.server)
    if (session === undefined) this.close()
    else this.#beginShared(session, { version: stored.version, resumed: true })
  }

  #beginShared(
    session: Session,
    { version, resumed }: { readonly version: string; readonly resumed: boolean },
  ): void {
    const { records } = this.#options
    if (records === undefined || this.#conversation.session !== undefined) return
    this.#home = new SseHome({
      session,
      server: this.server,
      record: records.keep(session, version),
      network: records.network,
      notify: (frame) => void this.#writer.notify(messageEvent(frame)),
      forget: () => this.close(),
    })
    this.#begin(session, { resumed })
  }

  #begin(session: Session, how: { readonly resumed: boolean }): void {
    this.#conversation.session = session
    session.attach({
      send: (frame) => void this.#writer.notify(messageEvent(frame)),
      ping: (frame) => {
        if (this.#closed) return false
        this.#writer.write(messageEvent(frame))
        return true
      },
    })
    session.onClose(() => this.close())
    this.#options.sessions.start(session, this.server, how)
  }

  #createArrivals({ network }: SseRecords): SseArrivals {
    const { server, id } = this
    const { outboundLimit } = this.#options.context.options
    return new SseArrivals({
      peers: network.peers,
      key: this.#key,
      writer: this.#writer,
      limit: RESULTS * Math.max(outboundLimit, server.runtime.maxResultBytes),
      onOverflow: (bytes) => {
        emitOverflow(server, { action: 'cut', bytes, sessionId: id })
        this.close()
        this.#writer.cut()
      },
    })
  }
}
