import type { Overflowed } from '../../call/server-events.ts'
import type { Caller } from '../../call/scope.ts'
import type { Clock } from '../../util/clock.ts'
import type { Logger } from '../../util/logger.ts'
import type { ResolvedOptions } from '../options.ts'
import type { CoalescingQueue } from '../../subscriptions/coalescing-queue.ts'
import { NETWORK } from '../../stores/principal.ts'
import { utf8Length } from '../../util/bytes.ts'
import { type Deferred, deferred } from '../../util/promises.ts'
import type { CallerBytes, Holding } from '../caller-bytes.ts'
import { type FrameSink, type HttpReply, type HttpRequest, LARGE_REPLY, onDisconnect } from '../types.ts'
import type { ServedServer } from '../servers/served-server.ts'
import { SSE_HEADERS } from './sse-format.ts'

/** The client that reads a stream. */
export interface StreamReader extends Pick<HttpRequest, 'signal'> {
  /**
   * When the client's credentials expire, in seconds since 1970; undefined for a reply that ends with its
   * call.
   */
  readonly expiresAt?: number | undefined
  /** The owner of the bytes that wait for the client: see `Caller.holder`. */
  readonly holder?: string | undefined
}

/** Returns the reader of a stream that remains open after its request has received a reply. */
export const readerOf = (
  { signal }: Pick<HttpRequest, 'signal'>,
  { auth, holder }: Caller,
): StreamReader => ({ signal, expiresAt: auth?.expiresAt, holder })

/** The maximum number of queued bytes before senders must wait. */
export const HIGH_WATER = 65_536
/**
 * Queued chunks are joined into pieces of up to this many UTF-16 code units, because the combined queue may
 * exceed the runtime's maximum string length.
 */
const PIECE = 1_048_576

export interface SseWriterOptions {
  /** The maximum number of queued bytes. A single chunk may exceed this limit. */
  readonly limit: number
  /**
   * How to handle a chunk that exceeds the limit. `drop` drops the chunk. `cut` also drops it, then writes
   * the queue and closes the connection, so that a client that resumes has seen everything before the chunk.
   */
  readonly overflow: 'cut' | 'drop'
  /** The server that emits the `overflow` event. */
  readonly server?: ServedServer
  readonly sessionId?: string | undefined
  /** The queue for notifications, on a stream that has some. */
  readonly notices?: CoalescingQueue
  /** Counts the bytes that are queued for the reader. */
  readonly queued?: CallerBytes | undefined
  /** The set of open streams, which contains the writer while it is open. */
  readonly openStreams?: { add(writer: SseWriter): void; remove(writer: SseWriter): void }
  /** Called when the reader's credentials expire. @default closes the connection */
  onExpired?(): void
  /** Called once, when the connection has ended. */
  onDisconnect?(writer: SseWriter): void
}

/**
 * Writes the chunks of one HTTP connection in order. Chunks are queued, within a limit, until the adapter
 * opens its sink, and whenever the client reads too slowly. After the connection has ended, the writer
 * ignores further chunks, because a late chunk must not crash a handler.
 */
export class SseWriter implements Holding {
  /** When the reader's credentials expire, in seconds since 1970. */
  expiresAt: number | undefined
  holder: string = NETWORK
  held = 0
  readonly #options: SseWriterOptions
  readonly #notices: CoalescingQueue | undefined
  #sink: FrameSink | undefined
  #queue: string[] = []
  #bytes = 0
  #behind = false
  /** The number of UTF-16 code units in a large chunk that the host is still sending. */
  #sending = 0
  /**
   * Whether further chunks are ignored because the connection has ended, or will end when the queue has been
   * written.
   */
  ending = false
  #disconnected = false
  #waiter: Deferred | undefined

  constructor(options: SseWriterOptions) {
    this.#options = options
    this.#notices = options.notices
  }

