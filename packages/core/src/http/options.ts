import type { ParseLimits } from '../protocol/parse.ts'
import type { RevisionDate } from '../protocol/revisions/revision.ts'
import type { EventStore } from '../stores/event-store.ts'
import type { Logger } from '../util/logger.ts'
import type { SealKey } from '../util/sealer.ts'
import type { SessionStore } from '../stores/session-store.ts'
import type { Authenticate } from './guard/bearer.ts'
import type { LegacySseOptions, SsePaths } from './legacy-sse/routes.ts'
import type { HealthOptions } from './health.ts'
import type { RejectListener } from './rejections.ts'

/** Limits on the sessions of a mount. */
export interface SessionOptions {
  /** How long a session may be idle, in ms. One with a running call or an open stream is not. @default 1_800_000 */
  readonly ttlMs?: number
  /** The same before the client has said that it is initialized, in ms. @default 60_000 */
  readonly uninitializedTtlMs?: number
  /** Sessions of this mount in this process. The one idle longest makes room for a new one. @default 10_000 */
  readonly max?: number
  /** Sessions of one authenticated principal; anonymous clients share `max`. @default 100 */
  readonly maxPerPrincipal?: number
  /** Whether a client may end its session by DELETE. @default true */
  readonly allowDelete?: boolean
  /** Where session records are kept. Not with `seal`. @default in memory */
  readonly store?: SessionStore
  /** Session ids that outlive the process: one that is started again with the same keys goes on with its sessions. */
  readonly seal?: SealedSessionOptions
}

/**
 * Session ids that carry, encrypted, what it takes to go on with a session. A process with the same keys adopts the
 * sessions of the one before it; its calls, streams, log level and subscriptions are gone. Ids are up to 1,024 characters
 * long; a client whose capabilities do not fit gets a plain id.
 */
export interface SealedSessionOptions {
  /**
   * Keys of 32 random bytes each, as bytes, base64 or base64url, 8 at the most. The first seals, all open: put a new one
   * in front, and take the old one away after `maxAgeMs`.
   */
  readonly keys: readonly SealKey[]
  /** How long after it was opened another process adopts a session, in ms. @default 86_400_000 */
  readonly maxAgeMs?: number
}

/** How streams are kept open, and how it is found out that nobody reads them any more. */
export interface KeepAliveOptions {
  /**
   * `comment` writes comments, which clients skip, on every open stream. `ping` does so too, and sends `ping` requests on
   * the stream that belongs to no call, which finds clients that have gone without a word: one that answers none is
   * closed. Every message of the client counts as an answer, an error too. Needs sessions. @default 'comment'
   *
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping
   */
  readonly mode?: 'comment' | 'ping'
  /** How often, in ms. Set it below the idle limit of every proxy on the way. @default 15_000 */
  readonly intervalMs?: number
  /** So many pings in a row may go unanswered; when the next one would be due, the session is closed. @default 3 */
  readonly maxMissed?: number
}

/** Bounds on the streams of `subscriptions/listen`. */
export interface SubscriptionLimits {
  /** Open at once on this mount in this process; one more is answered 503. @default 10_000 */
  readonly max?: number
  /** Of one authenticated principal; anonymous clients share `max`. @default 100 */
  readonly maxPerPrincipal?: number
}

/** Bounds on a mount. */
export interface MountLimits {
  /** Bytes of a request body. @default 4_194_304 */
  readonly bodyBytes?: number
  /** Bytes that may wait on one stream for a peer that reads slowly. @default 1_048_576 */
  readonly outboundBytes?: number
  /** Bounds on the shape of a message. */
  readonly parse?: Partial<ParseLimits>
  /** Bounds on `subscriptions/listen`. Its reply is a stream also where `response` is `'json'`. */
  readonly subscriptions?: SubscriptionLimits
  /** How long a close waits for running calls if it is given no deadline, in ms. @default 10_000 */
  readonly closeDeadlineMs?: number
}

