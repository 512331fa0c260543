import { type SseEvent, SseParser } from '@jetway/client/http'
import { keep, parse, type RecordingOptions } from './record-transport.ts'
import { isEventStream } from './event-stream.ts'

/** A function with the signature of `fetch`. */
export type Fetch = (request: Request) => Promise<Response>

/** One HTTP request and its response. */
export interface RecordedExchange {
  readonly method: string
  readonly url: string
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly requestBody: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The part of the response body that has been read so far. */
  readonly body: string
  /** The complete response, parsed as JSON. Undefined before the end, and if it is not JSON. */
  readonly message: unknown
  /** The events so far, if the response is a stream. */
  readonly events: readonly SseEvent[]
}

/** The result of {@link recordFetch}: a `fetch` to use, and its exchanges. */
export interface FetchRecording {
  /** The function to use instead of the given one. */
  readonly fetch: Fetch
  /** All exchanges so far. The list grows with each response, and a response grows while it is being read. */
  readonly exchanges: readonly RecordedExchange[]
}

const DEFAULT_LIMIT = 10_000

/**
 * Records every HTTP request and response. Bodies are recorded as the caller reads them, so streams are still
 * streamed.
 */
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
