import { nodeOfRequest } from '../../call/input/pending-requests.ts'
import type { JsonRpcResponse, RequestId } from '../../protocol/jsonrpc.ts'
import type { ChangeRecord, OtherNodes, SessionChannel } from '../../session/session-keeper.ts'
import type { Session } from '../../session/session.ts'
import type { SeizedStream, StreamState } from '../../stores/event-store.ts'
import type { SessionKey, SessionRecord } from '../../stores/session-store.ts'
import type { ServedServer } from '../servers/served-server.ts'
import type { SessionMail, YieldMail } from '../nodes/session-mail.ts'
import { replay } from '../streams/replay.ts'
import type { ResumableStream, StreamLog } from '../streams/resumable-stream.ts'
import type { EventId } from '../streams/sse-format.ts'
import type { StreamReader } from '../streams/sse-writer.ts'
import { fromStore, StoreFailure } from '../streams/store-failure.ts'
import type { Awaitable } from '../../util/promises.ts'
import type { HttpReply } from '../types.ts'
import { endOrphan, FollowedStream, type SessionNetwork } from './session-network.ts'
import type { SharedRecord } from './shared-record.ts'

/** A stream that a client resumes on this node, but that another node writes. */
interface ElsewhereStream {
  readonly log: StreamLog
  readonly from: EventId
  readonly state: StreamState
  readonly reader: StreamReader
}

/** A session in this process. */
interface LinkedSession {
  readonly session: Session
  readonly key: SessionKey
  readonly server: ServedServer
  /** The GET stream, if this node writes it. */
  readonly standalone: { send(frame: string): void | Promise<void> } | undefined
  /** Ends the session in this process, because another process has ended it. */
  forget(): void
  /** Stops writing the GET stream, because another node has taken it over. */
  yieldStream(mail: YieldMail): void
  /** Starts writing the GET stream in place of another node. */
  continueStream(token: string, seized: SeizedStream): ResumableStream
}

/** Connects one session to the other nodes that serve it. */
export class SessionLink implements OtherNodes {
  /** Sends frames to the node that writes the GET stream. */
  readonly channel: SessionChannel
  readonly #live: LinkedSession
  readonly #record: SharedRecord
  readonly #network: SessionNetwork
  /** Streams of calls that run on other nodes, but whose clients are connected to this node. */
  #following: Map<string, FollowedStream> | undefined

  constructor(live: LinkedSession, record: SharedRecord, network: SessionNetwork) {
    this.#live = live
    this.#record = record
    this.#network = network
    this.channel = { remote: true, send: (frame) => this.sendElsewhere({ kind: 'frame', frame }) }
  }

  get node(): string {
    return this.#network.peers.id
  }