/** Event streams (SSE) of a mount. */
export interface StreamOptions {
  /** What is written on streams that are silent; `false` writes nothing. @default a comment every 15 s */
  readonly keepAlive?: false | KeepAliveOptions
  /** A call that runs longer becomes an event stream, in ms. @default 2_000 */
  readonly upgradeAfterMs?: number
  /** How long a client should wait before it resumes a stream that was cut, in ms. @default 1_000 */
  readonly retryMs?: number
  /** Where sent events are kept for clients that come back; `false` keeps none. @default in memory */
  readonly eventStore?: EventStore | false
}

/** How a server is mounted on HTTP. Every default is meant for production. */
export interface EndpointOptions {
  /** The revisions to serve, out of those that the server speaks. All of them by default. */
  readonly revisions?: readonly RevisionDate[]
  /**
   * Serves calls without sessions: no ids, no GET stream, no way back to the client after a call.
   *
   * @default false, but true in Workers, where no request reaches the streams of another; `false` is for Durable Objects
   */
  readonly stateless?: boolean
  /**
   * Serves the older HTTP+SSE transport too, for clients of 2024-11-05: at `/sse` and `/message` beside the MCP path, or
   * at the paths that are named. Needs sessions. @default false
   */
  readonly legacySse?: boolean | LegacySseOptions
  /** Hosts that the Host header may name: `host`, `host:port`, or `*`. Loopback sockets take loopback names only by default. */
  readonly allowedHosts?: readonly string[]
  /** Origins of pages that may call: whole origins, or `*`. Loopback origins by default. */
  readonly allowedOrigins?: readonly string[]
  /**
   * Where clients reach this mount from outside. Its host and origin are allowed. Its path, if it has one, is where they
   * see the MCP path: `/message` is announced beside it.
   */
  readonly publicUrl?: string | URL
  /** Finds out who calls, for every request. Without it callers are who the host application says, or anonymous. */
  readonly authenticate?: Authenticate
  /**
   * `json` never streams and drops notifications that belong to a call; `sse` streams every answer but, where there is no
   * session, an error that has an HTTP status of its own and nothing before it. @default 'auto'
   */
  readonly response?: 'auto' | 'json' | 'sse'
  /** Bounds on bodies, queues and subscriptions. */
  readonly limits?: MountLimits
  /** How long sessions live, and where they are kept. */
  readonly sessions?: SessionOptions
  /** How event streams begin, stay open and are resumed. */
  readonly streams?: StreamOptions
  /**
   * Answers probes at `/livez` and `/readyz`, beside the MCP path and below the same prefix, or at the paths given:
   * GET and HEAD, with neither `authenticate` nor a check of the Host, since probes come by address. They tell nothing
   * but `ok` or `draining`. @default false
   */
  readonly health?: boolean | HealthOptions
  /**
   * Hears of every request that this mount turns away; what it throws is logged. For mounts whose server is chosen by a
   * function: before the choice there is no server of which `server.on('reject')` could be heard.
   */
  readonly onReject?: RejectListener
  /** The server's own by default. */
  readonly logger?: Logger
}

/** The options with every default filled in. */
export interface ResolvedOptions {
  readonly response: 'auto' | 'json' | 'sse'
  readonly stateless: boolean
  readonly bodyLimit: number
  readonly outboundLimit: number
  readonly closeDeadlineMs: number
  readonly upgradeAfterMs: number
  readonly retryMs: number
  readonly parseLimits: ParseLimits
  readonly sessions: Required<Omit<SessionOptions, 'seal' | 'store'>>
  readonly listens: Required<SubscriptionLimits>
  readonly seal: Required<SealedSessionOptions> | undefined
  readonly legacySse: SsePaths | undefined
  readonly keepAlive: false | Required<KeepAliveOptions>
}

/** Whether there are sessions, and their options. */
export type ResolvedSessionOptions = Pick<ResolvedOptions, 'stateless' | 'sessions' | 'seal' | 'legacySse'>

export const SESSION_DEFAULTS: ResolvedOptions['sessions'] = {
  ttlMs: 1_800_000,
  uninitializedTtlMs: 60_000,
  max: 10_000,
  maxPerPrincipal: 100,
  allowDelete: true,
}
