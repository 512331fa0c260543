import type { RequestId } from '../../protocol/jsonrpc.ts'
import type {
  EventStore,
  SeizedStream,
  StreamKey,
  StreamLease,
  StreamOrigin,
} from '../../stores/event-store.ts'
import { utf8Length } from '../../util/bytes.ts'
import { type Awaitable, InOrder } from '../../util/promises.ts'
import { retry } from '../../util/timers.ts'
import type { ServedServer } from '../servers/served-server.ts'
import type { Deletions } from './deletions.ts'
import {
  createSseWriter,
  emitOverflow,
  HIGH_WATER,
  type SseWriter,
  type StreamContext,
  type StreamReader,
} from './sse-writer.ts'
import type { EventStream } from './plain-stream.ts'
import { type EventId, formatEvent, formatEventId } from './sse-format.ts'
import { storedEventText } from './replay.ts'
import { fromStore } from './store-failure.ts'
import type { HttpReply } from '../types.ts'

/** The store for the stream's events. */
export interface StreamLog {
  readonly store: EventStore
  readonly key: StreamKey
}

interface ResumableStreamOptions {
  readonly log: StreamLog
  /** The id of this node. */
  readonly node: string
  /** A new stream, or a stream that another node has written until now. */
  readonly begin: StreamOrigin | SeizedStream
  /** Whether the client accepts events with an id and no data. */
  readonly primes: boolean
  readonly server: ServedServer
  readonly deletions: Deletions
  readonly owner?: StreamOwner
}

/** The owner of streams, which these functions notify. */
interface StreamOwner {
  /** Called once, after the stream has ended. */
  streamEnded(stream: ResumableStream): void
  /** Called after each event if the client reads the stream through another node. */
  streamFollowed(stream: ResumableStream, node: string): void
  /**
   * Called with each frame that could not be stored because another node has taken over the stream. On this
   * node, the stream has ended.
   */
  streamFenced(stream: ResumableStream, frame: string): void
}

/**
 * A `notice` may be dropped if events are not stored. A `response` is never dropped, and a `final` response
 * ends the stream.
 */
type FrameKind = 'notice' | 'response' | 'final'

interface Emitted {
  readonly frame: string
  readonly kind: FrameKind
  readonly answers: RequestId | undefined
}

const UNOPENED: StreamLease = { epoch: '', fence: 0 }
const FINAL = { final: true }

/**
 * An SSE stream that can be resumed over any number of connections. Events are stored in order before they are
 * sent, so that a client can resume from any event it has seen.
 */
export class ResumableStream implements EventStream {
  /** The name of the stream in its store. */
  readonly token: string
  readonly #context: StreamContext
  readonly #options: ResumableStreamOptions
  #log: StreamLog | undefined
  /** This node's right to write the stream, until another node takes it over. */
  lease: StreamLease = UNOPENED
  #seq = 0
  #writer: SseWriter | undefined
  #ended = false
  /** Whether another node has taken over the stream. */
  #isFenced = false
  #waiting: Emitted[] = []
  /** Runs the steps in order. Each step waits until the store has finished the previous one. */
  readonly #steps = new InOrder()
  #waitingBytes = 0
  /** Whether the store has returned a promise. If so, storing several events together saves work. */
  #isRemote = false

