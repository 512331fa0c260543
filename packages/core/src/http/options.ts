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
  /** The same until the client has sent `notifications/initialized`, in ms. @default 60_000 */
  readonly uninitializedTtlMs?: number
  /**
   * Sessions of this mount in this process. A new one replaces the one that is idle longest. A new one
   * of an authenticated principal replaces anonymous ones first, even one in use; anonymous ones
   * replace no others. @default 10_000
   */
  readonly max?: number
  /** Sessions of one authenticated principal. Anonymous clients share `max`. @default 100 */
  readonly maxPerPrincipal?: number
  /** Whether clients may end their sessions with DELETE. @default true */
  readonly allowDelete?: boolean
  /**
   * For how long a session that was read from the store counts as unchanged, in ms; 0 reads it for every
   * request. An end at another process is noticed after this time at the latest. @default 1_000
   */
  readonly verifyMs?: number
  /**
   * The beginning of every session id, before a dot: 1 to 64 letters, digits, `-` and `_`. A proxy in front of the
   * mount can route requests by it, such as a Worker to a Durable Object. It proves nothing. Cannot be used with
   * `seal`.
   * @default none
   */
  readonly prefix?: string
  /**
   * Stores session records for other processes. Cannot be used with `seal`.
   *
   * @default they stay in this process
   */
  readonly store?: SessionStore
  /**
   * Session ids that outlive the process: after a restart with the same keys,
   * clients continue their sessions.
   */
  readonly seal?: SealedSessionOptions
}

/**
 * Encrypted session ids with which another process can continue a session, if it has the same keys. Calls,
 * streams, the log level and subscriptions are lost. Ids have up to 1,024 characters; a client whose
 * capabilities do not fit gets a plain id.
 */
export interface SealedSessionOptions {
  /**
   * 1 to 8 keys of 32 random bytes, as bytes, base64 or base64url. The first key seals, and all keys open. To
   * rotate, put a new key first, and remove the old one after `maxAgeMs`.
   */
  readonly keys: readonly SealKey[]
  /** How long after a session was opened another process accepts it, in ms. @default 86_400_000 */
  readonly maxAgeMs?: number
}

/** Keeps streams open, and detects clients that have gone. */
export interface KeepAliveOptions {
  /**
   * `comment` writes comments, which clients skip, on every open stream. `ping` also sends `ping` requests on
   * the GET stream, and closes the sessions of clients that do not respond. Every message of the client
   * counts as a response. `ping` needs sessions. @default 'comment'
   *
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping
   */
  readonly mode?: 'comment' | 'ping'
  /** How often, in ms. Set it below the idle timeout of every proxy in front. @default 15_000 */
  readonly intervalMs?: number
  /**
   * Pings in a row without a response, after which the session closes instead of the next ping.
   *
   * @default 3
   */
  readonly maxMissed?: number
}

/** Limits on the streams of `subscriptions/listen`. */
export interface SubscriptionLimits {
  /**
   * Open at once on this mount in this process. Another one gets 503; if it is of an authenticated principal,
   * the oldest one of an anonymous client ends instead. @default 10_000
   */
  readonly max?: number
  /** Of one authenticated principal. Anonymous clients share `max`. @default 100 */
  readonly maxPerPrincipal?: number
}

/** Limits of a mount. */
export interface MountLimits {
  /**
   * Bytes of a request body. The bodies that a mount reads at the same time may take 64 times as many, and
   * those of one principal, or of all anonymous clients, 32 times. @default 4_194_304
   */
  readonly bodyBytes?: number
  /**
   * How long the body of a request may take, in ms. The host application limits its headers.
   *
   * @default 30_000
   */
  readonly bodyTimeoutMs?: number
  /** Bytes that may wait on one stream for a client that reads slowly. @default 1_048_576 */
  readonly outboundBytes?: number
  /**
   * Bytes of replies that may wait in this process for their clients, as in `stats().queuedBytes`. Those of one
   * principal, or of all anonymous clients, may take half of it. Beyond that, new calls and streams of the caller
   * get 503, and a result of 64 KiB or more of a running call becomes an error. @default 268_435_456
   */
  readonly queuedBytes?: number
  /** Limits on the depth and size of a message. */
  readonly parse?: Partial<ParseLimits>
  /** Limits on `subscriptions/listen`. Its reply is a stream even if `response` is `'json'`. */
  readonly subscriptions?: SubscriptionLimits
  /** How long `close()` without a deadline waits for running calls, in ms. @default 10_000 */
  readonly closeDeadlineMs?: number
}

