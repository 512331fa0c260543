import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import process from 'node:process'
import type { McpServer } from '@jetway/core'
import type { SessionOptions } from '@jetway/core/http'
import type { ResponseMode } from './command-line.ts'

/** Where an app is mounted. */
export const PATH = '/mcp'

/** How long running calls may take to finish once the app is told to stop, in ms. */
export const CLOSE_DEADLINE_MS = 10_000

/** Where an app listens, and what its answers look like. */
export interface ListenOptions {
  readonly host: string
  readonly port: number
  readonly response: ResponseMode
}

/** A server that listens, and how to end it. */
export interface Listening {
  readonly port: number
  /** Takes no new work, lets running calls finish, ends streams and frees the port. */
  readonly stop: () => Promise<void>
}

/**
 * Socket limits, in ms. A peer that dribbles its head or its body holds a socket for free otherwise. Answers are
 * not concerned: a stream may stay open for as long as it likes.
 */
export const SOCKET_LIMITS: Readonly<
  Record<'headersTimeout' | 'requestTimeout' | 'connectionsCheckingInterval' | 'keepAliveTimeout', number>
> = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // How often the two above are looked at.
  connectionsCheckingInterval: 5_000,
  // Longer than the 60 s after which most load balancers let go, so that it is never we who close first.
  keepAliveTimeout: 72_000,
}

/** Where the keys come from with which session ids outlive the process: a command line is for everyone to read. */
const KEYS_VARIABLE = 'SESSION_KEYS'

/** Limits and keys of sessions, as the environment has them: keys separated by commas, the first of which seals. */
export function sessionOptions(): SessionOptions {
  const keys = process.env[KEYS_VARIABLE]
  return keys === undefined || keys === '' ? {} : { seal: { keys: keys.split(',') } }
}

/** Whether a server was left with a revision that has sessions; the door of the oldest transport needs them. */
export const hasSessions = ({ runtime }: McpServer): boolean =>
  runtime.revisions.some(({ era }) => era === 'legacy')

/** What the last bytes have to leave, in ms. */
const FLUSH_MS = 500

/**
 * Waits until an HTTP server has closed whose calls are all answered. Last bytes may still be leaving, and a connection
 * on which no request ever came counts as busy to Node: what is left after a moment is cut, or it would hold up the end.
 */
export async function cutWhenFlushed(http: Server, closed: Promise<unknown>): Promise<void> {
  const cut = setTimeout(() => http.closeAllConnections(), FLUSH_MS)
  await closed
  clearTimeout(cut)
}

/** The port of a server that listens on an address, not on a pipe. */
export const portOf = (address: AddressInfo | string | null): number => (address as AddressInfo).port