  constructor(context: StreamContext, options: ResumableStreamOptions) {
    this.#context = context
    this.#options = options
    this.#log = options.log
    this.token = options.log.key.stream
    const { begin, log } = options
    if ('lease' in begin) {
      this.lease = begin.lease
      this.#seq = begin.last
    } else {
      this.#run(() =>
        this.#store(
          () => log.store.open(log.key, begin),
          (lease = UNOPENED) => {
            this.lease = lease
          },
        ),
      )
    }
  }

  /** Whether the stream carries the responses to calls, or the messages of its session. */
  get kind(): StreamOrigin['kind'] {
    return this.#options.begin.kind
  }

  get connected(): boolean {
    return this.#writer !== undefined && !this.#writer.ending
  }

  connect(reader: StreamReader): HttpReply {
    const writer = this.#attach()
    this.#run(() => this.#prime(writer, this.#context.options.retryMs))
    return writer.reply(reader)
  }

  /**
   * Sends a frame. If the stream cannot be resumed, the frame may be dropped because the reader is slow.
   * Callers wait for the store only while many bytes are waiting, so that events which a handler awaits one
   * by one can be stored in a single append.
   */
  send(frame: string): void | Promise<void> {
    if (this.#ended) return undefined
    this.#emit(frame, 'notice')
    const mark = Math.min(HIGH_WATER, this.#context.options.outboundLimit)
    return this.#waitingBytes > mark ? this.#steps.busy : this.#writer?.pressure()
  }

  /** Writes a ping without storing it. The ping has no id, because it need not be replayed. */
  ping(frame: string): boolean {
    if (this.#ended || !this.connected) return false
    this.#writer?.write(formatEvent({ data: frame }))
    return true
  }

  respond(frame: string, answers?: RequestId): void {
    if (!this.#ended) this.#emit(frame, 'response', answers)
  }

  finish(frame: string | undefined): void {
    if (this.#ended) return
    if (frame === undefined) {
      // A client that tries to resume must learn that nothing is left. Otherwise, it would retry forever.
      this.close()
      return
    }
    this.#emit(frame, 'final')
    this.#end()
  }

  /**
   * Closes the connection but not the stream, after sending an event with an id and the retry time. The
   * client must support events without data. Does nothing if the stream cannot be resumed.
   */
  closeConnection(retryMs: number | undefined): void {
    this.#run(() => {
      const writer = this.#writer
      if (this.#ended || writer === undefined || this.#log === undefined) return
      this.#prime(writer, retryMs ?? this.#context.options.retryMs)
      writer.end()
    })
  }

  close(): void {
    if (this.#ended) return
    this.#run(() => this.#forget())
    this.#end()
  }

  /** Closes the connection, so that another node can continue the stream. */
  release(): void {
    if (!this.#ended) this.#end()
  }

  /** Stops storing events, because the session is ending. The response to its call can still be sent. */
  forget(): void {
    this.#run(() => this.#forget())
  }

  /**
   * Returns the reply that continues the stream after an event, or undefined if the event is unknown. The
   * reply replaces a connection that may still be open. Frames sent during the replay are queued, so that
   * every event arrives exactly once and in order. If another node has taken over the stream, ends the stream
   * on this node and returns `seized`.
   */
  resume(from: EventId, reader: StreamReader): Promise<HttpReply | 'seized' | undefined> {
    return new Promise((resolve, reject) => {
      this.#run(() => this.#resume(from, reader).then(resolve, reject))
    })
  }

  #end(): void {
    this.#ended = true
    this.#run(() => {
      this.#writer?.end()
      this.#options.owner?.streamEnded(this)
    })
  }

  async #resume(from: EventId, reader: StreamReader): Promise<HttpReply | 'seized' | undefined> {
    const log = this.#log
    const { node } = this.#options
    const state = log && (await fromStore(() => log.store.read(log.key, from, node)))
    if (state === undefined) return undefined
    if (state.node !== node) {
      this.#drop()
      return 'seized'
    }
    const { events } = state
    if (this.#ended && events.length === 0) return undefined
    const writer = this.#attach()
    if (events.length === 0) this.#prime(writer, undefined)
    for (const event of events) writer.writeAlways(storedEventText(from, event))
    if (this.#ended) writer.end()
    return writer.reply(reader)
  }

  #attach(): SseWriter {
    const before = this.#writer
    const writer = createSseWriter(this.#context, {
      overflow: this.#log === undefined ? 'drop' : 'cut',
      server: this.#options.server,
      sessionId: this.#options.log.key.session,
    })
    this.#writer = writer
    before?.cut()
    return writer
  }

  #prime(writer: SseWriter, retryMs: number | undefined): void {
    if (this.#log === undefined || !this.#options.primes) return
    const id = formatEventId({ stream: this.token, epoch: this.lease.epoch, seq: this.#seq })
    writer.writeAlways(formatEvent({ id, retry: retryMs, data: '' }))
  }

  #emit(frame: string, kind: FrameKind, answers?: RequestId): void {
    const emitted = { frame, kind, answers }
    if (!this.#isRemote && this.#steps.busy === undefined) {
      this.#run(() => this.#keep([emitted]))
      return
    }
    const bytes = utf8Length(frame)
    const waiting = this.#waitingBytes
    if (kind === 'notice' && waiting > 0 && waiting + bytes > this.#context.options.outboundLimit) {
      const { server, log } = this.#options
      emitOverflow(server, { action: 'drop', bytes, sessionId: log.key.session })
      return
    }
    this.#waitingBytes += bytes
    this.#waiting.push(emitted)
    if (this.#waiting.length === 1) this.#run(() => Promise.resolve().then(() => this.#keepWaiting()))
  }

  /** Stores the events of one tick, and those that were queued during the previous write, in a single append. */
  #keepWaiting(): void | Promise<void> {
    this.#waitingBytes = 0
    return this.#keep(this.#waiting.splice(0))
  }

  #keep(emitted: readonly Emitted[]): void | Promise<void> {
    const log = this.#log
    const first = this.#seq + 1
    this.#seq += emitted.length
    if (this.#isFenced) return this.#fenced(emitted)
    if (log === undefined) return this.#writeAll(emitted, first)
    const events = emitted.map(({ frame, answers }, i) =>
      answers === undefined ? { seq: first + i, frame } : { seq: first + i, frame, answers },
    )
    const options = emitted.at(-1)?.kind === 'final' ? FINAL : undefined
    const append = (): ReturnType<EventStore['append']> =>
      log.store.append(log.key, this.lease, events, options)
    return this.#store(append, (result) => {
      if (result?.state === 'fenced') {
        this.#isFenced = true
        this.#drop()
        this.#fenced(emitted)
        return
      }
      // These events cannot be used to resume. A client that reads them through another node must learn that
      // they are missing.
      if (result?.state === 'lost') void this.#forget()
      if (result?.follower !== undefined) {
        this.#writer?.cut()
        this.#options.owner?.streamFollowed(this, result.follower)
      }
      this.#writeAll(emitted, first)
    })
  }

  /** Passes frames to the owner, because another node now writes the stream. */
  #fenced(emitted: readonly Emitted[]): void {
    for (const { frame } of emitted) this.#options.owner?.streamFenced(this, frame)
  }

  #drop(): void {
    this.#log = undefined
    this.#ended = true
    this.#writer?.cut()
    this.#options.owner?.streamEnded(this)
  }

  #writeAll(emitted: readonly Emitted[], first: number): void {
    let seq = first
    for (const { frame, kind } of emitted) {
      const id = this.#log && formatEventId({ stream: this.token, epoch: this.lease.epoch, seq: seq++ })
      const chunk = formatEvent({ id, data: frame })
      if (kind === 'notice') this.#writer?.write(chunk)
      else this.#writer?.writeAlways(chunk)
    }
  }

  /** Runs one step that uses the store. If the store fails, the stream continues without ids. */
  #store<T>(step: () => Awaitable<T>, then: (value: T | undefined) => void): Awaitable<void> {
    try {
      const stored = step()
      if (!(stored instanceof Promise)) return then(stored)
      this.#isRemote = true
      return retry(this.#context.clock, stored, step).then(then, (err: unknown) => this.#failed(err, then))
    } catch (err) {
      return this.#failed(err, then)
    }
  }

  #failed(err: unknown, then: (value: undefined) => void): void {
    this.#context.logger.error({ err }, 'The event store failed. The stream continues, but cannot be resumed')
    void this.#forget()
    then(undefined)
  }

  #forget(): void | Promise<void> {
    const log = this.#log
    this.#log = undefined
    return log && this.#options.deletions.run(() => log.store.delete(log.key))
  }

  #run(step: () => Awaitable<void>): void {
    const done = this.#steps.run(step)
    if (done instanceof Promise)
      done.catch((error: unknown) => this.#context.logger.error({ err: error }, 'A stream failed'))
  }
}
