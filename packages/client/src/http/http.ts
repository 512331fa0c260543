import { TransportError } from '../errors.ts'
import type {
  ClientTransport,
  ClientTransportHandlers,
  TransportFactory,
} from '../transport/client-transport.ts'
import { LegacySseTransport } from './legacy-sse.ts'
import { type HttpOptions, type ResolvedHttpOptions, resolveHttpOptions } from './options.ts'
import { isInitialize, StreamableHttpTransport } from './streamable-http.ts'

/** Connects to a URL: `client.connect(http(url))`. @throws TypeError for an invalid URL */
export function http(url: string | URL, options: HttpOptions = {}): TransportFactory {
  const resolved = resolveHttpOptions(url, options)
  return () => httpTransport(resolved)
}

/** Connects over HTTP+SSE. `http` also falls back to this transport. @throws TypeError for an invalid URL */
export function sse(url: string | URL, options: HttpOptions = {}): TransportFactory {
  const resolved = resolveHttpOptions(url, options)
  return () => new LegacySseTransport(resolved)
}

/**
 * The statuses with which a server that supports only HTTP+SSE replies to a POST request to its stream's URL.
 */
const OLDER: readonly (number | undefined)[] = [400, 404, 405]

/** https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#backwards-compatibility */
function httpTransport(options: ResolvedHttpOptions): ClientTransport {
  let inner: ClientTransport = new StreamableHttpTransport(options)
  let handlers: ClientTransportHandlers

  /**
   * Falls back to HTTP+SSE.
   * @throws the first refusal if HTTP+SSE also fails, because that refusal is more informative
   */
  async function fallBack(refusal: unknown): Promise<void> {
    const older = new LegacySseTransport(options)
    try {
      await older.start(handlers)
    } catch {
      throw refusal
    }
    // The first transport has no session and no open connection.
    inner = older
  }

  return {
    key: options.url,
    network: options.network,
    get streamPerRequest() {
      return inner.streamPerRequest
    },
    get alive() {
      return inner.alive !== false
    },
    get sessionId() {
      return inner.sessionId
    },
    resume: (sessionId) => inner.resume?.(sessionId),
    start(given) {
      handlers = given
      return inner.start(given)
    },
    async send(message, context) {
      try {
        await inner.send(message, context)
      } catch (error) {
        if (!isInitialize(message) || !mayBeOlder(error)) throw error
        await fallBack(error)
        await inner.send(message, context)
      }
    },
    negotiated: (revision) => inner.negotiated?.(revision),
    close: () => inner.close(),
  }
}

const mayBeOlder = (error: unknown) => error instanceof TransportError && OLDER.includes(error.status)
