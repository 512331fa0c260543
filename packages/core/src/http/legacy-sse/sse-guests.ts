import { classify } from '../../protocol/jsonrpc.ts'
import { principalOf } from '../../stores/principal.ts'
import type { SessionKey, StoredSession } from '../../stores/session-store.ts'
import { utf8Length } from '../../util/bytes.ts'
import { Outstanding } from '../../util/outstanding.ts'
import { chain } from '../../util/promises.ts'
import type { EndpointContext } from '../mount.ts'
import { RemoteSse } from '../nodes/remote-sse.ts'
import type { SseMail } from '../nodes/session-mail.ts'
import type { SseRecords } from '../nodes/sse-records.ts'
import { refuse } from '../refusals.ts'
import type { ServedServer } from '../served-server.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { SessionTable } from '../sessions/session-table.ts'
import { fromStore } from '../streams/store-failure.ts'
import { emitOverflow } from '../streams/sse-writer.ts'
import type { HttpReply, Reply } from '../types.ts'
import { type Posted, SseConversation, type SseInitialize, type SseOpening } from './sse-conversation.ts'

/** A session whose stream another node writes. */
interface Guest {
  readonly outlet: RemoteSse
  readonly conversation: SseConversation
  /** When the node of the stream was last known to run. */
  checkedAt: number
  /** The expiry of credentials that the node of the stream has got from here. */
  expiresAt: number | undefined
}

/** Serves messages of HTTP+SSE clients whose streams other nodes write. */
export class SseGuests {
  readonly #context: EndpointContext
  readonly #sessions: SessionTable
  readonly #records: SseRecords
  readonly #guests = new WeakMap<LiveSession, Guest>()
  readonly #unanswered: Outstanding

  constructor(context: EndpointContext, sessions: SessionTable, records: SseRecords) {
    this.#context = context
    this.#sessions = sessions
    this.#records = records
    this.#unanswered = new Outstanding(context.clock)
  }

  /**
   * Takes a message for a stream that is not written here.
   *
   * @throws StoreFailure
   */
  async receive(id: string, value: unknown, posted: Posted): Promise<HttpReply> {
    const { request, caller } = posted
    const key = { principal: principalOf(caller), id }
    if (this.#sessions.live(key) === undefined) {
      const stored = await this.#records.read(key)
      if (stored === undefined) return refuse('noConnection')
      if (stored.record.revision === '') return this.#begin(stored, value, posted)
    }
    const live = await this.#sessions.find(request, caller, id, 'sse')
    // A session that this node cannot serve is unknown here too.
    return live === undefined ? refuse('noConnection') : this.#continue(live, value, posted)
  }

  /** The client of a session reads its stream. */
  receiveSseMail(key: SessionKey, mail: SseMail): void {
    const live = this.#sessions.live(key)
    const guest = live && this.#guests.get(live)
    if (mail.kind === 'read' && guest?.outlet.id === mail.outlet) guest.outlet.read(mail.units)
  }

  /** Resolves when the answers of all calls are sent, or after 1 s. */
  flushed(): Promise<void> {
    return this.#unanswered.flushed()
  }

