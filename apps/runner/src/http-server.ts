import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import process from 'node:process'
import type { McpServer } from '@jetway/core'
import type { SessionOptions } from '@jetway/core/http'
import type { ResponseMode } from './command-line.ts'

/** The path of the MCP endpoint. */
export const PATH = '/mcp'

/** How long running calls may take after a stop signal, in ms. */
export const CLOSE_DEADLINE_MS = 10_000

/** Where an app listens, and the form of its responses. */
export interface ListenOptions {
  readonly host: string
  readonly port: number
  readonly response: ResponseMode
}

/** A listening server. */
export interface Listening {
  readonly port: number
  /** Refuses new calls, waits for running ones, ends streams and frees the port. */
  readonly stop: () => Promise<void>
}

/**
 * Socket limits, in ms. Without them a peer that sends its head or body slowly holds a socket for free. They
 * do not limit responses: a stream may stay open for any time.
 */
export const SOCKET_LIMITS: Readonly<
  Record<'headersTimeout' | 'requestTimeout' | 'connectionsCheckingInterval' | 'keepAliveTimeout', number>
> = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // How often Node checks the two limits above.
  connectionsCheckingInterval: 5_000,
  // Longer than the idle timeout of most load balancers (60 s), so that the server never closes first.
  keepAliveTimeout: 72_000,
}

/** The environment variable that contains the session keys. A command line could be read by other users. */
const KEYS_VARIABLE = 'SESSION_KEYS'

/** Session limits and keys from the environment. Keys are separated by commas; the first one seals. */
export function sessionOptions(): SessionOptions {
  const keys = process.env[KEYS_VARIABLE]
  return keys === undefined || keys === '' ? {} : { seal: { keys: keys.split(',') } }
}

/** Whether the server has a revision with sessions, which HTTP+SSE needs. */
export const hasSessions = ({ runtime }: McpServer): boolean =>
  runtime.revisions.some(({ era }) => era === 'legacy')

/** The time for the last bytes to be sent, in ms. */
const FLUSH_MS = 500

/**
 * Waits until an HTTP server has closed after its last response. Node counts a connection without any request
 * as busy, so connections that remain after a moment are closed.
 */
export async function cutWhenFlushed(http: Server, closed: Promise<unknown>): Promise<void> {
  const cut = setTimeout(() => http.closeAllConnections(), FLUSH_MS)
  await closed
  clearTimeout(cut)
}

/** The port of a server that listens on TCP. */
export const portOf = (address: AddressInfo | string | null): number => (address as AddressInfo).port