  get isFollowing(): boolean {
    for (const stream of this.#following?.values() ?? []) if (stream.connected) return true
    return false
  }

  /**
   * Stores a change to the record, and informs the other nodes, because the client's next request may arrive at
   * any of them.
   */
  async save(change: ChangeRecord): Promise<void> {
    await this.#record.save(change)
    // Other nodes need not know immediately that the session is initialized. This change occurs once in every
    // session.
    if (change(this.#live.session.record).initialized === true) return
    await this.#network.peers.broadcast(this.#live.key, { kind: 'changed' })
  }

  /** Sends a message to the node that writes the GET stream, unless that is this node. */
  async sendElsewhere(mail: SessionMail): Promise<void> {
    const { stream } = this.#live.session.record
    if (stream !== undefined && stream.node !== this.node)
      await this.#network.peers.send(stream.node, this.#live.key, mail)
  }

  /** Informs the other nodes that the session has ended. */
  end(): void {
    void this.#network.peers.broadcast(this.#live.key, { kind: 'ended' })
  }

  answerElsewhere(response: JsonRpcResponse): false | Promise<true> {
    const node = nodeOfRequest(response.id)
    if (node === undefined || node === this.node) return false
    return arrived(this.#network.peers.sendSurely(node, this.#live.key, { kind: 'answer', response }))
  }

  /** Sends a cancellation to the other nodes. Each of them ends the call that has this id. */
  cancelElsewhere(id: RequestId): Promise<true> {
    return arrived(this.#network.peers.broadcast(this.#live.key, { kind: 'cancel', id }))
  }

  receive(mail: SessionMail): void {
    const { session } = this.#live
    switch (mail.kind) {
      case 'ended':
        return this.#live.forget()
      case 'changed':
        return session.holdChanges(this.#record.refresh())
      case 'frame':
        return void this.#live.standalone?.send(mail.frame)
      case 'yield':
      case 'seized':
        return this.#live.yieldStream(mail)
      case 'appended':
        return this.#following?.get(mail.stream)?.readOn()
      case 'answer':
        return void session.response(mail.response)
      case 'cancel':
        return session.cancel(mail.id)
    }
  }

  /**
   * Informs the other nodes that this node now writes the GET stream, so that its previous node ends the
   * connection. That node may have been paused, killed or disconnected for some time, so all lists and
   * subscribed resources count as changed. Its lease does not show this, because a lease expires only seconds
   * later.
   *
   * @param fence - undefined for a new stream, which this node has not taken over
   * @returns false if another node has taken over the stream since then
   */
  async took(token: string | undefined, fence?: number): Promise<boolean> {
    const own = { node: this.node, token, ...(fence !== undefined && { fence }) }
    let before: SessionRecord['stream']
    let isLost = false
    await this.#live.session.update(({ stream }) => {
      isLost = fence !== undefined && stream?.token === token && (stream?.fence ?? 0) > fence
      if (stream?.token !== token || stream?.node !== this.node) before = stream
      return isLost ? {} : { stream: own }
    })
    if (isLost) return false
    const other = before?.node === this.node ? undefined : before
    const kind = fence === undefined ? 'yield' : 'seized'
    if (other !== undefined || kind === 'seized') this.#live.session.onChange({ kind: 'gap' })
    if (other !== undefined)
      await this.#network.peers.send(other.node, this.#live.key, { kind, stream: other.token, fence })
    return true
  }

  /** Forwards a frame that could not be written because another node has taken over the GET stream. */
  async fenced(frame: string): Promise<void> {
    await this.#record.verify()
    await this.sendElsewhere({ kind: 'frame', frame })
  }

  followed(node: string, stream: string): void {
    void this.#network.peers.send(node, this.#live.key, { kind: 'appended', stream })
  }

  /** @throws StoreFailure */
  async resume(elsewhere: ElsewhereStream): Promise<HttpReply | undefined> {
    const { state } = elsewhere
    if (state.kind === 'session') return this.#resumeSession(elsewhere)
    return (await this.#isAlive(state.node)) ? this.#follow(elsewhere) : this.#resumeOrphan(elsewhere)
  }

  close(): void {
    for (const stream of this.#following?.values() ?? []) stream.close()
  }

  async #isAlive(node: string): Promise<boolean> {
    // The store names this node as the writer, but this node does not write the stream. The stream was therefore
    // abandoned.
    if (node === this.node) return false
    const [alive] = await fromStore(() => this.#network.peers.alive([node]))
    return alive === true
  }

  /** Continues the GET stream on this node. */
  async #resumeSession({ log, from, reader }: ElsewhereStream): Promise<HttpReply | undefined> {
    const seized = await fromStore(() => log.store.seize(log.key, from.epoch, this.node))
    if (seized === undefined) return undefined
    const { stream: token } = from
    const { fence } = seized.lease
    const reply = await this.#live.continueStream(token, seized).resume(from, reader)
    if (reply !== 'seized' && (await this.took(token, fence))) return reply
    // The client is resuming the stream on two nodes at the same time.
    this.#live.yieldStream({ kind: 'seized', stream: token, fence })
    throw new StoreFailure('Another node has seized the stream')
  }

  async #resumeOrphan({ log, from, reader }: ElsewhereStream): Promise<HttpReply | undefined> {
    const { server, session } = this.#live
    const { epoch } = from
    const { key } = log
    await endOrphan(log, { epoch, node: this.node, revision: session.revision })
    const state = await fromStore(() => log.store.read(key, from))
    if (state === undefined) return undefined
    return replay(this.#network.context, server, { from, reader, events: state.events, key })
  }

  #follow({ log, from, state, reader }: ElsewhereStream): HttpReply {
    const { server, session } = this.#live
    const { stream: token } = from
    const following = (this.#following ??= new Map())
    following.get(token)?.close()
    const stream: FollowedStream = new FollowedStream(
      this.#network,
      {
        log,
        server,
        revision: session.revision,
        onEnd: () => {
          if (following.get(token) === stream) following.delete(token)
        },
      },
      { from, state },
    )
    following.set(token, stream)
    // An event may have been added after the stream was read.
    stream.readOn()
    return stream.reply(reader)
  }
}

/** @throws StoreFailure if the message may not arrive */
async function arrived(sent: Awaitable<boolean>): Promise<true> {
  if (await sent) return true
  throw new StoreFailure('The other node may not have received a message')
}
