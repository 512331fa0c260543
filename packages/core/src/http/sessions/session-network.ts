import { ErrorCode, McpError } from '../../errors.ts'
import { errorFrame, type RequestId } from '../../protocol/jsonrpc.ts'
import type { Revision } from '../../protocol/revisions/revision.ts'
import type { StoredEvent, StreamState } from '../../stores/event-store.ts'
import { Recurring } from '../../util/timers.ts'
import type { EndpointContext } from '../context.ts'
import type { ServedServer } from '../servers/served-server.ts'
import type { StreamLog } from '../streams/resumable-stream.ts'
import { type EventId, formatEvent, formatEventId } from '../streams/sse-format.ts'
import { createSseWriter, type SseWriter, type StreamReader } from '../streams/sse-writer.ts'
import { fromStore } from '../streams/store-failure.ts'
import type { HttpReply } from '../types.ts'
import type { Peers } from '../nodes/peers.ts'

/**
 * The interval at which the writers of followed streams are checked, in ms. Checks are needed because
 * messages about new events can be lost.
 */
const CHECK_MS = 1_000

interface FollowedStreamOptions {
  readonly log: StreamLog
  readonly revision: Revision
  readonly server: ServedServer
  readonly onEnd: () => void
}

/**
 * Connects a mount's sessions to the other nodes, and tracks the streams that other nodes write but whose
 * clients are connected to this node.
 */
export class SessionNetwork {
  readonly context: EndpointContext
  readonly peers: Peers
  readonly #streams = new Set<FollowedStream>()
  readonly #timer: Recurring

  constructor(context: EndpointContext, peers: Peers) {
    this.context = context
    this.peers = peers
    this.#timer = new Recurring(context.clock, CHECK_MS, () => void this.#checkAll())
  }

  add(stream: FollowedStream): void {
    this.#streams.add(stream)
    this.#timer.start()
  }

  remove(stream: FollowedStream): void {
    if (this.#streams.delete(stream) && this.#streams.size === 0) this.#timer.stop()
  }

  async #checkAll(): Promise<void> {
    try {
      const nodes = [...new Set([...this.#streams].map(({ node }) => node))]
      const alive = await this.peers.alive(nodes)
      const stopped = new Set(nodes.filter((_, i) => alive[i] === false))
      for (const stream of this.#streams) stream.check(stopped.has(stream.node))
    } catch (error) {
      this.context.logger.error({ err: error }, 'The writers of streams could not be checked')
    }
  }
}

/** Sends the client the rest of a call's stream, which another node writes. */
export class FollowedStream {
  readonly #all: SessionNetwork
  readonly #options: FollowedStreamOptions
  readonly #writer: SseWriter
  #position: EventId
  #node: string
  #reading = false
  #again = false

  constructor(
    all: SessionNetwork,
    options: FollowedStreamOptions,
    { from, state }: { readonly from: EventId; readonly state: StreamState },
  ) {
    this.#all = all
    this.#options = options
    this.#position = from
    this.#node = state.node
    this.#writer = createSseWriter(all.context, {
      overflow: 'cut',
      server: options.server,
      sessionId: options.log.key.session,
      onDisconnect: () => {
        all.remove(this)
        options.onEnd()
      },
    })
    if (state.events.length === 0 && options.revision.primesStreams)
      this.#writer.writeAlways(formatEvent({ id: formatEventId(from), data: '' }))
    for (const event of state.events) this.#writer.writeAlways(this.#take(event))
    all.add(this)
  }

  /** The id of the node that writes the stream. */
  get node(): string {
    return this.#node
  }
  get connected(): boolean {
    return !this.#writer.ending
  }

  reply(reader: StreamReader): HttpReply {
    return this.#writer.reply(reader)
  }

  /** Reads and sends the new events. */
  readOn(): void {
    void this.#run(() => this.#read())
  }

  /** Reads new events in case a message about them was lost, and ends the stream if its writer has stopped. */
  check(stopped: boolean): void {
    void this.#run(async () => {
      const { log, revision } = this.#options
      if (stopped) await endOrphan(log, { epoch: this.#position.epoch, node: this.#all.peers.id, revision })
      await this.#read()
    })
  }

  close(): void {
    this.#writer.end()
  }

  /**
   * Runs one step at a time. All steps that are requested while a step runs are combined into a single
   * further read.
   */
  async #run(step: () => Promise<void>): Promise<void> {
    if (this.#reading) {
      this.#again = true
      return
    }
    this.#reading = true
    try {
      await step()
    } catch (error) {
      this.#all.context.logger.error({ err: error }, 'The events of another node could not be read')
    } finally {
      this.#reading = false
    }
    if (!this.#again) return
    this.#again = false
    this.readOn()
  }

  async #read(): Promise<void> {
    if (this.#writer.ending) return
    const { store, key } = this.#options.log
    const state = await store.read(key, this.#position)
    for (const event of state?.events ?? []) this.#writer.write(this.#take(event))
    if (state !== undefined) this.#node = state.node
    // The client is now connected to another node, or the stream has ended.
    if (state === undefined || state.ended || state.follower !== this.#all.peers.id) this.#writer.end()
  }

  /** Returns the text of the next event. */
  #take({ seq, frame }: StoredEvent): string {
    this.#position = { ...this.#position, seq }
    return formatEvent({ id: formatEventId(this.#position), data: frame })
  }
}

const FINAL = { final: true }

/**
 * Ends a call's stream after the call's node has stopped. Every request without a response receives an error.
 */
export async function endOrphan(
  { store, key }: StreamLog,
  { epoch, node, revision }: Pick<EventId, 'epoch'> & { readonly node: string; readonly revision: Revision },
): Promise<void> {
  const seized = await fromStore(() => store.seize(key, epoch, node))
  if (seized === undefined) return
  const { lease, last, pending } = seized
  const events = pending.map((id, i) => ({ seq: last + 1 + i, frame: lostFrame(id, revision), answers: id }))
  await fromStore(() => (events.length === 0 ? store.delete(key) : store.append(key, lease, events, FINAL)))
}

const lostFrame = (id: RequestId, revision: Revision): string =>
  errorFrame(
    id,
    revision.encodeError(
      new McpError(
        ErrorCode.InternalError,
        'The node that ran this call has stopped. The call may have had effects: check them before you call again',
      ),
    ),
  )
