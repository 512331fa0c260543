import { Buffer } from 'node:buffer'
import type { Readable, Writable } from 'node:stream'
import type { SendOptions, Transport, TransportClose, TransportHandlers } from '@jetway/core/transport'
import { LineFramer, type Malformed } from './line-framer.ts'
import { LineWriter } from './line-writer.ts'

const MEBIBYTE = 1024 * 1024
/** The number of bytes to read ahead while `message` is pending, so that the end of the input is detected. */
const READ_AHEAD_BYTES = MEBIBYTE
/** The memory overhead of a chunk, in bytes. */
const CHUNK_OVERHEAD_BYTES = 512
/** The default value of `maxLineBytes`. */
export const DEFAULT_MAX_LINE_BYTES: number = 10 * MEBIBYTE

/** The options of {@link StdioTransport}. */
export interface StdioTransportOptions {
  /** The stream from which messages are read. @default process.stdin */
  readonly input?: Readable | undefined
  /** The stream to which messages are written. @default process.stdout */
  readonly output?: Writable | undefined
  /**
   * The maximum length of a line, in bytes. A longer line is skipped without buffering, and answered with a
   * parse error.
   *
   * @default 10 MiB
   */
  readonly maxLineBytes?: number | undefined
  /**
   * The number of bytes that may wait for a slow peer. Above this number, `send` returns a promise, and
   * reading stops until the bytes have been written.
   *
   * @default 1 MiB
   */
  readonly maxQueuedBytes?: number | undefined
  /** Writes to the real output if the output is guarded. The caller must then end the output as well. */
  readonly write?: ((text: string, written?: (error?: Error | null) => void) => boolean) | undefined
  /** Called at the end of the input. Messages that were read ahead may still follow before `close`. */
  readonly onInputEnd?: () => void
}

/**
 * Sends and receives messages as lines over a pair of byte streams. When the peer closes its side, `close` is
 * called immediately, but `send` can still be used for the last responses.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
 */
export class StdioTransport implements Transport {
  readonly byteStream = true
  readonly #input: Readable
  readonly #endOutput: () => void
  readonly #framer: LineFramer
  readonly #writer: LineWriter
  readonly #onInputEnd: (() => void) | undefined
  readonly #ahead: Buffer[] = []
  #aheadBytes = 0
  #handlers: TransportHandlers | undefined
  #held = false
  #inputEnded = false
  #closeReported = false
  #closing: Promise<void> | undefined

  constructor(options: StdioTransportOptions = {}) {
    this.#input = options.input ?? process.stdin
    const output = options.output ?? process.stdout
    // The process's own output must stay open.
    const ours = output !== process.stdout && options.write === undefined
    this.#endOutput = ours ? () => void output.end() : () => {}
    this.#onInputEnd = options.onInputEnd
    this.#framer = new LineFramer(options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES)
    this.#writer = new LineWriter({
      output,
      write: options.write ?? ((text, written) => output.write(text, written)),
      highWaterMark: options.maxQueuedBytes ?? MEBIBYTE,
      onDisconnect: (error) =>
        this.#reportClose(error === undefined ? { kind: 'end' } : { kind: 'error', error }),
    })
  }

  /** Returns whether writes can still reach the peer. */
  get writable(): boolean {
    return !this.#writer.disconnected
  }

  get queued(): number {
    return this.#writer.queued
  }

  start(handlers: TransportHandlers): void {
    if (this.#handlers !== undefined) throw new TypeError('The transport has been started already')
    this.#handlers = handlers
    this.#input.on('end', this.#onEnd)
    this.#input.on('close', this.#onEnd)
    this.#input.on('error', this.#onInputError)
    this.#input.on('data', this.#onData)
  }

  send(message: string, options?: SendOptions): void | Promise<void> {
    return this.#writer.send(message, options?.signal)
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  /** Discards all messages that have not been written. */
  destroy(): void {
    this.#writer.release()
    void this.close()
  }

  async #close(): Promise<void> {
    this.#stopReading()
    await this.#writer.flush()
    this.#writer.release()
    this.#endOutput()
    this.#reportClose({ kind: 'end' })
  }

  #stopReading(): void {
    this.#inputEnded = true
    this.#input.off('data', this.#onData)
    this.#input.off('end', this.#onEnd)
    this.#input.off('close', this.#onEnd)
    // A paused pipe does not keep the process alive. The error listener remains, because an unhandled error
    // would terminate the process.
    this.#input.pause()
  }

  readonly #onData = (data: Buffer | string): void => {
    const chunk = typeof data === 'string' ? Buffer.from(data) : data
    if (this.#held) {
      this.#ahead.push(chunk)
      this.#aheadBytes += chunk.length + CHUNK_OVERHEAD_BYTES
      if (this.#aheadBytes > READ_AHEAD_BYTES) this.#input.pause()
      return
    }
    this.#framer.push(chunk)
    this.#pump()
  }

  readonly #onEnd = (): void => {
    if (this.#inputEnded) return
    this.#inputEnded = true
    this.#onInputEnd?.()
    if (!this.#held) this.#pump()
  }

  readonly #onInputError = (error: unknown): void => {
    this.#reportClose({ kind: 'error', error })
  }

  /** Delivers the buffered lines until `message` returns a promise. */
  #pump(): void {
    const handlers = this.#handlers as TransportHandlers
    for (;;) {
      if (this.#closing !== undefined || this.#closeReported) return
      const line = this.#next()
      if (line === undefined) break
      const handled = typeof line === 'string' ? handlers.message(line) : handlers.malformed(line.reason)
      const wait = handled instanceof Promise ? handled : this.#writer.behind
      if (wait !== undefined) {
        this.#hold(wait)
        return
      }
    }
    if (this.#inputEnded) this.#reportClose({ kind: 'end' })
  }

  #next(): string | Malformed | undefined {
    let line = this.#framer.next()
    while (line === undefined) {
      const chunk = this.#ahead.shift()
      if (chunk === undefined) return this.#inputEnded ? this.#framer.end() : undefined
      this.#aheadBytes -= chunk.length + CHUNK_OVERHEAD_BYTES
      this.#framer.push(chunk)
      line = this.#framer.next()
    }
    return line
  }

  #hold(wait: Promise<void>): void {
    this.#held = true
    const resume = (): void => {
      this.#held = false
      if (this.#closing !== undefined) return
      this.#pump()
      if (!this.#inputEnded && this.#aheadBytes <= READ_AHEAD_BYTES / 2) this.#input.resume()
    }
    wait.then(resume, resume)
  }

  #reportClose(reason: TransportClose): void {
    if (this.#closeReported) return
    this.#closeReported = true
    this.#stopReading()
    this.#handlers?.close(reason)
  }
}
