import type { EventStore, StoredEvent, StreamKey } from '../../stores/event-store.ts'
import { utf8Length } from '../../util/bytes.ts'
import type { EndpointContext } from '../mount.ts'
import type { SseWriter, StreamReader } from './sse-writer.ts'
import { createOutbound, type EventStream, type OnOverflow, streamReply } from './plain-stream.ts'
import { type EventId, formatEvent, formatEventId } from './sse-format.ts'
import { fromStore } from './store-failure.ts'
import type { HttpReply } from '../types.ts'

/** What an SSE stream is kept under, where it can be resumed. */
export interface StreamLog {
  readonly store: EventStore
  readonly key: StreamKey
}

export interface ResumableStreamOptions {
  readonly log: StreamLog
  /** Whether the client knows events with an id and no data. */
  readonly primes: boolean
  /** Whose stream it is; see `OpenStreams.held`. */
  readonly owner: object
  readonly onOverflow?: OnOverflow
  /** Called once, when nothing will be sent on the stream any more. */
  onEnd?(): void
}

/** A notice may be dropped once nothing is kept, a response never; the final one ends the stream. */
type FrameKind = 'notice' | 'response' | 'final'

/**
 * An SSE stream that can be resumed, over all the connections it takes to get it to the client. Events are kept before they are sent, one
 * after the other, so that whatever a client has seen can be resumed from.
 */
export class ResumableStream implements EventStream {
  readonly #mount: EndpointContext
  readonly #options: ResumableStreamOptions
  #log: StreamLog | undefined
  #epoch = ''
  #seq = 0
  #outbound: SseWriter | undefined
  #ended = false
  /** Set while something before is being kept; what comes next waits for it. */
  #tail: Promise<void> | undefined
  #waitingBytes = 0

  constructor(mount: EndpointContext, options: ResumableStreamOptions) {
    this.#mount = mount
    this.#options = options
    this.#log = options.log
    this.#run(() => this.#open(options.log))
  }

  /** Whether a client is connected, or about to be. */
  get connected(): boolean {
    return this.#outbound !== undefined && !this.#outbound.ending
  }

  connect(request: StreamReader): HttpReply {
    const outbound = this.#attach()
    this.#run(() => this.#prime(outbound, this.#mount.options.retryMs))
    return streamReply(outbound, request)
  }

