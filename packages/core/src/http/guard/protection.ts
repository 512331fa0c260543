import { usageError } from '../../errors.ts'
import type { UsedStates } from '../../stores/used-states.ts'
import type { Clock } from '../../util/clock.ts'
import type { Logger } from '../../util/logger.ts'
import type { LegacySseOptions } from '../sse-paths.ts'
import type { HttpReply, HttpRequest } from '../types.ts'

/** The mount that an `Authenticate` protects. */
export interface ProtectedMount {
  /** The option of the mount. */
  readonly publicUrl: string | URL | undefined
  /** The MCP path as the app sees it; undefined where it depends on the request. */
  readonly path: string | undefined
  /** The option of the mount. */
  readonly legacySse: boolean | LegacySseOptions | undefined
  /** Those of the option `shared`; undefined for a single process. */
  readonly usedStates?: UsedStates | undefined
  readonly clock: Clock
  readonly logger: Logger
}

/** The parts of a request that a public document may depend on. */
export type WellKnownRequest = Pick<HttpRequest, 'method' | 'path' | 'header' | 'peer'>

/**
 * Public documents at paths below `/.well-known/` of the origin, such as the protected resource metadata. An
 * adapter answers them before the MCP routes, without authentication.
 */
export interface WellKnown {
  /** The paths that are known when the mount is created, for adapters that route each. */
  readonly paths: readonly string[]
  /** Set by a part of the app that answers these paths for mounts that cannot: those below a prefix. */
  elsewhere: boolean
  /** The reply; undefined for another path. */
  answer(request: WellKnownRequest): HttpReply | undefined
}

/**
 * The documents of all mounts of an `authenticate`, for a part of an app that answers them in place of the mounts.
 *
 * @param call - the right call, for errors
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
