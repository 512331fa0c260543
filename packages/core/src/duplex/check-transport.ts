import { usageError } from '../errors.ts'
import type { Transport } from './transport.ts'

/** Members that only transports of the official SDK have, and the functions to call instead. */
const OFFICIAL: readonly (readonly [member: string, instead: string])[] = [
  ['_stdin', 'serveStdio(server) of @jetway/stdio'],
  ['handleRequest', 'mcp({ server }) of @jetway/fastify, @jetway/hono or @jetway/node, or toFetch(server)'],
  ['handlePostMessage', 'mcp({ server, legacySse: true }) of @jetway/fastify, @jetway/hono or @jetway/node'],
  ['_otherTransport', 'createMemoryTransportPair() of @jetway/core/transport'],
  ['onmessage', 'a transport that implements Transport of @jetway/core/transport'],
]

/**
 * @throws `ERR_MCP_OPTION` for a missing transport, and for a transport of the official SDK, which would start
 *   and deliver nothing
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
