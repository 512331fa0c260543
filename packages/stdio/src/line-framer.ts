import { Buffer, isAscii, isUtf8 } from 'node:buffer'
import { LineRest } from './line-rest.ts'

/** A line that could not be decoded. */
export interface Malformed {
  readonly reason: string
}

/** The encoding of the complete lines in the current chunk, or `unknown` if each line must be checked separately. */
type Encoding = 'latin1' | 'utf8' | 'unknown'

const LF = 0x0a
const CR = 0x0d
const BLANK = /^[ \t\r]*$/
const NOT_UTF8: Malformed = { reason: 'The line is not valid UTF-8' }

/**
 * Splits a byte stream into lines. It works on bytes, because a chunk may end inside a character. A line ends
 * with LF or CRLF, but not with CR alone. Blank lines and a leading BOM are dropped. UTF-8 is decoded
 * strictly, so that no replacement character reaches a handler. The reader pulls lines, so it can stop
 * between any two of them.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
 */
export class LineFramer {
  readonly #maxLineBytes: number
  readonly #rest = new LineRest()
  #chunk: Buffer | undefined
  #at = 0
  #encoding: Encoding | undefined
  /** True while the current line exceeds the limit. */
  #skipping = false
  #first = true

  /** @param maxLineBytes - the maximum length of a line, without its line break */
  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes
  }

  /** Adds a chunk. */
  push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    // The previous chunk may still have lines left, because a handler may write to the input during delivery.
    this.#chunk = this.#chunk === undefined ? bytes : Buffer.concat([this.#chunk.subarray(this.#at), bytes])
    this.#at = 0
    this.#encoding = undefined
  }

  /** Returns the next line, or undefined if more bytes are needed. */
  next(): string | Malformed | undefined {
    while (this.#chunk !== undefined) {
      const chunk = this.#chunk
      const start = this.#at
      const end = chunk.indexOf(LF, start)
      if (end === -1) {
        this.#chunk = undefined
        return this.#keep(chunk.subarray(start))
      }
      this.#at = end + 1
      if (this.#skipping) {
        this.#skipping = false
        continue
      }
      const line =
        this.#rest.length === 0 ? this.#direct(chunk, start, end) : this.#joined(chunk.subarray(start, end))
      if (line !== undefined) return line
    }
    return undefined
  }

  /** Returns the last line of a stream that ended without a line break. */
  end(): string | Malformed | undefined {
    return this.#rest.length === 0 ? undefined : this.#joined(new Uint8Array(0))
  }

  #keep(tail: Uint8Array): Malformed | undefined {
    if (this.#skipping) return undefined
    // The limit allows one byte more here, because that byte may be the CR of a CRLF.
    if (this.#rest.length + tail.length <= this.#maxLineBytes + 1) {
      this.#rest.append(tail)
      return undefined
    }
    this.#rest.clear()
    this.#skipping = true
    return this.#tooLong()
  }

  #joined(piece: Uint8Array): string | Malformed | undefined {
    if (this.#rest.length + piece.length > this.#maxLineBytes + 1) {
      this.#rest.clear()
      return this.#tooLong()
    }
    this.#rest.append(piece)
    const bytes = this.#rest.take()
    return this.#decode(bytes, 0, bytes.length, encodingOf(bytes))
  }

  #direct(chunk: Buffer, start: number, end: number): string | Malformed | undefined {
    // One check is sufficient for all lines in the chunk, because an LF is never part of a longer UTF-8 sequence.
    this.#encoding ??= encodingOf(chunk.subarray(start, chunk.lastIndexOf(LF)))
    const encoding = this.#encoding === 'unknown' ? encodingOf(chunk.subarray(start, end)) : this.#encoding
    return this.#decode(chunk, start, end, encoding)
  }

  #decode(bytes: Buffer, from: number, to: number, encoding: Encoding): string | Malformed | undefined {
    let start = from
    const end = bytes[to - 1] === CR ? to - 1 : to
    if (this.#first) {
      this.#first = false
      if (bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf) start += 3
    }
    if (start >= end) return undefined
    if (end - start > this.#maxLineBytes) return this.#tooLong()
    if (encoding === 'unknown') return NOT_UTF8
    const text =
      encoding === 'latin1' ? bytes.toString('latin1', start, end) : bytes.toString('utf8', start, end)
    return text.charCodeAt(0) <= 0x20 && BLANK.test(text) ? undefined : text
  }

  #tooLong(): Malformed {
    this.#first = false
    return { reason: `The line is longer than ${this.#maxLineBytes} bytes` }
  }
}

function encodingOf(bytes: Uint8Array): Encoding {
  if (isAscii(bytes)) return 'latin1'
  return isUtf8(bytes) ? 'utf8' : 'unknown'
}