/** Event streams (SSE) of a mount. */
export interface StreamOptions {
  /** Writes on silent streams; `false` writes nothing. @default a comment every 15 s */
  readonly keepAlive?: false | KeepAliveOptions
  /** The reply to a call that runs longer becomes an event stream, in ms. @default 2_000 */
  readonly upgradeAfterMs?: number
  /** How long clients should wait before they resume a stream, in ms. @default 1_000 */
  readonly retryMs?: number
  /** Stores events for clients that resume a stream; `false` stores none. @default in memory */
  readonly eventStore?: EventStore | false
}

/** How a server is mounted on HTTP. Every default is meant for production. */
export interface EndpointOptions {
  /** The protocol revisions to serve. @default all that the server serves */
  readonly revisions?: readonly RevisionDate[]
  /**
   * Serves calls without sessions: no session ids, no GET stream, and no messages to the client after a call.
   *
   * @default false, but true in Workers, where no request can write to the stream of another.
   *   Set false in Durable Objects
   */
  readonly stateless?: boolean
  /**
   * Also serves the older HTTP+SSE transport, for clients of 2024-11-05: at `/sse` and `/message` in the
   * directory of the MCP path, or at the given paths. Needs sessions. @default false
   */
  readonly legacySse?: boolean | LegacySseOptions
  /**
   * Allowed values of the Host header: `host`, `host:port`, or `*`.
   *
   * @default on loopback sockets loopback names, else all
   */
  readonly allowedHosts?: readonly string[]
  /** Allowed values of the Origin header: whole origins, or `*`. @default loopback origins */
  readonly allowedOrigins?: readonly string[]
  /**
   * The URL at which clients reach this mount. Its host and origin are allowed. Its path, if it has one, is
   * the MCP path that clients see: they get the address of `/message` in the same directory.
   */
  readonly publicUrl?: string | URL
  /**
   * Authenticates every request.
   *
   * @default the caller that the host application has found, or an anonymous one
   */
  readonly authenticate?: Authenticate
  /**
   * `json` never streams, and drops the notifications of a call. `sse` always streams, except errors
   * with an HTTP status in calls without a session. `auto` streams when a call sends something
   * before its response or takes long.
   * @default 'auto'
   */
  readonly response?: 'auto' | 'json' | 'sse'
  /** Limits on bodies, queues and subscriptions. */
  readonly limits?: MountLimits
  /** How long sessions live, and where they are stored. */
  readonly sessions?: SessionOptions
  /**
   * Stores that several processes share, so that each serves the sessions and streams of all. The
   * options `sessions.store` and `streams.eventStore` replace one of them. Cannot be used with
   * `sessions.seal`. @default that of the server
   */
  readonly shared?: SharedStores
  /** How event streams begin, stay open and are resumed. */
  readonly streams?: StreamOptions
  /**
   * Answers probes at `/livez` and `/readyz`, below the prefix of the MCP path, or at the given
   * paths. Probes use GET or HEAD, and are not authenticated. Their Host is not checked, because
   * probes come by address. @default false
   */
  readonly health?: boolean | HealthOptions
  /**
   * Called for every request that this mount refuses. Its errors are logged. For mounts whose server is
   * chosen by a function: `server.on('reject')` misses the requests that are refused before the choice.
   */
  readonly onReject?: RejectListener
  /**
   * A logger with the methods of pino, for the requests of this mount and their calls.
   *
   * @default the server's logger; on Fastify, that of the app and of each request
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
  /** With the dot; empty without one. */
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
