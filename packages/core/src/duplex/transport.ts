import { usageError } from '../errors.ts'

/** Why a transport ended. */
export type TransportClose = { readonly kind: 'end' } | { readonly kind: 'error'; readonly error: unknown }

/** The functions that a transport calls, given once to {@link Transport.start}. */
export interface TransportHandlers {
  /**
   * One message as JSON text, without a line end. If it returns a promise, the transport
   * stops reading until it settles.
   */
  message(text: string): void | Promise<void>
  /** The input is over the line limit or not UTF-8. */
  malformed(reason: string): void
  /** Called once, when the transport ends for any reason. */
  close(reason: TransportClose): void
}

/** Options of {@link Transport.send}. */
export interface SendOptions {
  /** Drops the message if it is not written yet. */
  readonly signal?: AbortSignal
  /** Extra headers, for transports that have headers. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A bidirectional connection at the level of raw JSON messages. */
export interface Transport {
  /** Starts delivery. Throws when called twice. */
  start(handlers: TransportHandlers): void | Promise<void>
  /**
   * Writes one message, and frames it. Returns a promise only while the peer reads slowly. If it throws or
   * rejects, the message is lost and the connection ends.
   */
  send(message: string, options?: SendOptions): void | Promise<void>
  /** Whether messages travel as bytes, so that the peer may read several in one piece. @default false */
  readonly byteStream?: boolean
  /** UTF-16 units that wait for a slow peer, for `stats()`. */
  readonly queued?: number
  /** Writes the queue, then ends. Safe to call again. */
  close(): Promise<void>
}

/** Members that only transports of the official SDK have, and what to call instead. */
const OFFICIAL: readonly (readonly [member: string, instead: string])[] = [
  ['_stdin', 'serveStdio(server) of @jetway/stdio'],
  ['handleRequest', 'mcp({ server }) of @jetway/fastify, @jetway/hono or @jetway/node, or toFetch(server)'],
  ['handlePostMessage', 'mcp({ server, legacySse: true }) of @jetway/fastify, @jetway/hono or @jetway/node'],
  ['_otherTransport', 'createMemoryTransportPair() of @jetway/core/transport'],
  ['onmessage', 'a transport that implements Transport of @jetway/core/transport'],
]

/**
 * @throws `ERR_MCP_OPTION` for a transport of the official SDK, which would start and deliver
 *   nothing, and for no transport
 */
export function checkTransport(transport: Transport): void {
  const given = transport as Partial<Transport> | undefined | null
  // The official `start()` takes no handlers.
  const official = given?.start?.length === 0 ? OFFICIAL.find(([member]) => member in given) : undefined
  if (official !== undefined)
    throw usageError(
      'ERR_MCP_OPTION',
      `server.connect got a transport of the official SDK, which Jetway cannot use. Use ${official[1]}`,
    )
  if (typeof given?.start === 'function' && typeof given.send === 'function') return
  throw usageError(
    'ERR_MCP_OPTION',
    'server.connect needs a transport with start, send and close. To serve stdio, call serveStdio(server) of @jetway/stdio',
  )
}