  /** Sends a frame that may be lost to a peer that cannot keep up, unless the stream can be resumed. */
  send(frame: string): void | Promise<void> {
    if (this.#ended) return undefined
    this.#emit(frame, 'notice')
    return this.#tail ?? this.#outbound?.pressure()
  }

  /** Writes what is of use only now: it is not kept, and has no id. */
  ping(frame: string): boolean {
    if (this.#ended || !this.connected) return false
    this.#outbound?.write(formatEvent({ data: frame }))
    return true
  }

  respond(frame: string): void {
    if (!this.#ended) this.#emit(frame, 'response')
  }

  finish(frame: string | undefined): void {
    if (this.#ended) return
    if (frame === undefined) {
      // Nothing more will come: a client that tries to resume must learn so, and not be sent in circles.
      this.close()
      return
    }
    this.#emit(frame, 'final')
    this.#ended = true
    this.#run(() => this.#outbound?.end())
    this.#run(() => this.#options.onEnd?.())
  }

  /**
   * Ends the connection and not the stream, after an event that says where and when to come back. Does nothing on a
   * stream that cannot be resumed, or whose client would not understand that event.
   */
  closeConnection(retryMs: number | undefined): void {
    this.#run(() => {
      const outbound = this.#outbound
      if (this.#ended || outbound === undefined || this.#log === undefined || !this.#options.primes) return
      this.#prime(outbound, retryMs ?? this.#mount.options.retryMs)
      outbound.end()
    })
  }

  close(): void {
    if (this.#ended) return
    this.#ended = true
    this.#run(() => this.#forget())
    this.#run(() => this.#outbound?.end())
    this.#run(() => this.#options.onEnd?.())
  }

  /**
   * The reply that goes on where a client left off, or undefined if that is not known. It takes over from a connection
   * that may still be open. What is sent meanwhile waits, so that every event comes once and in order.
   */
  resume(from: EventId, request: StreamReader): Promise<HttpReply | undefined> {
    return new Promise((resolve, reject) => {
      this.#run(async () => {
        try {
          const events = await readLog(this.#log, from)
          if (events === undefined || (this.#ended && events.length === 0)) {
            resolve(undefined)
            return
          }
          const outbound = this.#attach()
          if (events.length === 0) this.#prime(outbound, undefined)
          for (const event of events) outbound.writeAlways(eventText(from, event))
          if (this.#ended) outbound.end()
          resolve(streamReply(outbound, request))
        } catch (error) {
          reject(error)
        }
      })
    })
  }

  #attach(): SseWriter {
    const before = this.#outbound
    const outbound = createOutbound(this.#mount, this.#log === undefined ? 'drop' : 'cut', this.#options)
    this.#outbound = outbound
    before?.cut()
    return outbound
  }

  #open(log: StreamLog): void | Promise<void> {
    return this.#store(
      () => log.store.open(log.key),
      (epoch) => {
        this.#epoch = epoch ?? ''
      },
    )
  }

  #prime(outbound: SseWriter, retry: number | undefined): void {
    if (this.#log === undefined || !this.#options.primes) return
    outbound.writeAlways(formatEvent({ id: this.#idOf(this.#seq), retry, data: '' }))
  }

  #emit(frame: string, kind: FrameKind): void {
    if (this.#tail === undefined) {
      this.#run(() => this.#keep(frame, kind))
      return
    }
    const bytes = utf8Length(frame)
    if (kind === 'notice' && this.#waitingBytes + bytes > this.#mount.options.outboundLimit) {
      this.#options.onOverflow?.('drop', bytes)
      return
    }
    this.#waitingBytes += bytes
    this.#run(() => {
      this.#waitingBytes -= bytes
      return this.#keep(frame, kind)
    })
  }

  #keep(frame: string, kind: FrameKind): void | Promise<void> {
    const log = this.#log
    if (log === undefined) {
      this.#write(formatEvent({ data: frame }), kind)
      return undefined
    }
    const seq = ++this.#seq
    return this.#store(
      () => log.store.append(log.key, { seq, frame }, { final: kind === 'final' }),
      () =>
        this.#write(
          formatEvent({ id: this.#log === undefined ? undefined : this.#idOf(seq), data: frame }),
          kind,
        ),
    )
  }

  #write(chunk: string, kind: FrameKind): void {
    if (kind === 'notice') this.#outbound?.write(chunk)
    else this.#outbound?.writeAlways(chunk)
  }

  #idOf(seq: number): string {
    return formatEventId({ stream: this.#log?.key.stream ?? '', epoch: this.#epoch, seq })
  }

  /** A store that fails ends the stream's log, not the stream: events go on without ids. */
  #store<T>(step: () => T | Promise<T>, then: (value: T | undefined) => void): void | Promise<void> {
    const fail = (error: unknown): void => {
      this.#mount.logger.error({ err: error }, 'The event store failed: a stream cannot be resumed any more')
      void this.#forget()
      then(undefined)
    }
    try {
      const value = step()
      if (value instanceof Promise) return value.then(then, fail)
      then(value)
    } catch (error) {
      fail(error)
    }
    return undefined
  }

  async #forget(): Promise<void> {
    const log = this.#log
    this.#log = undefined
    try {
      await log?.store.delete(log.key)
    } catch {
      // The log is out of reach, and its own time limit ends it.
    }
  }

  /** Runs steps one after the other; at once where nothing is waiting. */
  #run(step: () => void | Promise<void>): void {
    if (this.#tail === undefined) {
      const pending = step()
      if (pending instanceof Promise) this.#hold(pending)
    } else {
      this.#hold(this.#tail.then(step))
    }
  }

  #hold(pending: Promise<void>): void {
    const tail = pending
      .catch((error: unknown) => this.#mount.logger.error({ err: error }, 'A stream failed'))
      .then(() => {
        if (this.#tail === tail) this.#tail = undefined
      })
    this.#tail = tail
  }
}

/** The reply that repeats what is left of a stream that has ended, or undefined if there is nothing. */
export async function replay(
  mount: EndpointContext,
  log: StreamLog,
  from: EventId,
  request: StreamReader,
): Promise<HttpReply | undefined> {
  const events = await readLog(log, from)
  if (events === undefined || events.length === 0) return undefined
  const outbound = createOutbound(mount, 'drop', {})
  for (const event of events) outbound.writeAlways(eventText(from, event))
  outbound.end()
  return streamReply(outbound, request)
}

const readLog = async (
  log: StreamLog | undefined,
  from: EventId,
): Promise<readonly StoredEvent[] | undefined> =>
  log === undefined ? undefined : fromStore(() => log.store.read(log.key, from))

const eventText = ({ stream, epoch }: EventId, { seq, frame }: StoredEvent): string =>
  formatEvent({ id: formatEventId({ stream, epoch, seq }), data: frame })
