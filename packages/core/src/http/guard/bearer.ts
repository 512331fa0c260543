import { usageError } from '../../errors.ts'
import type { AuthInfo } from '../../stores/principal.ts'
import type { Awaitable } from '../../util/promises.ts'
import type { HttpRequest } from '../types.ts'

/** A refusal that an `authenticate` option returns instead of an identity: status, a sentence, and headers. */
export class Rejection {
  readonly status: number
  readonly message: string
  readonly headers: Readonly<Record<string, string>>
  /** Why, for the log alone. */
  readonly cause: unknown

  /** @throws `ERR_MCP_OPTION` for a status that is no refusal */
  constructor(
    status: number,
    message: string,
    options: { readonly headers?: Readonly<Record<string, string>>; readonly cause?: unknown } = {},
  ) {
    if (!Number.isInteger(status) || status < 400 || status > 599) {
      throw usageError('ERR_MCP_OPTION', 'A Rejection has a status from 400 to 599')
    }
    this.status = status
    this.message = message
    this.headers = options.headers ?? {}
    this.cause = options.cause
  }
}

/**
 * Finds out who calls. Undefined is answered 401 with `challenge`; a {@link Rejection} as it says; what it throws, 500.
 * It is asked for every request, on every verb.
 */
export interface Authenticate {
  (request: HttpRequest): Awaitable<AuthInfo | Rejection | undefined>
  /** The `WWW-Authenticate` header of a 401. @default 'Bearer' */
  readonly challenge?: string
}

/** What {@link bearer} needs to know. */
export interface BearerOptions {
  /**
   * Checks a token: signature, issuer, audience. Undefined, or anything thrown, is answered 401; what was thrown is
   * logged. Set `expiresAt` to have the expiry checked here, with 60 s of tolerance, and open streams ended by it.
   */
  readonly verify: (token: string, request: HttpRequest) => Awaitable<AuthInfo | undefined>
  readonly realm?: string
  /** The URL of the protected resource metadata (RFC 9728). */
  readonly resourceMetadata?: string | URL
}

/** https://www.rfc-editor.org/rfc/rfc6750#section-2.1, bounded in length. */
const CREDENTIALS = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i
const MAX_LENGTH = 16_384

/**
 * Authentication by bearer token.
 *
 * @throws `ERR_MCP_OPTION` for a realm or metadata URL that cannot stand in a header
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#token-handling
 */
export function bearer({ verify, realm, resourceMetadata }: BearerOptions): Authenticate {
  if (typeof verify !== 'function') throw usageError('ERR_MCP_OPTION', 'bearer needs verify, a function')
  const challenge = createChallenge(realm, resourceMetadata)
  const invalid = (cause?: unknown): Rejection =>
    new Rejection(401, 'The access token is not valid', {
      headers: { 'www-authenticate': invalidToken(challenge) },
      ...(cause === undefined ? {} : { cause }),
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
  return Object.assign(authenticate, { challenge })
}

/** The challenge of a token that was there and did not do. */
export const invalidToken = (challenge: string): string =>
  `${challenge}${challenge.includes('=') ? ',' : ''} error="invalid_token"`

function createChallenge(realm: string | undefined, resourceMetadata: string | URL | undefined): string {
  const parameters: string[] = []
  if (realm !== undefined) {
    if (!/^[\x20-\x7e]*$/.test(realm))
      throw usageError('ERR_MCP_OPTION', 'bearer: realm must be printable ASCII')
    parameters.push(`realm="${realm.replace(/["\\]/g, '\\$&')}"`)
  }
  if (resourceMetadata !== undefined) {
    if (!URL.canParse(String(resourceMetadata)))
      throw usageError('ERR_MCP_OPTION', 'bearer: resourceMetadata must be a URL')
    parameters.push(`resource_metadata="${new URL(resourceMetadata).href.replaceAll('"', '%22')}"`)
  }
  return parameters.length === 0 ? 'Bearer' : `Bearer ${parameters.join(', ')}`
}
