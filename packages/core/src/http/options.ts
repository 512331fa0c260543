import type { Rejected } from '../call/server-events.ts'
import type { ParseLimits } from '../protocol/parse.ts'
import type { RevisionDate } from '../protocol/revisions/revision.ts'
import type { EventStore } from '../stores/event-store.ts'
import type { Logger } from '../util/logger.ts'
import type { SealKey } from '../util/sealer.ts'
import type { SharedStores } from '../stores/shared-stores.ts'
import type { SessionStore } from '../stores/session-store.ts'
import type { Authenticate, ServerCard } from './authenticate.ts'
import type { LegacySseOptions, SsePaths } from './sse-paths.ts'
import type { HealthOptions } from './health.ts'

/** Called for each refused request. */
export type RejectListener = (rejected: Rejected) => unknown

/** Limits on the sessions of a mount. */
export interface SessionOptions {
  /**
   * How long a session may be idle, in ms. A session with a running call or an open stream does not count as
   * idle.
   *
   * @default 1_800_000
   */
  readonly ttlMs?: number
  /** How long a session may be idle before its client sends `notifications/initialized`, in ms. @default 60_000 */
  readonly uninitializedTtlMs?: number
  /**
   * The maximum number of sessions on this mount in this process. When the limit is reached, a new session
   * replaces the session that has been idle longest. A session for an authenticated client replaces an
   * anonymous session first, even one that is in use. A session for an anonymous client can replace only
   * anonymous sessions. The same limit applies to the anonymous sessions of all processes that share a store:
   * when it is reached, the session that expires first is ended. @default 10_000
   */
  readonly max?: number
  /** The maximum number of sessions per authenticated principal. Anonymous clients share `max`. @default 100 */
  readonly maxPerPrincipal?: number
  /** Whether clients may end their sessions with DELETE. @default true */
  readonly allowDelete?: boolean
  /**
   * How long a session that was read from the store is assumed to be unchanged, in ms; if 0, it is read again
   * for every request. If another process ends the session, this process notices within this time. @default
   * 1_000
   */
  readonly verifyMs?: number
  /**
   * A prefix for every session id: 1 to 64 letters, digits, `-` and `_`. A dot separates it from the rest of
   * the id. A proxy in front of the mount, such as a Worker that routes to Durable Objects, can route requests
   * by this prefix. The prefix is not authenticated. Cannot be used with `seal`.
   * @default none
   */
  readonly prefix?: string
  /**
   * The store for session records, from which other processes can continue sessions. Cannot be used with
   * `seal`.
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
 * Options for encrypted session ids, which allow another process with the same keys to continue a session.
 * Calls, streams, the log level and subscriptions are lost. An id has up to 1,024 characters. If a client's
 * capabilities do not fit, its session has an ordinary id.
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

/** Determines how a mount keeps streams open and detects clients that have gone. */
export interface KeepAliveOptions {
  /**
   * `comment` writes comments on every open stream, which clients ignore. `ping` also sends `ping` requests
   * on the GET stream, and closes the sessions of clients that do not respond. Every message from the client
   * counts as a response. `ping` requires sessions. @default 'comment'
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
   * The maximum number of consecutive pings without a response. After these, the session is closed instead of
   * being pinged again.
   *
   * @default 3
   */
  readonly maxMissed?: number
}

/** Limits on `subscriptions/listen` streams. */
export interface SubscriptionLimits {
  /**
   * The maximum number of open streams on this mount in this process. When the limit is reached, a new
   * anonymous stream is refused with 503. A new stream opened by an authenticated principal instead ends the
   * oldest anonymous stream, if there is one; otherwise, it is also refused with 503. @default 10_000
   */
  readonly max?: number
  /** The maximum number of open streams per authenticated principal. Anonymous clients share `max`. @default 100 */
  readonly maxPerPrincipal?: number
}

/** The limits of a mount. */
export interface MountLimits {
  /**
   * The maximum size of a request body, in bytes. All bodies that a mount reads at the same time may use 64
   * times as many bytes. The bodies from one principal, or from anonymous clients at one address, may use 32
   * times as many. @default 4_194_304
   */
  readonly bodyBytes?: number
  /**
   * How long a client may take to send a request body, in ms. The time for the headers is limited by the host
   * application.
   *
   * @default 30_000
   */
  readonly bodyTimeoutMs?: number
  /** The maximum number of bytes that one stream queues for a client that reads slowly. @default 1_048_576 */
  readonly outboundBytes?: number
  /**
   * The maximum number of bytes in replies that are queued for clients in this process, as in
   * `stats().queuedBytes`. One principal may use half of it. Beyond that, its new calls and streams receive
   * 503, and results of 64 KiB or more from its running calls become errors. All anonymous clients together
   * may also use half of it. Beyond that, the network with the most bytes (an IPv4 address, or the first 64
   * bits of an IPv6 address) loses its oldest replies and streams. If all callers together exceed the limit,
   * the caller with the most bytes loses its oldest ones. @default 268_435_456
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
  /** How silent streams are kept open. If `false`, they are not kept open. @default a comment every 15 s */
  readonly keepAlive?: false | KeepAliveOptions
  /** How long a call may run before its reply becomes an event stream, in ms. @default 2_000 */
  readonly upgradeAfterMs?: number
  /** How long clients should wait before they resume a stream, in ms. @default 1_000 */
  readonly retryMs?: number
  /**
   * The store for events, from which clients resume a stream. If `false`, events are not stored.
   * @default in memory
   */
  readonly eventStore?: EventStore | false
}

/** Options for mounting a server on HTTP. The defaults are suitable for production. */
export interface EndpointOptions {
  /** The protocol revisions to serve. @default all revisions that the server supports */
  readonly revisions?: readonly RevisionDate[]
  /**
   * Serves calls without sessions: without session ids, a GET stream, or messages to the client after a call.
   *
   * @default true in Workers, where a request cannot write to another request's stream; otherwise false. In
   * Durable Objects, set it to false
   */
  readonly stateless?: boolean
  /**
   * Also serves the older HTTP+SSE transport, for clients that use 2024-11-05. It is served at `/sse` and
   * `/message` in the directory of the MCP path, or at the given paths. Requires sessions. @default false
   */
  readonly legacySse?: boolean | LegacySseOptions
  /**
   * Allowed values of the Host header: `host`, `host:port`, or `*`.
   *
   * @default loopback names on loopback sockets, all names on other sockets
   */
  readonly allowedHosts?: readonly string[]
  /** Allowed values of the Origin header: whole origins, or `*`. @default loopback origins */
  readonly allowedOrigins?: readonly string[]
  /**
   * The URL at which clients reach this mount. Its host and origin are allowed. If it has a path, that is the
   * MCP path as clients see it, and `/message` is in the same directory.
   */
  readonly publicUrl?: string | URL
  /**
   * Authenticates every request. Returns the caller's identity, `{ principal }`; undefined to refuse the
   * request with 401; or a `Rejection` to refuse it with another status.
   *
   * @default the caller identified by the host application, or an anonymous one
   */
  readonly authenticate?: Authenticate
  /**
   * `serverCard(…)` of `@jetway/core/card` publishes a server card at `/server-card` below the MCP path, and an
   * AI Catalog at `/.well-known/ai-catalog.json`. Requires `publicUrl`. Cannot be used with a function that
   * chooses the server. @default none
   */
  readonly card?: ServerCard
  /**
   * `json` never streams, and drops a call's notifications. `sse` streams every reply, except errors with an
   * HTTP status in calls without a session. `auto` streams a reply when a call sends something before its
   * response or takes a long time.
   * @default 'auto'
   */
  readonly response?: 'auto' | 'json' | 'sse'
  /** Limits on bodies, queues and subscriptions. */
  readonly limits?: MountLimits
  /** How long sessions live, and where they are stored. */
  readonly sessions?: SessionOptions
  /**
   * Stores that several processes share, so that every process can serve every session and stream.
   * `sessions.store` and `streams.eventStore` override the respective store. Cannot be used with
   * `sessions.seal`. @default the server's `shared` option
   */
  readonly shared?: SharedStores
  /** How event streams begin, stay open and are resumed. */
  readonly streams?: StreamOptions
  /**
   * Serves probes at `/livez` and `/readyz`, below the prefix of the MCP path, or at the given paths. Probes
   * use GET or HEAD, and are not authenticated. Their Host header is not checked, because probes address the
   * server by its IP address. @default false
   */
  readonly health?: boolean | HealthOptions
  /**
   * Called for every request that this mount refuses. Errors that it throws are logged. `server.on('reject')`
   * does not report requests that are refused before a server has been selected.
   */
  readonly onReject?: RejectListener
  /**
   * A logger with the same methods as pino, for requests to this mount and their calls.
   *
   * @default the server's logger; on Fastify, the logger of the app and of each request
   */
  readonly logger?: Logger
}

/** The path at which an adapter mounts an endpoint. */
export interface EndpointPlace {
  /** The MCP path as the app sees it, including all prefixes. @default unknown */
  readonly path?: string | undefined
}

/** The options, with every default filled in. */
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
