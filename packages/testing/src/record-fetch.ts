import { type SseEvent, SseParser } from '@jetway/client/http'
import { keep, parse, type RecordingOptions } from './record-transport.ts'
import { isEventStream } from './event-stream.ts'

/** What calls a URL, like `fetch`. */
export type Fetch = (request: Request) => Promise<Response>

/** One HTTP request and its answer. */
export interface RecordedExchange {
  readonly method: string
  readonly url: string
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly requestBody: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** What has been read of the answer so far. */
  readonly body: string
  /** The answer as JSON, once it is all there; undefined where it is none. */
  readonly message: unknown
  /** The events so far, where the answer is a stream. */
  readonly events: readonly SseEvent[]
}

/** What {@link recordFetch} gives: a fetch to use, and what went through it. */
export interface FetchRecording {
  /** To be used in place of the function that was given. */
  readonly fetch: Fetch
  /** Grows with each answer; an answer grows while it is read. */
  readonly exchanges: readonly RecordedExchange[]
}

const DEFAULT_LIMIT = 10_000

/** Keeps every HTTP request and answer. Bodies are recorded as the caller reads them, so streams still stream. */
export function recordFetch(fetch: Fetch, options: RecordingOptions = {}): FetchRecording {
  const exchanges: RecordedExchange[] = []
  return {
    exchanges,
    async fetch(request) {
      const requestBody = request.body === null ? '' : await request.clone().text()
      const response = await fetch(request)
      const exchange = new Exchange(request, requestBody, response)
      keep(exchanges, exchange, options.limit ?? DEFAULT_LIMIT)
      if (response.body === null) return response
      return new Response(response.body.pipeThrough(exchange.tap()), response)
    },
  }
}

class Exchange implements RecordedExchange {
  readonly method: string
  readonly url: string
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly requestBody: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly events: SseEvent[] = []
  body = ''
  readonly #streams: boolean

  constructor(request: Request, requestBody: string, response: Response) {
    this.method = request.method
    this.url = request.url
    this.requestHeaders = Object.fromEntries(request.headers)
    this.requestBody = requestBody
    this.status = response.status
    this.headers = Object.fromEntries(response.headers)
    this.#streams = isEventStream(response.headers)
  }

  get message(): unknown {
    return this.#streams ? undefined : parse(this.body)
  }

  tap(): TransformStream<Uint8Array, Uint8Array> {
    const decoder = new TextDecoder()
    const parser = new SseParser()
    return new TransformStream({
      transform: (chunk, controller) => {
        const text = decoder.decode(chunk, { stream: true })
        this.body += text
        if (this.#streams) this.events.push(...parser.push(text))
        controller.enqueue(chunk)
      },
    })
  }
}
