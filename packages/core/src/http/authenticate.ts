import { usageError } from '../errors.ts'
import type { Implementation } from '../protocol/types.ts'
import type { AuthInfo } from '../stores/principal.ts'
import type { UsedStates } from '../stores/used-states.ts'
import type { Clock } from '../util/clock.ts'
import type { Logger } from '../util/logger.ts'
import type { Awaitable } from '../util/promises.ts'
import type { LegacySseOptions } from './sse-paths.ts'
import type { HttpReply, HttpRequest } from './types.ts'

/**
 * `unauthorized`: the request lacks valid credentials. `insufficientScope`: the credentials lack a required
 * scope. `authorizationUnavailable`: the credentials cannot be checked at the moment.
 */
export type RejectionReason = 'unauthorized' | 'insufficientScope' | 'authorizationUnavailable'

/** A refusal that `authenticate` returns instead of an identity. */
export class Rejection {
  readonly status: number
  readonly message: string
  readonly headers: Readonly<Record<string, string>>
  /** The cause, which is logged but not sent. */
  readonly cause: unknown
  /** The reason under which the refusal is counted and reported. */
  readonly reason: RejectionReason

  /** @throws `ERR_MCP_OPTION` unless the status is from 400 to 599 */
  constructor(
    status: number,
    message: string,
    options: {
      readonly headers?: Readonly<Record<string, string>>
      readonly cause?: unknown
      /** @default 'unauthorized' */
      readonly reason?: RejectionReason
    } = {},
  ) {
    if (!Number.isInteger(status) || status < 400 || status > 599) {
      throw usageError('ERR_MCP_OPTION', 'A Rejection has a status from 400 to 599')
    }
    this.status = status
    this.message = message
    this.headers = options.headers ?? {}
    this.cause = options.cause
    this.reason = options.reason ?? 'unauthorized'
  }
}

/**
 * Authenticates a request with any HTTP method. If it returns undefined, the client receives status 401 with
 * `challenge`. If it returns a {@link Rejection}, the client receives the rejection's status. If it throws, the
 * client receives status 500.
 */
export interface Authenticate {
  (request: HttpRequest): Awaitable<AuthInfo | Rejection | undefined>
  /** The `WWW-Authenticate` header of a 401. @default 'Bearer' */
  readonly challenge?: string
  /**
   * The `WWW-Authenticate` header of a 403 for an operation that needs more scopes.
   *
   * @param scopes - all scopes that the operation needs
   * @default the challenge
   */
  challengeFor?(scopes: readonly string[], request: HttpRequest): string
  /**
   * Called once by each mount. The mount then uses the returned value, which can therefore depend on the
   * mount's address.
   */
  mount?(at: ProtectedMount): Authenticate
  /**
   * The documents in which clients find the authorization server. Before `mount` is called, they cover all
   * mounts that use this `authenticate`.
   */
  readonly wellKnown?: WellKnown
}

/** The mount protected by an `Authenticate`. */
export interface ProtectedMount {
  /** The mount's `publicUrl` option. */
  readonly publicUrl: string | URL | undefined
  /** The MCP path as the app sees it; undefined if it depends on the request. */
  readonly path: string | undefined
  /** The mount's `legacySse` option. */
  readonly legacySse: boolean | LegacySseOptions | undefined
  /** The store of used states in the mount's `shared` option; undefined for a single process. */
  readonly usedStates?: UsedStates | undefined
  readonly clock: Clock
  readonly logger: Logger
}

/** The parts of a request on which a public document may depend. */
export type WellKnownRequest = Pick<HttpRequest, 'method' | 'path' | 'header' | 'peer'>

/**
 * Public documents, such as the protected resource metadata below `/.well-known/` of the origin, and the server
 * card below the MCP path. An adapter serves them without authentication.
 */
export interface WellKnown {
  /** The full paths that are known when the mount is created, for adapters that route each path separately. */
  readonly paths: readonly string[]
  /**
   * Set by another part of the app if it serves the paths at the root. Mounts below a prefix cannot serve them,
   * and refuse to be mounted if this is false.
   */
  elsewhere: boolean
  /** Returns the reply, or undefined for any other path. */
  answer(request: WellKnownRequest): HttpReply | undefined
}

/** The mount that a {@link ServerCard} describes. */
export interface DescribedMount extends Pick<ProtectedMount, 'publicUrl' | 'path'> {
  /** The name, version and other metadata of the server; undefined if a function chooses the server. */
  readonly info: Implementation | undefined
  /** The revisions that the mount serves, newest first. */
  readonly revisions: readonly string[]
  /** The documents of the option `authenticate`. The returned documents include them. */
  readonly documents: WellKnown | undefined
}

/** Creates all public documents of a mount, such as `serverCard(…)` of `@jetway/core/card`. */
export type ServerCard = (mount: DescribedMount) => WellKnown

/**
 * Returns the documents of all mounts that use an `authenticate`, for a part of the app that serves the
 * documents in place of the mounts.
 *
 * @param call - the correct call, for error messages
 * @throws `ERR_MCP_OPTION` for an `authenticate` without documents
 */
export function documentsOf(
  authenticate: { readonly wellKnown?: WellKnown } | undefined,
  call: string,
): WellKnown {
  const documents = authenticate?.wellKnown
  if (documents === undefined)
    throw usageError('ERR_MCP_OPTION', `${call} needs the authenticate of a mount, such as oauth(…)`)
  documents.elsewhere = true
  return documents
}