  async #continue(live: LiveSession, value: unknown, posted: Posted): Promise<HttpReply> {
    const { clock, options } = this.#context
    const guest = this.#guests.get(live) ?? this.#create(live)
    const { conversation, outlet } = guest
    if (clock.now() - guest.checkedAt >= options.sessions.verifyMs) {
      if (!(await this.#isWritten(outlet.node))) live.session.close()
      guest.checkedAt = clock.now()
    }
    this.#renew(live, guest, posted)
    if (conversation.crowded && isAsking(value)) await outlet.catchUp()
    return live.session.closed ? refuse('noConnection') : conversation.receive(value, posted)
  }

  /** A message before `initialize`, or `initialize`. */
  async #begin(draft: StoredSession, value: unknown, posted: Posted): Promise<HttpReply> {
    const { principal, id, stream: { node } = { node: '' } } = draft.record
    const key = { principal, id }
    if (!(await this.#isWritten(node))) {
      this.#records.end(key)
      return refuse('noConnection')
    }
    return this.#context.servers.serve(posted, (server): Reply => {
      const outlet = this.#outletTo(node, { key, server })
      const open = (initialize: SseInitialize): Promise<SseOpening> =>
        this.#open(draft, initialize, { server, outlet, conversation })
      const conversation = this.#converse(outlet, { server, id, open })
      return chain(conversation.receive(value, posted), async (reply) => {
        await outlet.flushed()
        return reply
      })
    })
  }

  async #open(
    draft: StoredSession,
    request: SseInitialize,
    {
      server,
      outlet,
      conversation,
    }: Pick<Guest, 'outlet' | 'conversation'> & { readonly server: ServedServer },
  ): Promise<SseOpening> {
    const { principal, id } = draft.record
    if (!this.#sessions.reserve(principal)) return refuse('tooManySessions', { id: request.message.id })
    try {
      const opening = await this.#records.open(server, request, draft)
      if (opening === undefined) return refuse('busy', { id: request.message.id })
      const { frame, opened } = opening
      if (opened === undefined) return { frame, session: undefined }
      const { session, version } = opened
      const mail = { kind: 'opened', record: session.record, version } as const
      // Before the response, so that its node informs the client of every change after it.
      const known = await this.#records.network.peers.sendSurely(outlet.node, { principal, id }, mail)
      const live = known ? this.#sessions.add(session, server, version) : undefined
      if (live === undefined) {
        this.#records.end({ principal, id })
        return refuse('noConnection')
      }
      conversation.session = session
      this.#keep(live, { outlet, conversation })
      return { frame, session }
    } finally {
      this.#sessions.release(principal)
    }
  }

  /** The guest of a session that was woken from its record. */
  #create(live: LiveSession): Guest {
    const { server, session, key } = live
    const node = session.record.stream?.node ?? ''
    const outlet = this.#outletTo(node, { key, server })
    const open = async (): Promise<SseOpening> => refuse('initializedAlready')
    const conversation = this.#converse(outlet, { server, id: session.id, open })
    conversation.session = session
    return this.#keep(live, { outlet, conversation })
  }

  #keep(live: LiveSession, { outlet, conversation }: Pick<Guest, 'outlet' | 'conversation'>): Guest {
    const guest: Guest = { outlet, conversation, checkedAt: -Infinity, expiresAt: undefined }
    this.#guests.set(live, guest)
    live.session.onClose((cause) => {
      // The calls of a session that this node alone does not keep have answers yet.
      if (cause === 'ended') outlet.close()
    })
    return guest
  }

  #outletTo(
    node: string,
    { key, server }: { readonly key: SessionKey; readonly server: ServedServer },
  ): RemoteSse {
    return new RemoteSse({
      peers: this.#records.network.peers,
      key,
      node,
      outboundLimit: this.#context.options.outboundLimit,
      onOverflow: (frame) =>
        emitOverflow(server, { action: 'drop', bytes: utf8Length(frame), sessionId: key.id }),
      onLost: () => this.#lost(key),
    })
  }

  #converse(
    outlet: RemoteSse,
    {
      server,
      id,
      open,
    }: {
      readonly server: ServedServer
      readonly id: string
      readonly open: (request: SseInitialize) => Promise<SseOpening>
    },
  ): SseConversation {
    return new SseConversation({
      context: this.#context,
      server,
      id,
      outlet,
      unanswered: this.#unanswered,
      open,
      onFailure: () => outlet.close(),
    })
  }

  /** A client that renews its credentials keeps its stream. */
  #renew({ key }: LiveSession, guest: Guest, { caller: { auth } }: Posted): void {
    const expiresAt = auth?.expiresAt
    if (expiresAt === guest.expiresAt) return
    guest.expiresAt = expiresAt
    const mail = { kind: 'renewed', ...(expiresAt !== undefined && { expiresAt }) } as const
    void this.#records.network.peers.send(guest.outlet.node, key, mail)
  }

  /** The session ends, because the node of its stream does not get what the client has to read. */
  #lost(key: SessionKey): void {
    const live = this.#sessions.live(key)
    if (live === undefined) this.#records.end(key)
    else live.session.close()
  }

  /** Whether the node of a stream runs. This one has no such connection any more. */
  async #isWritten(node: string): Promise<boolean> {
    const { peers } = this.#records.network
    if (node === peers.id || node === '') return false
    const [alive] = await fromStore(() => peers.alive([node]))
    return alive === true
  }
}

/** Responses and cancellations never wait. */
const isAsking = (value: unknown): boolean => Array.isArray(value) || classify(value).kind === 'request'
