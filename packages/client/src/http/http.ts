import type { JsonRpcMessage, Revision } from '@jetway/core/protocol'
import { TransportError } from '../errors.ts'
import type {
  ClientTransport,
  ClientTransportHandlers,
  TransportFactory,
  SendContext,
} from '../transport/client-transport.ts'
import { LegacySseTransport } from './legacy-sse.ts'
import { type HttpOptions, type ResolvedHttpOptions, resolveHttpOptions } from './options.ts'
import { isInitialize, StreamableHttpTransport } from './streamable-http.ts'

/**
 * Connects to a URL: `client.connect(http('https://example.com/mcp'))`.
 *
 * @throws TypeError for an invalid URL
 */
export function http(url: string | URL, options: HttpOptions = {}): TransportFactory {
  const resolved = resolveHttpOptions(url, options)
  return () => new HttpTransport(resolved)
}

/**
 * Connects to a URL over HTTP+SSE. `http` falls back to it as well, at the cost of some refused requests.
 *
 * @throws TypeError for an invalid URL
 */
export function sse(url: string | URL, options: HttpOptions = {}): TransportFactory {
  const resolved = resolveHttpOptions(url, options)
  return () => new LegacySseTransport(resolved)
}

/** How a server with only HTTP+SSE answers a POST to its stream's URL. */
const OLDER: readonly (number | undefined)[] = [400, 404, 405]

/**
 * Uses Streamable HTTP, or HTTP+SSE if the server refuses `initialize`.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#backwards-compatibility
 */
class HttpTransport implements ClientTransport {
  readonly key: string
  readonly #options: ResolvedHttpOptions
  #handlers: ClientTransportHandlers | undefined
  #inner: ClientTransport

  constructor(options: ResolvedHttpOptions) {
    this.key = options.url
    this.#options = options
    this.#inner = new StreamableHttpTransport(options)
  }

  get streamPerRequest(): boolean {
    return this.#inner.streamPerRequest
  }

  get alive(): boolean {
    return this.#inner.alive !== false
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId
  }

  resume(sessionId: string): void {
    this.#inner.resume?.(sessionId)
  }

  start(handlers: ClientTransportHandlers): void | Promise<void> {
    this.#handlers = handlers
    return this.#inner.start(handlers)
  }

  async send(message: JsonRpcMessage, context: SendContext): Promise<void> {
    try {
      await this.#inner.send(message, context)
    } catch (error) {
      if (!isInitialize(message) || !mayBeOlder(error)) throw error
      await this.#fallBack(error)
      await this.#inner.send(message, context)
    }
  }

  negotiated(revision: Revision): void {
    this.#inner.negotiated?.(revision)
  }

  close(): Promise<void> {
    return this.#inner.close()
  }

  /** @throws the first refusal if there is no stream either: it says more */
  async #fallBack(refusal: unknown): Promise<void> {
    const older = new LegacySseTransport(this.#options)
    try {
      await older.start(this.#handlers as ClientTransportHandlers)
    } catch {
      throw refusal
    }
    // The first transport has no session and nothing open.
    this.#inner = older
  }
}

const mayBeOlder = (error: unknown): boolean =>
  error instanceof TransportError && OLDER.includes(error.status)
