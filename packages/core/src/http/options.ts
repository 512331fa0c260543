import { usageError } from '../errors.ts'
import { DEFAULT_PARSE_LIMITS, type ParseLimits } from '../protocol/parse.ts'
import type { RevisionDate } from '../protocol/revisions/revision.ts'
import { MAX_TIMEOUT_MS } from '../runtime/clock.ts'
import type { Clock } from '../runtime/clock.ts'
import type { EventStore } from '../runtime/event-store.ts'
import type { Logger } from '../runtime/logger.ts'
import type { SealKey } from '../runtime/seal.ts'
import type { SessionStore } from '../runtime/session-store.ts'
import type { Authenticate } from './auth.ts'
import { type LegacySseOptions, resolveSsePaths, type SsePaths } from './doors.ts'
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

/** Bounds on the streams by which clients without a session are told of changes. */
export interface ListenLimits {
  /** Open at once on this mount in this process; one more is answered 503. @default 10_000 */
  readonly max?: number
  /** Of one authenticated principal; anonymous clients share `max`. @default 100 */
  readonly maxPerPrincipal?: number
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
  /** Hosts that may stand in the Host header: `host`, `host:port`, or `*`. Loopback sockets take loopback names only by default. */
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
  /** What is written on streams that are silent; `false` writes nothing. @default a comment every 15 s */
  readonly keepAlive?: false | KeepAliveOptions
  /** A call that runs longer becomes an event stream, in ms. @default 2_000 */
  readonly upgradeAfterMs?: number
  /**
   * `json` never streams and drops notifications that belong to a call; `sse` streams every answer but, where there is no
   * session, an error that has an HTTP status of its own and nothing before it. @default 'auto'
   */
  readonly response?: 'auto' | 'json' | 'sse'
  /** Bytes of a request body. @default 4_194_304 */
  readonly bodyLimit?: number
  /** Bounds on the shape of a message. */
  readonly parseLimits?: Partial<ParseLimits>
  /** Bytes that may wait on one stream for a peer that reads slowly. @default 1_048_576 */
  readonly outboundLimit?: number
  /** How long a client should wait before it resumes a stream that was cut, in ms. @default 1_000 */
  readonly retryMs?: number
  readonly sessions?: SessionOptions
  /** Bounds on `subscriptions/listen`. Its reply is a stream also where `response` is `'json'`. */
  readonly listens?: ListenLimits
  /** What a close waits for running calls, in ms, where it is not told otherwise. @default 10_000 */
  readonly closeDeadlineMs?: number
  /** Where session records are kept. In this process by default. Not with `sessions.seal`. */
  readonly sessionStore?: SessionStore
  /** Where sent events are kept for clients that come back; `false` keeps none. In this process by default. */
  readonly eventStore?: EventStore | false
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

type Filled =
  | 'stateless'
  | 'upgradeAfterMs'
  | 'response'
  | 'bodyLimit'
  | 'outboundLimit'
  | 'retryMs'
  | 'closeDeadlineMs'

/** The options with every default filled in. */
export interface ResolvedOptions extends Required<Pick<EndpointOptions, Filled>> {
  readonly parseLimits: ParseLimits
  readonly sessions: Limits
  readonly listens: Required<ListenLimits>
  readonly seal: Required<SealedSessionOptions> | undefined
  readonly legacySse: SsePaths | undefined
  readonly keepAlive: false | Required<KeepAliveOptions>
}

type Limits = Required<Omit<SessionOptions, 'seal'>>

const DEFAULTS: Pick<ResolvedOptions, Filled> = {
  stateless: false,
  upgradeAfterMs: 2_000,
  response: 'auto',
  bodyLimit: 4_194_304,
  outboundLimit: 1_048_576,
  retryMs: 1_000,
  closeDeadlineMs: 10_000,
}

const SESSION_DEFAULTS: Limits = {
  ttlMs: 1_800_000,
  uninitializedTtlMs: 60_000,
  max: 10_000,
  maxPerPrincipal: 100,
  allowDelete: true,
}

const LISTEN_DEFAULTS: Required<ListenLimits> = { max: 10_000, maxPerPrincipal: 100 }

const SEAL_MAX_AGE_MS = 86_400_000
const KEEP_ALIVE_DEFAULTS: Required<KeepAliveOptions> = { mode: 'comment', intervalMs: 15_000, maxMissed: 3 }

/**
 * Fills in the defaults and checks every value.
 *
 * @throws `ERR_MCP_OPTION`, naming the option
 */
export function resolveOptions(
  options: EndpointOptions,
  { perRequest = false }: Pick<Clock, 'perRequest'> = {},
): ResolvedOptions {
  const filled = withDefaults({ ...DEFAULTS, stateless: perRequest }, options)
  const resolved: ResolvedOptions = {
    ...filled,
    parseLimits: withDefaults(DEFAULT_PARSE_LIMITS, options.parseLimits ?? {}),
    sessions: withDefaults(SESSION_DEFAULTS, options.sessions ?? {}),
    listens: withDefaults(LISTEN_DEFAULTS, options.listens ?? {}),
    seal: resolveSeal(options),
    legacySse: resolveSsePaths(options.legacySse),
    keepAlive: resolveKeepAlive(options, filled.stateless),
  }
  const { parseLimits, sessions, listens, seal } = resolved
  const numbers: Record<string, number> = {
    ...keepAliveNumbers(resolved.keepAlive),
    upgradeAfterMs: resolved.upgradeAfterMs,
    bodyLimit: resolved.bodyLimit,
    outboundLimit: resolved.outboundLimit,
    retryMs: resolved.retryMs,
    closeDeadlineMs: resolved.closeDeadlineMs,
    'parseLimits.maxDepth': parseLimits.maxDepth,
    'parseLimits.maxTokens': parseLimits.maxTokens,
    'sessions.ttlMs': sessions.ttlMs,
    'sessions.uninitializedTtlMs': sessions.uninitializedTtlMs,
    'sessions.max': sessions.max,
    'sessions.maxPerPrincipal': sessions.maxPerPrincipal,
    'listens.max': listens.max,
    'listens.maxPerPrincipal': listens.maxPerPrincipal,
    'sessions.seal.maxAgeMs': seal?.maxAgeMs ?? SEAL_MAX_AGE_MS,
  }
  for (const [name, value] of Object.entries(numbers)) checkNumber(name, value)
  check('stateless', typeof resolved.stateless === 'boolean', 'must be true or false')
  check(
    'legacySse',
    resolved.legacySse === undefined || !resolved.stateless,
    options.stateless === undefined
      ? 'needs sessions, which Workers have in Durable Objects alone: there, set stateless to false; elsewhere leave legacySse out'
      : 'needs sessions: it cannot be stateless',
  )
  check('sessions.allowDelete', typeof sessions.allowDelete === 'boolean', 'must be true or false')
  check('response', ['auto', 'json', 'sse'].includes(resolved.response), "must be 'auto', 'json' or 'sse'")
  check('authenticate', ['undefined', 'function'].includes(typeof options.authenticate), 'must be a function')
  return resolved
}

/** A store that was given says which sessions there are: an id must not bring back one that it has deleted. */
function resolveSeal({ sessions, sessionStore }: EndpointOptions): ResolvedOptions['seal'] {
  const seal = sessions?.seal
  if (seal === undefined) return undefined
  check('sessions.seal', typeof seal === 'object' && seal !== null, 'must be an object with keys')
  check('sessions.seal', sessionStore === undefined, 'and sessionStore exclude each other: leave one out')
  return { keys: seal.keys, maxAgeMs: seal.maxAgeMs ?? SEAL_MAX_AGE_MS }
}

function resolveKeepAlive(
  { keepAlive = {} }: EndpointOptions,
  stateless: boolean,
): ResolvedOptions['keepAlive'] {
  if (keepAlive === false) return false
  check('keepAlive', typeof keepAlive === 'object' && keepAlive !== null, 'must be false or an object')
  const resolved = withDefaults(KEEP_ALIVE_DEFAULTS, keepAlive)
  const { mode } = resolved
  check('keepAlive.mode', mode === 'comment' || mode === 'ping', "must be 'comment' or 'ping'")
  check('keepAlive.mode', mode === 'comment' || !stateless, "cannot be 'ping' without sessions")
  return resolved
}

const keepAliveNumbers = (keepAlive: ResolvedOptions['keepAlive']): Record<string, number> =>
  keepAlive === false
    ? {}
    : { 'keepAlive.intervalMs': keepAlive.intervalMs, 'keepAlive.maxMissed': keepAlive.maxMissed }

/** Picks the known keys; an option that is given as undefined counts as left out. */
function withDefaults<T extends object>(defaults: T, given: Partial<T>): T {
  const entries = Object.entries(defaults) as [keyof T, T[keyof T]][]
  return Object.fromEntries(entries.map(([key, fallback]) => [key, given[key] ?? fallback])) as T
}

function checkNumber(name: string, value: number): void {
  const fine = Number.isSafeInteger(value) && value > 0 && (!name.endsWith('Ms') || value <= MAX_TIMEOUT_MS)
  check(
    name,
    fine,
    `must be a whole number above 0${name.endsWith('Ms') ? ` and at most ${MAX_TIMEOUT_MS}` : ''}`,
  )
}

function check(name: string, fine: boolean, rule: string): void {
  if (!fine) throw usageError('ERR_MCP_OPTION', `${name} ${rule}`)
}
