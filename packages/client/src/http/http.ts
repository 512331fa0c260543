import { type JsonRpcMessage, Method, type Revision } from '@jetway/core/protocol'
import { TransportError } from '../errors.ts'
import type {
  ClientTransport,
  ClientTransportHandlers,
  Dial,
  SendContext,
} from '../transport/client-transport.ts'
import { LegacySseTransport } from './legacy-sse.ts'
import { type HttpOptions, resolveHttpOptions } from './options.ts'
import { StreamableHttpTransport } from './streamable-http.ts'

/**
 * A server at a URL, to connect to: `client.connect(http('https://example.com/mcp'))`.
 *
 * @throws TypeError for what is no URL of http or https
 */
export function http(url: string | URL, options: HttpOptions = {}): Dial {
  resolveHttpOptions(url, options)
  return () => new HttpTransport(url, options)
}

/**
 * A server at a URL that speaks HTTP+SSE and nothing newer, to connect to. `http` finds that out by itself, at the cost
 * of requests that such a server turns down.
 *
 * @throws TypeError for what is no URL of http or https
 */
export function sse(url: string | URL, options: HttpOptions = {}): Dial {
  resolveHttpOptions(url, options)
  return () => new LegacySseTransport(url, options)
}

/** Statuses by which a server that knows HTTP+SSE alone turns down a POST to the address of its stream. */
const OLDER: readonly (number | undefined)[] = [400, 404, 405]

/**
 * A server at a URL, whichever way of HTTP it speaks: Streamable HTTP, or HTTP+SSE where that turns down `initialize`.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#backwards-compatibility
 */
export class HttpTransport implements ClientTransport {
  readonly key: string
  readonly #url: string | URL
  readonly #options: HttpOptions
  #handlers: ClientTransportHandlers | undefined
  #inner: ClientTransport

  /** @throws TypeError for what is no URL of http or https */
  constructor(url: string | URL, options: HttpOptions = {}) {
    this.#url = url
    this.#options = options
    const streamable = new StreamableHttpTransport(url, options)
    this.#inner = streamable
    this.key = streamable.key
  }

  get perRequest(): boolean {
    return this.#inner.perRequest
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
      if (!('method' in message) || message.method !== Method.Initialize || !mayBeOlder(error)) throw error
      await this.#fallBack(error)
      await this.#inner.send(message, context)
    }
  }

  agreed(revision: Revision): void {
    this.#inner.agreed?.(revision)
  }

  close(): Promise<void> {
    return this.#inner.close()
  }

  /** @throws the refusal of the first way where there is no stream either: it tells more */
  async #fallBack(refusal: unknown): Promise<void> {
    const older = new LegacySseTransport(this.#url, this.#options)
    try {
      await older.start(this.#handlers as ClientTransportHandlers)
    } catch {
      throw refusal
    }
    // Nothing is open on the first: it has no session.
    this.#inner = older
  }
}

const mayBeOlder = (error: unknown): boolean =>
  error instanceof TransportError && OLDER.includes(error.status)
