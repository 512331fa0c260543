import type { ParseLimits } from '@jetway/core/protocol'
import type { AuthProvider } from '../auth/provider.ts'
import { withAuth } from '../auth/with-auth.ts'
import { failingByName } from './credentials.ts'

/** What of `fetch` is used. */
export type Fetch = (input: string, init: RequestInit) => Promise<Response>

/** One request before it leaves, for whoever adds headers to it. */
export interface OutgoingRequest {
  readonly url: string
  readonly method: string
}

/** Headers of one's own. The protocol's cannot be replaced. */
export type ExtraHeaders =
  | Readonly<Record<string, string>>
  | ((
      request: OutgoingRequest,
    ) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>)

/** Options of the transports over HTTP. */
export interface HttpOptions {
  /** Headers of every request; a function is asked for each. */
  readonly headers?: ExtraHeaders
  /** Gives every request its credentials, and decides what follows a 401 or 403. Its headers win over `headers`. */
  readonly auth?: AuthProvider
  /** @default the global `fetch` */
  readonly fetch?: Fetch
  /** Bytes that a reply, and UTF-16 units that an event, may have. @default 64 MiB */
  readonly maxMessageBytes?: number
  /** What one message may be made of. @default a depth of 128 and 1,000,000 brackets, commas and colons */
  readonly parseLimits?: ParseLimits
  /** Ms in which a server of HTTP+SSE says where messages go. @default 30_000 */
  readonly openTimeoutMs?: number
  /** Ms that telling the server of the end of the session may take. @default 5_000 */
  readonly closeTimeoutMs?: number
  /** Whether closing ends the session at the server. False leaves it, to be gone on with. @default true */
  readonly endSession?: boolean
  /** How a stream is opened again after it was cut. The server's `retry` takes the place of the first. */
  readonly reconnect?: {
    /** Ms before the first attempt, doubled for each that fails. @default 1_000 */
    readonly firstMs?: number
    /** Ms between attempts at most. @default 30_000 */
    readonly lastMs?: number
  }
}

export interface ResolvedHttpOptions {
  readonly url: string
  readonly headers: ExtraHeaders
  readonly fetch: Fetch
  readonly maxMessageBytes: number
  readonly parseLimits: ParseLimits
  readonly openTimeoutMs: number
  readonly closeTimeoutMs: number
  readonly endSession: boolean
  readonly firstMs: number
  readonly lastMs: number
}

/** @throws TypeError for what is no URL of http or https */
export function resolveHttpOptions(url: string | URL, options: HttpOptions): ResolvedHttpOptions {
  const { protocol, href, username, password } = new URL(url)
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new TypeError(`A server's URL begins with http: or https:, not ${protocol}`)
  if (username !== '' || password !== '')
    throw new TypeError("A server's URL holds no user and password: give them as headers")
  // Called as a method of another object the global one fails in browsers.
  const fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init))
  return {
    url: href,
    headers: options.headers ?? {},
    fetch: options.auth === undefined ? fetch : withAuth(fetch, failingByName(options.auth), href),
    maxMessageBytes: options.maxMessageBytes ?? 64 * 1024 * 1024,
    parseLimits: options.parseLimits ?? { maxDepth: 128, maxTokens: 1_000_000 },
    openTimeoutMs: options.openTimeoutMs ?? 30_000,
    closeTimeoutMs: options.closeTimeoutMs ?? 5_000,
    endSession: options.endSession ?? true,
    firstMs: options.reconnect?.firstMs ?? 1_000,
    lastMs: options.reconnect?.lastMs ?? 30_000,
  }
}
