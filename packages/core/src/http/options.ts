import type { Rejected } from '../call/server-events.ts'
import type { ParseLimits } from '../protocol/parse.ts'
import type { RevisionDate } from '../protocol/revisions/revision.ts'
import type { EventStore } from '../stores/event-store.ts'
import type { Logger } from '../util/logger.ts'
import type { SealKey } from '../util/sealer.ts'
import type { SharedStores } from '../stores/shared-stores.ts'
import type { SessionStore } from '../stores/session-store.ts'
import type { Authenticate } from './authenticate.ts'
import type { LegacySseOptions, SsePaths } from './sse-paths.ts'
import type { HealthOptions } from './health.ts'

/** Called for each refused request. */
export type RejectListener = (rejected: Rejected) => unknown

/** Limits on the sessions of a mount. */
export interface SessionOptions {
  /**
   * How long a session may be idle, in ms. A session with a running call or an open stream is not idle.
   *
   * @default 1_800_000
   */
  readonly ttlMs?: number
  /** How long a session may be idle before its client sends `notifications/initialized`, in ms. @default 60_000 */
  readonly uninitializedTtlMs?: number
  /**
   * The maximum number of sessions on this mount in this process. Beyond it, a new session replaces the session
   * that has been idle longest. An authenticated client replaces an anonymous session first, even one in use; an
   * anonymous client can replace only anonymous sessions. Processes that share a store have at most this many
   * anonymous sessions together: beyond it, the session that expires first ends. @default 10_000
   */
  readonly max?: number
  /** The maximum number of sessions per authenticated principal. Anonymous clients share `max`. @default 100 */
  readonly maxPerPrincipal?: number
  /** Whether clients may end their sessions with DELETE. @default true */
  readonly allowDelete?: boolean
  /**
   * How long a session that was read from the store is assumed to be unchanged, in ms; 0 reads it for every
   * request. If another process ends the session, this process notices within this time. @default 1_000
   */
  readonly verifyMs?: number
  /**
   * A prefix for every session id, followed by a dot: 1 to 64 letters, digits, `-` and `_`. A proxy in front of the
   * mount can route requests by this prefix, for example a Worker that routes to Durable Objects. The prefix is not
   * authenticated. Cannot be used with `seal`.
   * @default none
   */
  readonly prefix?: string
  /**
   * The store for session records, from which other processes can continue sessions. Cannot be used with `seal`.
   *
   * @default records stay in this process
   */
  readonly store?: SessionStore
  /**
   * Encrypts session ids, so that clients can continue their sessions after a restart with the same keys.
   */
  readonly seal?: SealedSessionOptions
}

/**
 * Options for encrypted session ids, with which another process that has the same keys can continue a session.
 * Calls, streams, the log level and subscriptions are lost. An id has up to 1,024 characters; a client whose
 * capabilities do not fit gets a plain id.
 */
export interface SealedSessionOptions {
  /**
   * 1 to 8 keys, each with 32 random bytes, as bytes, base64 or base64url. The first key encrypts ids; every key can
   * decrypt them. To rotate keys, put a new key first, and remove the old key after `maxAgeMs`.
   */
  readonly keys: readonly SealKey[]
  /** The maximum age of a session that another process can continue, in ms. @default 86_400_000 */
  readonly maxAgeMs?: number
}

/** How a mount keeps streams open and detects clients that have gone. */
export interface KeepAliveOptions {
  /**
   * `comment` writes comments, which clients skip, on every open stream. `ping` also sends `ping` requests on
   * the GET stream, and closes the sessions of clients that do not respond. Every message from the client
   * counts as a response. `ping` needs sessions. @default 'comment'
   *
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping
   */
  readonly mode?: 'comment' | 'ping'
  /**
   * The interval between comments or pings, in ms. Set it below the idle timeout of every proxy in front of the
   * mount. @default 15_000
   */
  readonly intervalMs?: number
  /**
   * The maximum number of consecutive pings without a response. Instead of another ping, the session is closed.
   *
   * @default 3
   */
  readonly maxMissed?: number
}

/** Limits on `subscriptions/listen` streams. */
export interface SubscriptionLimits {
  /**
   * The maximum number of open streams on this mount in this process. Beyond it, a new stream gets 503, but a stream
   * opened by an authenticated principal ends the oldest anonymous stream instead. @default 10_000
   */
  readonly max?: number
  /** The maximum number of open streams per authenticated principal. Anonymous clients share `max`. @default 100 */
  readonly maxPerPrincipal?: number
}

/** Limits of a mount. */
export interface MountLimits {
  /**
   * The maximum size of a request body, in bytes. All bodies that a mount is reading at the same time may
   * hold 64 times as many bytes; those of one principal, or of anonymous clients at one address, may hold 32
   * times as many. @default 4_194_304
   */
  readonly bodyBytes?: number
  /**
   * How long a client may take to send a request body, in ms. The host application limits the time for the headers.
   *
   * @default 30_000
   */
  readonly bodyTimeoutMs?: number
  /** The maximum number of bytes that one stream queues for a client that reads slowly. @default 1_048_576 */
  readonly outboundBytes?: number
  /**
   * The maximum number of bytes in replies that are queued for clients in this process, as in `stats().queuedBytes`.
   * One principal may use half of it. Beyond that, its new calls and streams get 503, and results of 64 KiB or more from
   * its running calls become errors. All anonymous clients together may use half of it too. Beyond that, the network with
   * the most bytes (an IPv4 address, or the first 64 bits of an IPv6 address) loses its oldest replies and streams. If all
   * callers together exceed the limit, the one with the most bytes does. @default 268_435_456
   */
  readonly queuedBytes?: number
  /** Limits on the depth and size of a message. */
  readonly parse?: Partial<ParseLimits>
  /** Limits on `subscriptions/listen`, whose reply is a stream even if `response` is `'json'`. */
  readonly subscriptions?: SubscriptionLimits
  /** How long `close()` waits for running calls if no deadline is given, in ms. @default 10_000 */
  readonly closeDeadlineMs?: number
}

