import { type ParseLimits, parseText } from '@jetway/core/protocol'
import type { ServerNetwork } from '@jetway/core/telemetry'
import type { Transport } from '@jetway/core/transport'
import { printable } from '../util/printable.ts'
import type { ClientTransport } from './client-transport.ts'

/** The options of a transport over a two-way connection. */
export interface DuplexOptions {
  /** See {@link ClientTransport.key}. */
  readonly key?: string
  /** See {@link ClientTransport.network}. */
  readonly network?: ServerNetwork
}

/**
 * The limits are high, because some servers send whole tables, and because one deep schema must not make all
 * other tools unavailable.
 */
const PARSE_LIMITS: ParseLimits = { maxDepth: 1_024, maxTokens: 400_000 }

/** Matches the id at its usual position in text that is not parsed. */
const ID_AT_HEAD = /^[^"]*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*"?(\d{1,15})"?\s*,/
const ID_AT_END = /"id"\s*:\s*"?(\d{1,15})"?\s*\}\s*$/

/** Returns the id of a response that is too large to parse, so that its request fails immediately. */
function addressee(text: string): number | undefined {
  const id = ID_AT_HEAD.exec(text.slice(0, 128))?.[1] ?? ID_AT_END.exec(text.slice(-64))?.[1]
  return id === undefined ? undefined : Number(id)
}

/** Quotes the text, which is often a line meant for people. */
const quoted = (text: string): string => JSON.stringify(printable(text, 120))

/**
 * Connects a client to a transport that carries text in both directions, such as an in-memory or stdio
 * transport.
 */
export function duplex(transport: Transport, options: DuplexOptions = {}): ClientTransport {
  let closed = false
  return {
    ...options,
    streamPerRequest: false,
    get alive() {
      return !closed
    },
    start: (handlers) =>
      transport.start({
        message: (text) => {
          const parsed = parseText(text, PARSE_LIMITS)
          return parsed.ok
            ? handlers.message(parsed.value)
            : handlers.malformed(`${parsed.error.message}: ${quoted(text)}`, addressee(text))
        },
        malformed: (reason) => handlers.malformed(reason),
        close: (reason) => {
          closed = true
          handlers.close(reason)
        },
      }),
    send: (message, { signal }) =>
      transport.send(JSON.stringify(message), signal === undefined ? {} : { signal }),
    close: () => transport.close(),
  }
}
