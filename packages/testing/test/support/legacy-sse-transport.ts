import type { Transport, TransportHandlers } from '@jetway/core/transport'
import { sseEvents } from '@jetway/client/http'

/**
 * The client side of HTTP+SSE, for raw messages.
 *
 * @see https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */
export class LegacySseTransport implements Transport {
  readonly #url: string
  readonly #controller = new AbortController()
  #handlers: TransportHandlers | undefined
  #messages: string | undefined
  #reading: Promise<void> | undefined

  /** @param url - the URL of `GET /sse` */
  constructor(url: string) {
    this.#url = url
  }

  /** Resolves once the server has sent the `endpoint` event. */
  async start(handlers: TransportHandlers): Promise<void> {
    this.#handlers = handlers
    const response = await fetch(this.#url, {
      headers: { accept: 'text/event-stream' },
      signal: this.#controller.signal,
    })
    if (response.status !== 200 || response.body === null) throw new Error(`HTTP status ${response.status}`)
    const events = sseEvents(response.body)
    const first = await events.next()
    if (first.done === true || first.value.event !== 'endpoint') throw new Error('No endpoint was announced')
    this.#messages = new URL(first.value.data, this.#url).href
    this.#reading = this.#read(events)
  }

  /** Delivers a JSON error as a message. Any other body is just "Accepted". */
  async send(message: string): Promise<void> {
    const response = await fetch(this.#messages ?? '', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: message,
    })
    const text = await response.text()
    if (response.headers.get('content-type')?.startsWith('application/json') === true)
      await this.#handlers?.message(text)
    else if (response.status !== 202) throw new Error(`HTTP status ${response.status}: ${text}`)
  }

  async close(): Promise<void> {
    this.#controller.abort()
    await this.#reading
    this.#handlers?.close({ kind: 'end' })
  }

  async #read(events: ReturnType<typeof sseEvents>): Promise<void> {
    try {
      for await (const { data } of events) await this.#handlers?.message(data)
    } catch (error) {
      if (!this.#controller.signal.aborted) this.#handlers?.close({ kind: 'error', error })
    }
  }
}
