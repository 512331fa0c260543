import { type JsonRpcMessage, type ParseLimits, parseText } from '@jetway/core/protocol'
import type { Transport } from '@jetway/core/transport'
import type { ClientTransport, ClientTransportHandlers, SendContext } from './client-transport.ts'

/** Options of {@link duplex}. */
export interface DuplexOptions {
  /** What one message may be made of. @default a depth of 128 and 1,000,000 brackets, commas and colons */
  readonly parseLimits?: ParseLimits
  /** See {@link ClientTransport.key}. */
  readonly key?: string
}

/** Servers answer with whole tables. */
const PARSE_LIMITS: ParseLimits = { maxDepth: 128, maxTokens: 1_000_000 }

/** A client's side of a transport that carries messages both ways as text: in-memory, stdio. */
export function duplex(transport: Transport, options: DuplexOptions = {}): ClientTransport {
  return new DuplexClientTransport(transport, options)
}

class DuplexClientTransport implements ClientTransport {
  readonly perRequest = false
  readonly key?: string
  readonly #transport: Transport
  readonly #limits: ParseLimits
  #closed = false

  constructor(transport: Transport, { key, parseLimits = PARSE_LIMITS }: DuplexOptions) {
    this.#transport = transport
    this.#limits = parseLimits
    if (key !== undefined) this.key = key
  }

  get alive(): boolean {
    return !this.#closed
  }

  start(handlers: ClientTransportHandlers): void | Promise<void> {
    return this.#transport.start({
      message: (text) => {
        const parsed = parseText(text, this.#limits)
        return parsed.ok ? handlers.message(parsed.value) : handlers.malformed(parsed.error.message)
      },
      malformed: (reason) => handlers.malformed(reason),
      close: (reason) => {
        this.#closed = true
        handlers.close(reason)
      },
    })
  }

  send(message: JsonRpcMessage, { signal }: SendContext): void | Promise<void> {
    return this.#transport.send(JSON.stringify(message), signal === undefined ? {} : { signal })
  }

  close(): Promise<void> {
    return this.#transport.close()
  }
}
