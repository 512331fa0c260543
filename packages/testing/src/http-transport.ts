import { sseEvents } from '@jetway/client/http'
import { Notification } from '@jetway/core/protocol'
import type { SendOptions, Transport, TransportHandlers } from '@jetway/core/transport'
import { parse } from './record-transport.ts'
import type { Fetch } from './record-fetch.ts'
import { isEventStream } from './event-stream.ts'

/** The options of {@link HttpTransport}. */
export interface HttpTransportOptions {
  readonly url: string
  /** @default the global `fetch` */
  readonly fetch?: Fetch
  /** Headers for every request, for example `authorization`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Whether to open the GET stream after `initialize` if the server supports it. @default true */
  readonly listen?: boolean
}

const VERSION = 'mcp-protocol-version'

/** Thrown for an HTTP error status, unless the status belongs to the reply to a single request. */
export class HttpStatusError extends Error {
  readonly status: number
  readonly body: string

  constructor(status: number, body: string) {
    super(`HTTP status ${status}: ${body}`)
    this.name = 'HttpStatusError'
    this.status = status
    this.body = body
  }
}

/**
 * A strict client of Streamable HTTP, for raw messages. If the server opens a session, all later messages
 * belong to that session.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */
export class HttpTransport implements Transport {
  readonly #options: HttpTransportOptions
  readonly #controller = new AbortController()
  readonly #streams = new Set<Promise<void>>()
  /** The headers for the session and the version, which every later request contains. */
  #session: Record<string, string> = {}
  #handlers: TransportHandlers | undefined
  #closing: Promise<void> | undefined

  constructor(options: HttpTransportOptions) {
    this.#options = options
  }

  /** The session id, if the server has sent one. */
  get sessionId(): string | undefined {
    return this.#session['mcp-session-id']
  }

  start(handlers: TransportHandlers): void {
    if (this.#handlers !== undefined) throw new TypeError('The transport has been started already')
    this.#handlers = handlers
  }

  /** Resolves once a stream has begun or a JSON response has been delivered. */
  async send(message: string, options: SendOptions = {}): Promise<void> {
    const response = await this.#request('POST', {
      body: message,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...options.headers,
      },
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    })
    const id = response.headers.get('mcp-session-id')
    if (id !== null) this.#session['mcp-session-id'] = id
    const version = options.headers?.[VERSION]
    if (version !== undefined) this.#session[VERSION] = version
    await this.#deliver(response)
    const { method } = (parse(message) ?? {}) as { method?: unknown }
    if (method === Notification.Initialized && this.#options.listen !== false) await this.#listen()
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  async #close(): Promise<void> {
    if (this.sessionId !== undefined) await this.#endSession()
    this.#controller.abort()
    await Promise.all(this.#streams)
    this.#handlers?.close({ kind: 'end' })
  }

  async #endSession(): Promise<void> {
    try {
      const response = await this.#request('DELETE', {})
      await response.body?.cancel()
    } catch {
      // The server has closed, which has ended its sessions.
    }
  }

  async #listen(): Promise<void> {
    const response = await this.#request('GET', { headers: { accept: 'text/event-stream' } })
    if (response.status === 200) await this.#deliver(response)
    else await response.body?.cancel()
  }

  #request(
    method: string,
    init: { body?: string; headers?: Record<string, string>; signal?: AbortSignal },
  ): Promise<Response> {
    const { url, fetch = globalThis.fetch, headers } = this.#options
    const signals = [this.#controller.signal, ...(init.signal === undefined ? [] : [init.signal])]
    return fetch(
      new Request(url, {
        method,
        headers: { ...this.#session, ...init.headers, ...headers },
        signal: AbortSignal.any(signals),
        ...(init.body === undefined ? {} : { body: init.body }),
      }),
    )
  }

  async #deliver(response: Response): Promise<void> {
    if (response.body !== null && isEventStream(response.headers)) {
      const reading = this.#read(response.body)
      this.#streams.add(reading)
      void reading.finally(() => this.#streams.delete(reading))
      return
    }
    const text = await response.text()
    const { id } = (parse(text) ?? {}) as { id?: unknown }
    if (!response.ok && id === undefined) throw new HttpStatusError(response.status, text)
    if (text !== '') await this.#handlers?.message(text)
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const { signal } = this.#controller
    try {
      for await (const { data, event } of sseEvents(body, signal)) {
        // The first event in a stream may consist only of an id, from which the client can resume.
        if (data !== '' && (event === undefined || event === 'message')) await this.#handlers?.message(data)
      }
    } catch (error) {
      if (!signal.aborted) this.#handlers?.close({ kind: 'error', error })
    }
  }
}
