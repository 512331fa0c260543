import { checkNames, type OptionNames } from '@jetway/core/protocol'
import type { ServerNetwork } from '@jetway/core/telemetry'
import type { AuthProvider } from '../auth/provider.ts'
import { withAuth } from '../auth/with-auth.ts'

/** The part of `fetch` that the transports use. */
export type Fetch = (input: string, init: RequestInit) => Promise<Response>

/** A request as passed to a function that adds headers. */
export interface OutgoingRequest {
  readonly url: string
  readonly method: string
}

/** Custom headers. They cannot replace protocol headers. */
export type ExtraHeaders =
  | Readonly<Record<string, string>>
  | ((
      request: OutgoingRequest,
    ) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>)

/** The options of the HTTP transports. */
export interface HttpOptions {
  /** Headers to send with every request. A function is called for each request. */
  readonly headers?: ExtraHeaders
  /**
   * Adds credentials, and handles replies with status 401 or 403. Its headers take precedence over `headers`.
   */
  readonly auth?: AuthProvider
  /** The function that sends requests. @default the global `fetch` */
  readonly fetch?: Fetch
  /**
   * The maximum size of one reply, in bytes, and of one event, in UTF-16 code units. While a message is being
   * parsed, it needs about four times its size in memory.
   * @default 64 MiB
   */
  readonly maxMessageBytes?: number
  /** How long to wait for the reply to DELETE, in ms. @default 5_000 */
  readonly closeTimeoutMs?: number
  /** Whether closing ends the session. Set this to false to resume the session later. @default true */
  readonly endSession?: boolean
  /**
   * The delays before an interrupted stream is reopened. The server's `retry`, limited to between 500 ms and
   * one hour, replaces `initialDelayMs`.
   */
  readonly reconnect?: {
    /**
     * The delay before the first attempt, in ms. It doubles after each connection without a message. @default
     * 1_000
     */
    readonly initialDelayMs?: number
    /** The maximum delay, in ms. @default 30_000 */
    readonly maxDelayMs?: number
  }
}

export type ResolvedHttpOptions = { readonly url: string; readonly network: ServerNetwork } & Required<
  Omit<HttpOptions, 'auth' | 'reconnect'> & NonNullable<HttpOptions['reconnect']>
>

export const HTTP_OPTION_NAMES: OptionNames<HttpOptions> = {
  headers: 1,
  auth: 1,
  fetch: 1,
  maxMessageBytes: 1,
  closeTimeoutMs: 1,
  endSession: 1,
  reconnect: { initialDelayMs: 1, maxDelayMs: 1 },
}
/** Hints for users of option names from the official SDK's transports. */
const HINTS = {
  requestInit: 'pass its headers as headers, and a fetch of your own for the rest',
  authProvider: 'its name is auth',
  reconnectionOptions: 'its name is reconnect',
}

const DEFAULT_PORTS = { 'http:': 80, 'https:': 443 } as const

/** Fills in defaults. @throws TypeError for an invalid URL, UsageError `ERR_MCP_OPTION` for an unknown option */
export function resolveHttpOptions(url: string | URL, options: HttpOptions): ResolvedHttpOptions {
  checkNames(options, HTTP_OPTION_NAMES, HINTS)
  const { protocol, href, username, password, hostname, port } = new URL(url)
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new TypeError(`A server's URL must begin with http: or https:, not ${protocol}`)
  if (username !== '' || password !== '')
    throw new TypeError("A server's URL must not have a user name or password: use headers or auth")
  const { auth } = options
  return {
    url: href,
    network: {
      transport: 'tcp',
      protocol: 'http',
      address: hostname,
      port: port === '' ? DEFAULT_PORTS[protocol] : Number(port),
    },
    headers: options.headers ?? {},
    fetch: auth === undefined ? sending(options) : withAuth(sending(options), auth, href),
    maxMessageBytes: options.maxMessageBytes ?? 64 * 1024 * 1024,
    closeTimeoutMs: options.closeTimeoutMs ?? 5_000,
    endSession: options.endSession ?? true,
    initialDelayMs: options.reconnect?.initialDelayMs ?? 1_000,
    maxDelayMs: options.reconnect?.maxDelayMs ?? 30_000,
  }
}

/** `fetch` has failed. All other errors come from an auth provider. */
export class FetchError extends Error {}

/**
 * Returns a function that sends requests. In browsers, the global `fetch` fails if it is called as a method
 * of another object.
 */
function sending({ fetch = (input, init) => globalThis.fetch(input, init) }: HttpOptions): Fetch {
  return async (input, init) => {
    try {
      return await fetch(input, init)
    } catch (cause) {
      throw new FetchError('No response', { cause })
    }
  }
}
