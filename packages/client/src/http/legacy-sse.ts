import type { JsonRpcMessage } from '@jetway/core/protocol'
import type { ServerNetwork } from '@jetway/core/telemetry'
import { TransportError } from '../errors.ts'
import type { ClientTransport, ClientTransportHandlers, SendContext } from '../transport/client-transport.ts'
import type { ResolvedHttpOptions } from './options.ts'
import { discard, fetchHttp, mediaType, readRefusal, SSE, statusError } from './fetch.ts'
import { sseEvents } from './sse-parser.ts'
import { deliver } from './streams.ts'

const ENDPOINT_MS = 30_000

/**
 * The HTTP+SSE transport of revision 2024-11-05. One stream delivers first the URL to which the client posts
 * its messages, and then all messages from the server. When the stream ends, the connection ends, because the
 * stream cannot be resumed.
 *
 * @see https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */
export class LegacySseTransport implements ClientTransport {
  readonly streamPerRequest = false
  readonly key: string
  readonly network: ServerNetwork
  readonly #options: ResolvedHttpOptions
  readonly #open = new AbortController()
  #handlers: ClientTransportHandlers | undefined
  #endpoint: string | undefined
  #reading: Promise<void> | undefined
  #closed = false

  constructor(options: ResolvedHttpOptions) {
    this.#options = options
    this.key = options.url
    this.network = options.network
  }

  get alive(): boolean {
    return !this.#closed
  }

  /** Opens the stream, and resolves when the server has sent its endpoint. */
  async start(handlers: ClientTransportHandlers): Promise<void> {
    if (this.#handlers !== undefined) throw new TypeError('The transport is already started')
    this.#handlers = handlers
    const { url } = this.#options
    const late = setTimeout(
      () => this.#open.abort(new TransportError(`No endpoint event within ${ENDPOINT_MS} ms`)),
      ENDPOINT_MS,
    )
    try {
      const response = await fetchHttp(this.#options, {
        url,
        method: 'GET',
        headers: { accept: SSE },
        signal: this.#open.signal,
      })
      if (!response.ok || mediaType(response) !== SSE || response.body === null) {
        const text = response.ok ? '' : await readRefusal(response)
        await discard(response)
        throw statusError(response.status, 'Opening the stream', text)
      }
      await this.#opened(response.body)
    } finally {
      clearTimeout(late)
    }
  }

  async send(message: JsonRpcMessage, { signal }: SendContext): Promise<void> {
    if (this.#closed || this.#endpoint === undefined) throw new TransportError('The stream has ended')
    signal?.throwIfAborted()
    const response = await fetchHttp(this.#options, {
      url: this.#endpoint,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(message),
      // The server processes whatever it has received, so aborting the POST would not cancel the request.
      signal: this.#open.signal,
    })
    if (response.ok) return discard(response)
    const text = await readRefusal(response)
    throw statusError(response.status, 'method' in message ? message.method : 'A response', text)
  }

  async close(): Promise<void> {
    this.#open.abort(new TransportError('The transport is closed'))
    await this.#reading
    this.#end()
  }

  #opened(body: ReadableStream<Uint8Array>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#reading = this.#read(body, resolve).then(() => reject(this.#open.signal.reason as Error))
    })
  }

  async #read(body: ReadableStream<Uint8Array>, onEndpoint: () => void): Promise<void> {
    const { signal } = this.#open
    try {
      for await (const { event, data } of sseEvents(body, signal, this.#options.maxMessageBytes)) {
        if (event === 'endpoint') {
          if (this.#endpoint !== undefined) continue
          this.#endpoint = this.#sameOrigin(data)
          onEndpoint()
        } else if (data !== '' && (event ?? 'message') === 'message') {
          await deliver(data, { options: this.#options, handlers: this.#handlers as ClientTransportHandlers })
            .taken
        }
      }
      this.#end()
    } catch (error) {
      this.#end(error)
    }
  }

  /** Resolves the endpoint's URL. It must have the same origin, because it receives the credentials. */
  #sameOrigin(endpoint: string): string {
    const { url } = this.#options
    const target = URL.canParse(endpoint, url) ? new URL(endpoint, url) : undefined
    if (target?.origin !== new URL(url).origin)
      throw new TransportError("The server's endpoint has another origin")
    return target.href
  }

  #end(cause?: unknown): void {
    if (this.#closed) return
    this.#closed = true
    const wanted = this.#open.signal.aborted
    const error =
      cause instanceof TransportError ? cause : new TransportError('The stream has ended', { cause })
    this.#open.abort(error)
    if (this.#endpoint === undefined) return
    this.#handlers?.close(wanted ? { kind: 'end' } : { kind: 'error', error })
  }
}
