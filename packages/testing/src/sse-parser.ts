/** One event of a stream, with the fields that it had. */
export interface SseEvent {
  readonly data: string
  readonly event?: string
  readonly id?: string
  /** How long to wait before a reconnect, in ms. */
  readonly retry?: number
}

/**
 * Reads events out of text that arrives in pieces.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export class SseParser {
  #rest = ''
  #data: string[] = []
  #fields: { event?: string; id?: string; retry?: number } = {}

  push(text: string): SseEvent[] {
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/)
    this.#rest = lines.pop() ?? ''
    const events: SseEvent[] = []
    for (const line of lines) {
      if (line !== '') this.#field(line)
      else if (this.#data.length > 0 || Object.keys(this.#fields).length > 0) {
        events.push({ data: this.#data.join('\n'), ...this.#fields })
        this.#data = []
        this.#fields = {}
      }
    }
    return events
  }

  #field(line: string): void {
    const colon = line.indexOf(':')
    if (colon === 0) return
    const name = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (name === 'data') this.#data.push(value)
    else if (name === 'event' || name === 'id') this.#fields[name] = value
    else if (name === 'retry' && /^\d+$/.test(value)) this.#fields.retry = Number(value)
  }
}

/**
 * The events of a body, as they arrive, until it ends. The signal ends them as well: a `fetch` of Node that is aborted
 * while the last piece arrives leaves its body open for good.
 */
export async function* sseEvents(
  body: ReadableStream<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<SseEvent> {
  const parser = new SseParser()
  const decoder = new TextDecoder('utf-8', { fatal: true })
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

export const isEventStream = (headers: Headers): boolean =>
  headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() === 'text/event-stream'
