import type { Writable } from 'node:stream'

/** The number of UTF-16 code units in joined frames after which they are written. */
const BATCH = 64 * 1024
/**
 * The maximum length of joined frames that are waiting for a slow peer. It is limited because all of them
 * combined may exceed the runtime's maximum string length.
 */
const PIECE = 1024 * 1024

export interface LineWriterOptions {
  readonly output: Writable
  /** Writes to the real output. If the output is guarded, this differs from `output.write`. */
  readonly write: (text: string, written?: (error?: Error | null) => void) => boolean
  /** The number of waiting bytes above which `send` returns a promise. */
  readonly highWaterMark: number
  /** Called once if writing fails. The error is omitted if the peer has disconnected. */
  readonly onDisconnect: (error: unknown) => void
}

interface Held {
  readonly text: string
  readonly signal: AbortSignal
}

const PEER_GONE = new Set([
  'EPIPE',
  'ECONNRESET',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
  'EOF',
])

/** Writes frames as lines. Frames that are sent in the same turn of the event loop share one write. */
export class LineWriter {
  readonly #options: LineWriterOptions
  readonly #flushSoon = (): void => this.#flushNow()
  #queue: (string | Held)[] = []
  #queued = 0
  #scheduled = false
  #disconnected = false
  #abandon: (() => void) | undefined
  #behind: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined

  constructor(options: LineWriterOptions) {
    this.#options = options
    const { output } = options
    output.on('drain', this.#onDrain)
    output.on('error', this.#onError)
    output.on('close', this.#onClose)
  }

  get disconnected(): boolean {
    return this.#disconnected
  }

  /** Settles when the queue has been written. Undefined if the peer is keeping up. */
  get behind(): Promise<void> | undefined {
    return this.#behind?.promise
  }

  /** The number of bytes that are waiting here and in the output. */
  get queued(): number {
    return this.#queued + this.#options.output.writableLength
  }

  send(text: string, signal: AbortSignal | undefined): void | Promise<void> {
    if (this.#disconnected) return
    // If JSON is indented, it contains line breaks, but only between tokens.
    const line = text.includes('\n') || text.includes('\r') ? text.replaceAll(/[\r\n]+/g, ' ') : text
    this.#queue.push(signal === undefined ? line : { text: line, signal })
    this.#queued += line.length + 1
    if (this.#queued >= BATCH) this.#flushNow()
    else if (!this.#scheduled) {
      this.#scheduled = true
      setImmediate(this.#flushSoon)
    }
    return this.#behind?.promise
  }

  /** Writes the queue. Resolves when everything has been written, or when the output has failed. */
  async flush(): Promise<void> {
    while (!this.#disconnected && this.#behind !== undefined) await this.#behind.promise
    if (this.#disconnected) return
    const { output, write } = this.#options
    const text = this.#takePiece()
    if (text === '' && output.writableLength === 0) return
    await new Promise<void>((resolve) => {
      this.#abandon = resolve
      write(text, () => resolve())
    })
  }

  /** Stops writing. The error listener remains, because a late EPIPE would otherwise terminate the process. */
  release(): void {
    this.#disconnected = true
    this.#options.output.off('drain', this.#onDrain)
    this.#options.output.off('close', this.#onClose)
    this.#settle()
  }

  #flushNow(): void {
    this.#scheduled = false
    if (this.#behind === undefined) this.#writeQueue()
  }

  /** Writes until the queue is empty or the peer is slow. */
  #writeQueue(): void {
    const { output, write, highWaterMark } = this.#options
    while (!this.#disconnected && this.#queue.length > 0) {
      write(this.#takePiece())
      if (output.writableNeedDrain && output.writableLength > highWaterMark) {
        this.#behind ??= deferred()
        return
      }
    }
    this.#settle()
  }

  /** Removes frames from the front of the queue, and returns them as lines. */
  #takePiece(): string {
    let text = ''
    let count = 0
    for (const item of this.#queue) {
      const frame = typeof item === 'string' ? item : item.text
      if (count > 0 && text.length + frame.length >= PIECE) break
      count++
      this.#queued -= frame.length + 1
      if (typeof item === 'string' || !item.signal.aborted) text += `${frame}\n`
    }
    this.#queue.splice(0, count)
    return text
  }

  readonly #onDrain = (): void => this.#writeQueue()

  readonly #onError = (error: unknown): void => {
    const code = (error as { code?: unknown } | null)?.code
    this.#end(typeof code === 'string' && PEER_GONE.has(code) ? undefined : error)
  }

  readonly #onClose = (): void => this.#end(undefined)

  #end(error: unknown): void {
    if (this.#disconnected) return
    this.#disconnected = true
    this.#queue = []
    this.#settle()
    this.#options.onDisconnect(error)
  }

  #settle(): void {
    this.#behind?.resolve()
    this.#behind = undefined
    if (this.#disconnected) this.#abandon?.()
  }
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {}
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