  get server(): ServedServer | undefined {
    return this.#options.server
  }
  /** The number of bytes in chunks that have not been written yet. */
  get waitingBytes(): number {
    return this.#bytes + (this.#notices?.bytes ?? 0)
  }
  /** The number of queued bytes, including those of a large chunk that the host is still sending. */
  get queuedBytes(): number {
    return this.waitingBytes + this.#sending
  }

  expire(): void {
    if (this.#options.onExpired === undefined) this.end()
    else this.#options.onExpired()
  }

  /** Returns the reply that opens the connection. */
  reply(reader: StreamReader): HttpReply {
    this.#options.queued?.hold(this, -this.held)
    this.holder = reader.holder ?? this.holder
    this.#count()
    return { status: 200, headers: SSE_HEADERS, open: (sink) => this.open(sink, reader) }
  }

  /** Connects the adapter's sink. The reader's signal aborts when the client disconnects. */
  open(sink: FrameSink, { signal, expiresAt }: StreamReader): void {
    this.#sink = sink
    this.expiresAt ??= expiresAt
    if (this.#disconnected) {
      sink.close()
      return
    }
    onDisconnect({ signal }, () => this.cut())
    if (this.#disconnected) return
    this.#options.openStreams?.add(this)
    this.#flush()
  }

  /** Writes a chunk that may be dropped. */
  write(chunk: string): void {
    if (this.#writeNow(chunk)) return
    const bytes = utf8Length(chunk)
    if (this.#queue.length > 0 && this.waitingBytes + bytes > this.#options.limit) {
      this.#overflowed(bytes)
      if (this.#options.overflow === 'cut') this.end()
      return
    }
    this.#enqueue(chunk, bytes)
  }

  /** Writes a chunk even if the queue is full: a response, or an event that a client asked to have replayed. */
  writeAlways(chunk: string): void {
    if (!this.#writeNow(chunk)) this.#enqueue(chunk, utf8Length(chunk))
  }

  /**
   * Writes a notification. While the client has not caught up, each distinct notification is queued only
   * once, and is written after the queued chunks.
   *
   * @returns false if the queue is full
   */
  notify(chunk: string): boolean {
    if (this.#writeNow(chunk)) return true
    if (this.#notices?.add(chunk, undefined, this.#bytes) === true) {
      this.#count()
      return true
    }
    this.#overflowed(utf8Length(chunk))
    return false
  }

  /** Writes the chunk only if nothing is queued. Keep-alives are useless for a client that has not caught up. */
  writeIfIdle(chunk: string): void {
    if (!this.ending && this.#idle) this.#put(chunk)
  }

  /**
   * Returns a promise while too much is queued, otherwise undefined. The promise resolves when the client has
   * caught up or has disconnected.
   */
  pressure(): Promise<void> | undefined {
    if (this.ending || this.#bytes <= HIGH_WATER) return undefined
    return (this.#waiter ??= deferred()).promise
  }

  /** Writes a last chunk after all others, and closes the connection. */
  finish(chunk: string): void {
    this.#queueNotices()
    this.writeAlways(chunk)
    this.end()
  }

  /** Closes the connection when everything has been written. */
  end(): void {
    if (this.ending) return
    this.ending = true
    this.#release()
    if (this.#idle) this.cut()
  }

  /** Closes the connection immediately. */
  cut(): void {
    if (this.#disconnected) return
    this.#disconnected = true
    this.ending = true
    this.#queue = []
    this.#bytes = this.#sending = 0
    this.#notices?.take()
    this.#count()
    this.#release()
    this.#options.openStreams?.remove(this)
    this.#options.onDisconnect?.(this)
    this.#sink?.close()
  }

  /** Closes the connection immediately if its bytes are needed. Otherwise, the host's own limit closes it. */
  shorten(atOnce: boolean): void {
    if (atOnce) this.cut()
  }

  get #idle(): boolean {
    return (
      this.#sink !== undefined &&
      !this.#behind &&
      this.#queue.length === 0 &&
      this.#notices?.isEmpty !== false
    )
  }

  /** Returns false if the chunk must be queued. If the connection has ended, the chunk is ignored. */
  #writeNow(chunk: string): boolean {
    if (this.ending) return true
    if (!this.#idle) return false
    this.#put(chunk)
    return true
  }

  #enqueue(chunk: string, bytes: number): void {
    this.#bytes += bytes
    this.#queue.push(chunk)
    this.#count()
  }

  #put(chunk: string): void {
    const behind = this.#sink?.write(chunk)
    if (behind === undefined) return
    this.#behind = true
    if (chunk.length >= LARGE_REPLY) this.#sending = chunk.length
    this.#count()
    behind
      .then(() => {
        this.#behind = false
        this.#sending = 0
        this.#flush()
      })
      // The adapter must not provide a sink that rejects. If a sink rejects, the client is treated as
      // disconnected.
      .catch(() => this.cut())
  }

  #queueNotices(): void {
    if (this.#notices === undefined) return
    this.#bytes += this.#notices.bytes
    for (const [chunk] of this.#notices.take()) this.#queue.push(chunk)
  }

  #flush(): void {
    if (this.#disconnected) return
    while (!this.#behind) {
      if (this.#notices?.isEmpty === false && this.#bytes <= PIECE) this.#queueNotices()
      if (this.#queue.length === 0) break
      // The first chunks are combined and written as one string.
      let count = 0
      let units = 0
      for (const { length } of this.#queue) {
        if (count > 0 && units + length > PIECE) break
        units += length
        count++
      }
      const chunks = this.#queue.splice(0, count)
      if (this.#queue.length === 0) this.#bytes = 0
      else for (const chunk of chunks) this.#bytes -= utf8Length(chunk)
      this.#put(chunks.length === 1 ? (chunks[0] ?? '') : chunks.join(''))
    }
    this.#count()
    if (this.#bytes <= HIGH_WATER) this.#release()
    if (this.ending && this.#idle) this.cut()
  }

  #count(): void {
    const added = this.#bytes + (this.#notices?.bytes ?? 0) + this.#sending - this.held
    if (added !== 0) this.#options.queued?.hold(this, added)
  }

  #overflowed(bytes: number): void {
    const { server, overflow: action, sessionId } = this.#options
    if (server !== undefined) emitOverflow(server, { action, bytes, sessionId })
  }

  #release(): void {
    this.#waiter?.resolve()
    this.#waiter = undefined
  }
}

export function emitOverflow({ runtime }: ServedServer, event: Omit<Overflowed, 'queue'>): void {
  runtime.events.emit('overflow', () => ({ queue: 'stream', ...event }))
}

/** The members of a mount's context that its streams use. */
export interface StreamContext {
  readonly clock: Clock
  readonly options: ResolvedOptions
  readonly logger: Logger
  readonly openStreams: NonNullable<SseWriterOptions['openStreams']> & {
    /** Whether the end of every stream is detected, so that the bytes queued for it can be counted. */
    readonly counts: boolean
  }
  /** Counts the replies that are queued for their clients. */
  readonly queued: CallerBytes
}

/** The options of one stream, except those that the mount sets for all streams. */
export type StreamOptions = Omit<SseWriterOptions, 'limit' | 'openStreams' | 'queued'>

/**
 * Creates the connection for one of a server's streams. The connection is kept alive together with the
 * mount's other streams.
 */
export const createSseWriter = (
  { options, openStreams, queued }: StreamContext,
  stream: StreamOptions,
): SseWriter => {
  const limit = options.outboundLimit
  // On platforms that isolate requests, the end of some streams is not detected, so those streams would be counted
  // forever.
  const counted = openStreams.counts ? queued : undefined
  return new SseWriter({ limit, openStreams, queued: counted, ...stream })
}
