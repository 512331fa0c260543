import { type AuthInfo, ANONYMOUS } from '../../stores/principal.ts'
import type { Clock } from '../../util/clock.ts'
import type { Logger } from '../../util/logger.ts'
import { type Awaitable, chain, refusePromise } from '../../util/promises.ts'
import { type Authenticate, Rejection } from '../authenticate.ts'
import { invalidToken } from './bearer.ts'
import type { McpError, ScopeData } from '../../errors.ts'
import type { RequestId } from '../../protocol/jsonrpc.ts'
import { refuse } from '../refusals.ts'
import type { HttpReply, HttpRequest } from '../types.ts'

/** The maximum clock difference that is tolerated, in seconds. */
const TOLERANCE_S = 60

/** Returns the time at which credentials become invalid, in ms since 1970. `expiresAt` is in seconds. */
export const validUntil = (expiresAt: number): number => (expiresAt + TOLERANCE_S) * 1000

/** The caller (undefined for an anonymous caller), or the reply that refuses the request. */
type Authenticated = AuthInfo | HttpReply | undefined

/** Authenticates every request, and refuses expired credentials. */
export function createAuthenticator(
  authenticate: Authenticate | undefined,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): (request: HttpRequest) => Awaitable<Authenticated> {
  const challenge = authenticate?.challenge ?? 'Bearer'
  const unauthorized = refuse('unauthorized', { headers: { 'www-authenticate': challenge } })
  const expired = refuse('unauthorized', { headers: { 'www-authenticate': invalidToken(challenge) } })

  const option = authenticate === undefined ? 'authInfo' : 'authenticate'

  function check(found: AuthInfo | Rejection | undefined): Authenticated {
    if (found === undefined) return unauthorized
    if (found instanceof Rejection) {
      const { status, message, headers, cause, reason } = found
      if (cause !== undefined) logger.warn({ err: cause }, 'Authentication failed')
      return refuse(reason, { message, headers, status })
    }
    const { principal, expiresAt } = found
    if (typeof principal !== 'string' || principal === ANONYMOUS) {
      // With an empty principal, the caller would share the sessions of anonymous clients.
      throw new TypeError(`${option} returned no principal. Return { principal }, a string that is not empty`)
    }
    return expiresAt === undefined || clock.now() <= validUntil(expiresAt) ? found : expired
  }

  return (request) => {
    if (authenticate !== undefined) return chain(authenticate(request), check)
    const { auth } = request
    refusePromise(auth, 'authInfo returned a promise. It must return the value; authenticate may be async')
    return auth && check(auth)
  }
}

/** Returns the reply to a request whose caller lacks scopes. */
export function refuseScopes(
  authenticate: Authenticate | undefined,
  request: HttpRequest,
  { message, data }: McpError,
  id?: RequestId,
): HttpReply {
  const { scopes } = data as ScopeData
  const challenge = authenticate?.challengeFor?.(scopes, request) ?? authenticate?.challenge ?? 'Bearer'
  refusePromise(challenge, 'challengeFor returned a promise. It must return the value')
  return refuse('insufficientScope', { id, message, data, headers: { 'www-authenticate': challenge } })
}
