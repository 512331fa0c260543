import { utf8Length } from '../../util/bytes.ts'
import type { Caller } from '../../session/session.ts'
import type { FrameSink, HttpRequest } from '../types.ts'

/** Whom a connection leads to. */
export interface StreamReader extends Pick<HttpRequest, 'signal'> {
  /** When its credentials run out, in seconds since 1970; undefined for a reply that ends with its call. */
  readonly expiresAt?: number | undefined
}

/** A client that goes on reading when its request is answered, for as long as it may. */
export const readerOf = ({ signal }: Pick<HttpRequest, 'signal'>, { auth }: Caller): StreamReader => ({
  signal,
  expiresAt: auth?.expiresAt,
})

/** Above this many waiting bytes, senders are asked to wait. */
const HIGH_WATER = 65_536

export interface SseWriterOptions {
  /** Bytes that may wait; one frame alone may exceed it. */
  readonly limit: number
  /**
   * What to do with a frame that finds no room. `drop` drops it. `cut` sends what waits, but nothing more, and ends the
   * connection: the client has seen all that came before the frame when it resumes, so that the store needs to have no
   * more than what comes from there on.
   */
  readonly overflow: 'cut' | 'drop'
  /** Whose connection it is; see `OpenStreams.held`. */
  readonly owner?: object
  /** Hears of a frame that found no room. */
  onOverflow?(bytes: number): void
  onOpen?(outbound: SseWriter): void
  /** Called whenever the peer has taken all that waited, also at the beginning. */
  onDrained?(): void
  /** Hears that the credentials of the reader have run out. @default the connection ends when what waits is written */
  onExpired?(): void
  /** Called once, however the connection ends. */
  onGone?(outbound: SseWriter): void
}

/**
 * One HTTP connection's way out. Holds frames in order until the adapter opens its sink and while the peer is behind,
 * within a limit. After its end it takes frames and does nothing: a late one must not crash a handler.
 */
export class SseWriter {
  readonly #options: SseWriterOptions
  #sink: FrameSink | undefined
  #queue: string[] = []
  #bytes = 0
  #behind = false
  #ending = false
  #gone = false
  #expiresAt: number | undefined
  #waiter: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined

  constructor(options: SseWriterOptions) {
    this.#options = options
  }

  get gone(): boolean {
    return this.#gone
  }
  get owner(): object | undefined {
    return this.#options.owner
  }
  get queuedBytes(): number {
    return this.#bytes
  }

  /** Takes no more frames: the connection has ended, or does when what waits is written. */
  get ending(): boolean {
    return this.#gone || this.#ending
  }

  /** Whether a frame would be written at once. */
  get ready(): boolean {
    return !this.ending && this.#idle
  }

  /** Whether more waits than may. */
  get full(): boolean {
    return this.#bytes > this.#options.limit
  }

  /** When the credentials of the reader run out, in seconds since 1970. */
  get expiresAt(): number | undefined {
    return this.#expiresAt
  }

  /** The reader has shown other credentials, of the same principal. */
  renew(expiresAt: number | undefined): void {
    this.#expiresAt = expiresAt
  }

  expire(): void {
    if (this.#options.onExpired === undefined) this.end()
    else this.#options.onExpired()
  }

  /** Takes over the adapter's sink. The request's signal tells when the peer goes away. */
  open(sink: FrameSink, { signal, expiresAt }: StreamReader): void {
    this.#sink = sink
    this.#expiresAt ??= expiresAt
    if (this.#gone) {
      sink.close()
      return
    }
    if (signal.aborted) {
      this.cut()
      return
    }
    signal.addEventListener('abort', () => this.cut(), { once: true })
    this.#options.onOpen?.(this)
    this.#flush()
  }

  /** Writes a frame that may be refused when the peer is far behind. */
  write(chunk: string): void {
    if (this.ending) return
    if (this.#idle) this.#put(chunk)
    else this.#enqueue(chunk, utf8Length(chunk))
  }

  /** Writes what must arrive whatever waits: a response, or what a client asked to have repeated. */
  writeAlways(chunk: string): void {
    if (this.ending) return
    if (this.#idle) {
      this.#put(chunk)
      return
    }
    this.#bytes += utf8Length(chunk)
    this.#queue.push(chunk)
  }

  /** Writes if nothing waits: what is only a sign of life says nothing to a peer that is behind. */
  writeIfIdle(chunk: string): void {
    if (!this.ending && this.#idle) this.#put(chunk)
  }

  /** A promise while much waits; it resolves when the peer has caught up or gone. */
  pressure(): Promise<void> | undefined {
    if (this.ending || this.#bytes <= HIGH_WATER) return undefined
    return this.#wait().promise
  }

  /** Ends the connection once everything is written. */
  end(): void {
    if (this.ending) return
    this.#ending = true
    this.#release()
    if (this.#idle) this.cut()
  }

  /** Ends the connection now. */
  cut(): void {
    if (this.#gone) return
    this.#gone = true
    this.#queue = []
    this.#bytes = 0
    this.#release()
    this.#options.onGone?.(this)
    this.#sink?.close()
  }

  get #idle(): boolean {
    return this.#sink !== undefined && !this.#behind && this.#queue.length === 0
  }

  #enqueue(chunk: string, bytes: number): void {
    if (this.#queue.length > 0 && this.#bytes + bytes > this.#options.limit) {
      this.#options.onOverflow?.(bytes)
      if (this.#options.overflow === 'cut') this.end()
      return
    }
    this.#bytes += bytes
    this.#queue.push(chunk)
  }

  #put(chunk: string): void {
    const behind = this.#sink?.write(chunk)
    if (behind === undefined) return
    this.#behind = true
    const resume = (): void => {
      this.#behind = false
      this.#flush()
    }
    // A sink must not reject; one that does is taken as having gone.
    behind.then(resume, () => this.cut())
  }

  #flush(): void {
    if (this.#gone) return
    if (!this.#behind && this.#queue.length > 0) {
      const chunk = this.#queue.length === 1 ? (this.#queue[0] ?? '') : this.#queue.join('')
      this.#queue = []
      this.#bytes = 0
      this.#put(chunk)
    }
    if (this.#bytes <= HIGH_WATER) this.#release()
    if (this.#ending && this.#idle) this.cut()
    if (this.ready) this.#options.onDrained?.()
  }

  #wait(): { readonly promise: Promise<void>; readonly resolve: () => void } {
    if (this.#waiter === undefined) {
      let resolve = (): void => {}
      const promise = new Promise<void>((done) => {
        resolve = done
      })
      this.#waiter = { promise, resolve }
    }
    return this.#waiter
  }

  #release(): void {
    this.#waiter?.resolve()
    this.#waiter = undefined
  }
}
