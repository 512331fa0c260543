import { TextBuffer } from './text-buffer.ts'

/** One server-sent event. */
export interface SseEvent {
  readonly data: string
  readonly event?: string
  readonly id?: string
  /** How long to wait before reconnecting, in ms. */
  readonly retry?: number
}

/** Thrown if an event is longer than the limit. */
export class SseOverflowError extends Error {
  constructor(limit: number) {
    super(`An event of the stream is longer than ${limit} characters`)
    this.name = 'SseOverflowError'
  }
}

/**
 * Parses an event stream. Events without data are also returned, because their ids and `retry` fields are
 * needed for reconnecting.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export class SseParser {
  readonly #limit: number
  readonly #rest = new TextBuffer()
  #size = 0
  #first = true
  /**
   * Whether the last chunk ended with CR. An LF at the start of the next chunk belongs to the same line break.
   */
  #afterCr = false
  #data: string[] = []
  #fields: { event?: string; id?: string; retry?: number } = {}

  /** @param limit - the maximum length of one event, including comments, in UTF-16 code units */
  constructor(limit: number = Number.POSITIVE_INFINITY) {
    this.#limit = limit
  }

  /** Parses a chunk, and returns the events that the chunk completes. @throws SseOverflowError */
  push(piece: string): SseEvent[] {
    // Searches only the new chunk. Otherwise, a long line in small chunks would take quadratic time.
    const text = this.#continued(this.#withoutBom(piece))
    const lines = text.split(/\r\n|\n|\r/)
    const rest = lines.pop() ?? ''
    const events: SseEvent[] = []
    for (const end of lines) {
      const line = this.#rest.take(end)
      if (line !== '') this.#field(line)
      else {
        const event = this.#take()
        if (event !== undefined) events.push(event)
      }
    }
    if (this.#size + this.#rest.length + rest.length > this.#limit) throw new SseOverflowError(this.#limit)
    this.#rest.append(rest)
    return events
  }

  #continued(piece: string): string {
    if (piece === '') return piece
    const text = this.#afterCr && piece.startsWith('\n') ? piece.slice(1) : piece
    this.#afterCr = piece.endsWith('\r')
    return text
  }

  #withoutBom(piece: string): string {
    if (!this.#first || piece === '') return piece
    this.#first = false
    return piece.startsWith('\uFEFF') ? piece.slice(1) : piece
  }

  #take(): SseEvent | undefined {
    const data = this.#data
    const fields = this.#fields
    this.#data = []
    this.#fields = {}
    this.#size = 0
    return data.length > 0 || Object.keys(fields).length > 0
      ? { data: data.join('\n'), ...fields }
      : undefined
  }

  #field(line: string): void {
    this.#size += line.length + 1
    if (this.#size > this.#limit) throw new SseOverflowError(this.#limit)
    const colon = line.indexOf(':')
    if (colon === 0) return
    const name = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (name === 'data') this.#data.push(value)
    else if (name === 'event') this.#fields.event = value
    else if (name === 'id' && !value.includes('\0')) this.#fields.id = value
    else if (name === 'retry' && /^\d+$/.test(value)) this.#fields.retry = Number(value)
  }
}

/**
 * Yields the events of a body until the signal is aborted. The signal is needed because Node.js never ends
 * the body of a `fetch` that is aborted while the last chunk is arriving.
 *
 * @param limit - the maximum length of one event, in UTF-16 code units
 * @throws SseOverflowError; TypeError for invalid UTF-8
 */
export async function* sseEvents(
  body: ReadableStream<Uint8Array>,
  signal?: AbortSignal,
  limit?: number,
): AsyncGenerator<SseEvent> {
  const parser = new SseParser(limit)
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const reader = body.getReader()
  const stop = (): void => void reader.cancel().catch(() => {})
  if (signal?.aborted === true) stop()
  signal?.addEventListener('abort', stop, { once: true })
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read())
      yield* parser.push(decoder.decode(read.value, { stream: true }))
  } finally {
    signal?.removeEventListener('abort', stop)
    stop()
  }
}