/** Options for a mount's event streams (SSE). */
export interface StreamOptions {
  /** How silent streams are kept open; `false` does not keep them open. @default a comment every 15 s */
  readonly keepAlive?: false | KeepAliveOptions
  /** How long a call may run before its reply becomes an event stream, in ms. @default 2_000 */
  readonly upgradeAfterMs?: number
  /** How long clients should wait before they resume a stream, in ms. @default 1_000 */
  readonly retryMs?: number
  /** The store for events, from which clients resume a stream; with `false`, events are not stored. @default in memory */
  readonly eventStore?: EventStore | false
}

/** Options for mounting a server on HTTP. Every default is meant for production. */
export interface EndpointOptions {
  /** The protocol revisions to serve. @default all that the server serves */
  readonly revisions?: readonly RevisionDate[]
  /**
   * Serves calls without sessions: without session ids, a GET stream, or messages to the client after a call.
   *
   * @default false, but true in Workers, where a request cannot write to another request's stream.
   *   Set it to false in Durable Objects
   */
  readonly stateless?: boolean
  /**
   * Also serves the older HTTP+SSE transport, for clients that speak 2024-11-05: at `/sse` and `/message` in the
   * directory of the MCP path, or at the given paths. Needs sessions. @default false
   */
  readonly legacySse?: boolean | LegacySseOptions
  /**
   * Allowed values of the Host header: `host`, `host:port`, or `*`.
   *
   * @default loopback names on loopback sockets, otherwise all
   */
  readonly allowedHosts?: readonly string[]
  /** Allowed values of the Origin header: whole origins, or `*`. @default loopback origins */
  readonly allowedOrigins?: readonly string[]
  /**
   * The URL at which clients reach this mount. Its host and origin are allowed. Its path, if it has one, is
   * the MCP path that clients see, and the address of `/message` is in the same directory.
   */
  readonly publicUrl?: string | URL
  /**
   * Authenticates every request. Gets the request, and returns who calls, `{ principal }`; undefined for 401, or a
   * `Rejection` for another refusal.
   *
   * @default the caller identified by the host application, or an anonymous one
   */
  readonly authenticate?: Authenticate
  /**
   * `json` never streams, and drops the notifications of a call. `sse` always streams, except errors with an
   * HTTP status in calls without a session. `auto` streams when a call sends something before its response or
   * takes a long time.
   * @default 'auto'
   */
  readonly response?: 'auto' | 'json' | 'sse'
  /** Limits on bodies, queues and subscriptions. */
  readonly limits?: MountLimits
  /** How long sessions live, and where they are stored. */
  readonly sessions?: SessionOptions
  /**
   * Stores that several processes share, so that each process can serve every session and stream. The
   * options `sessions.store` and `streams.eventStore` each replace one of these stores. Cannot be used with
   * `sessions.seal`. @default the server's `shared` option
   */
  readonly shared?: SharedStores
  /** How event streams begin, stay open and are resumed. */
  readonly streams?: StreamOptions
  /**
   * Answers probes at `/livez` and `/readyz`, below the prefix of the MCP path, or at the given
   * paths. Probes use GET or HEAD, and are not authenticated. Their Host header is not checked, because
   * probes address the server by its IP address. @default false
   */
  readonly health?: boolean | HealthOptions
  /**
   * Called for every request that this mount refuses. Errors that it throws are logged. If a function chooses
   * the server, `server.on('reject')` does not report requests that are refused before a server is chosen.
   */
  readonly onReject?: RejectListener
  /**
   * A logger with pino's methods, for requests to this mount and their calls.
   *
   * @default the server's logger; on Fastify, the logger of the app and of each request
   */
  readonly logger?: Logger
}

/** Where an adapter serves an endpoint. */
export interface EndpointPlace {
  /** The MCP path as the app sees it, with all prefixes. @default unknown */
  readonly path?: string | undefined
}

/** The options with every default filled in. */
export interface ResolvedOptions {
  readonly response: 'auto' | 'json' | 'sse'
  readonly stateless: boolean
  readonly bodyLimit: number
  readonly bodyTimeoutMs: number
  readonly outboundLimit: number
  readonly queuedLimit: number
  readonly closeDeadlineMs: number
  readonly upgradeAfterMs: number
  readonly retryMs: number
  readonly parseLimits: ParseLimits
  readonly sessions: Required<Omit<SessionOptions, 'seal' | 'store' | 'prefix'>>
  readonly subscriptions: Required<SubscriptionLimits>
  readonly seal: Required<SealedSessionOptions> | undefined
  /** The `sessions.prefix` option followed by a dot, or an empty string. */
  readonly sessionPrefix: string
  readonly legacySse: SsePaths | undefined
  readonly keepAlive: false | Required<KeepAliveOptions>
}

export type ResolvedSessionOptions = Pick<
  ResolvedOptions,
  'stateless' | 'sessions' | 'seal' | 'sessionPrefix' | 'legacySse'
>

export const SESSION_DEFAULTS: ResolvedOptions['sessions'] = {
  ttlMs: 1_800_000,
  uninitializedTtlMs: 60_000,
  max: 10_000,
  maxPerPrincipal: 100,
  verifyMs: 1_000,
  allowDelete: true,
}
