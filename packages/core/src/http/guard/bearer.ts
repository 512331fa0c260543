import type { AuthInfo } from '../../stores/principal.ts'
import { check } from '../../util/check-options.ts'
import type { Awaitable } from '../../util/promises.ts'
import type { HttpRequest } from '../types.ts'
import { type Authenticate, Rejection } from '../authenticate.ts'

/** Options for {@link bearer}. */
export interface BearerOptions {
  /**
   * Checks a token's signature, issuer and audience. If it returns undefined or throws, the client receives
   * 401; errors are logged. If the result has `expiresAt`, Jetway checks that time with a tolerance of 60 s,
   * and ends open streams when the time has come.
   */
  readonly verify: (token: string, request: HttpRequest) => Awaitable<AuthInfo | undefined>
  readonly realm?: string
  /** The URL of the protected resource metadata (RFC 9728). */
  readonly resourceMetadata?: string | URL
}

/** https://www.rfc-editor.org/rfc/rfc6750#section-2.1 */
const CREDENTIALS = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i
const MAX_LENGTH = 16_384

/**
 * Authenticates requests by their bearer token.
 *
 * @throws `ERR_MCP_OPTION` for a realm or metadata URL that cannot be sent in a header
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#token-handling
 */
export function bearer({ verify, realm, resourceMetadata }: BearerOptions): Authenticate {
  check('verify of bearer', typeof verify === 'function', 'must be a function')
  const challenge = createChallenge(realm, resourceMetadata)
  const invalid = (cause?: unknown): Rejection =>
    new Rejection(401, 'The access token is not valid', {
      headers: { 'www-authenticate': invalidToken(challenge) },
      cause,
    })
  const authenticate = (request: HttpRequest): Awaitable<AuthInfo | Rejection | undefined> => {
    const header = request.header('authorization')
    if (header === undefined || !/^bearer(?: |$)/i.test(header)) return undefined
    const token = header.length > MAX_LENGTH ? undefined : CREDENTIALS.exec(header)?.[1]
    if (token === undefined) return invalid()
    try {
      const found = verify(token, request)
      return found instanceof Promise
        ? found.then((auth) => auth ?? invalid(), invalid)
        : (found ?? invalid())
    } catch (error) {
      return invalid(error)
    }
  }
  return Object.assign(authenticate, {
    challenge,
    challengeFor: (scopes: readonly string[]) =>
      withError(challenge, `error="insufficient_scope", scope="${scopes.join(' ')}"`),
  })
}

/** Returns the challenge to send for an invalid token. */
export const invalidToken = (challenge: string): string => withError(challenge, 'error="invalid_token"')

/** https://www.rfc-editor.org/rfc/rfc6750#section-3 */
const withError = (challenge: string, parameters: string): string =>
  `${challenge}${challenge.includes('=') ? ',' : ''} ${parameters}`

function createChallenge(realm: string | undefined, resourceMetadata: string | URL | undefined): string {
  const parameters: string[] = []
  if (realm !== undefined) {
    check('realm of bearer', /^[\x20-\x7e]*$/.test(realm), 'must be printable ASCII')
    parameters.push(`realm="${realm.replace(/["\\]/g, '\\$&')}"`)
  }
  if (resourceMetadata !== undefined) {
    check('resourceMetadata of bearer', URL.canParse(String(resourceMetadata)), 'must be a URL')
    parameters.push(`resource_metadata="${new URL(resourceMetadata).href.replaceAll('"', '%22')}"`)
  }
  return parameters.length === 0 ? 'Bearer' : `Bearer ${parameters.join(', ')}`
}
