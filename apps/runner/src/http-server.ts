import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import process from 'node:process'
import type { McpServer } from '@jetway/core'
import type { SessionOptions } from '@jetway/core/http'
import type { ResponseMode } from './command-line.ts'

/** The path of the MCP endpoint. */
export const PATH = '/mcp'

/** How long running calls may continue after a stop signal, in ms. */
export const CLOSE_DEADLINE_MS = 10_000

/** Where an app listens, and how it formats its replies. */
export interface ListenOptions {
  readonly host: string
  readonly port: number
  readonly response: ResponseMode
}

/** A listening server. */
export interface Listening {
  readonly port: number
  /** Refuses new calls, waits for running calls, ends streams and frees the port. */
  readonly stop: () => Promise<void>
}

/**
 * Socket limits, in ms. Without them, a peer that sends its head or body slowly could occupy a socket at no
 * cost. They do not limit replies, so a stream may stay open for any length of time.
 */
export const SOCKET_LIMITS: Readonly<
  Record<'headersTimeout' | 'requestTimeout' | 'connectionsCheckingInterval' | 'keepAliveTimeout', number>
> = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // The interval at which Node checks the two limits above.
  connectionsCheckingInterval: 5_000,
  // This is longer than the idle timeout of most load balancers (60 s), so that the server never closes the
  // connection first.
  keepAliveTimeout: 72_000,
}

/**
 * The environment variable that contains the session keys. They are not passed on the command line, because
 * other users could read it.
 */
const KEYS_VARIABLE = 'SESSION_KEYS'

/**
 * Returns the session limits and keys from the environment. Keys are separated by commas; the first one is used
 * for encryption.
 */
export function sessionOptions(): SessionOptions {
  const keys = process.env[KEYS_VARIABLE]
  return keys === undefined || keys === '' ? {} : { seal: { keys: keys.split(',') } }
}

/** Returns whether the server has a revision with sessions. HTTP+SSE requires one. */
export const hasSessions = ({ runtime }: McpServer): boolean =>
  runtime.revisions.some(({ era }) => era === 'legacy')

/** How long the last bytes may take to be sent, in ms. */
const FLUSH_MS = 500

/**
 * Waits until an HTTP server has closed after its last response. Node treats a connection that has sent no
 * request as busy, so connections that still remain after a short time are closed.
 */
export async function cutWhenFlushed(http: Server, closed: Promise<unknown>): Promise<void> {
  const cut = setTimeout(() => http.closeAllConnections(), FLUSH_MS)
  await closed
  clearTimeout(cut)
}

/** Returns the port of a server that listens on TCP. */
export const portOf = (address: AddressInfo | string | null): number => (address as AddressInfo).port
