import * as oauth from 'oauth4webapi'

/**
 * Why authorization failed.
 *
 * - `address`: metadata named a URL that must not be contacted
 * - `network`: there was no response, or it was too slow or too large
 * - `discovery`: there was no usable metadata
 * - `issuer`: metadata, a response or credentials belong to another authorization server
 * - `pkce`: the authorization server does not announce PKCE with S256
 * - `registration`: there is no client id
 * - `refused`: the user or the authorization server denied access
 * - `response`: the browser's redirect does not belong to this authorization
 * - `token`: the token endpoint issued no token
 * - `dpop`: the tokens are not bound to a key
 */
export type AuthorizationFailure =
  | 'address'
  | 'network'
  | 'discovery'
  | 'issuer'
  | 'pkce'
  | 'registration'
  | 'refused'
  | 'response'
  | 'token'
  | 'dpop'

/**
 * Thrown when authorization fails. The message contains the authorization server's error code and
 * description, without this client's secrets.
 */
export class AuthorizationError extends Error {
  readonly reason: AuthorizationFailure
  /** The authorization server's error code. See https://www.rfc-editor.org/rfc/rfc6749#section-5.2. */
  readonly oauthError: string | undefined

  constructor(reason: AuthorizationFailure, message: string, oauthError?: string) {
    // The authorization server controls parts of the message.
    super(message.replace(/[^\x20-\x7e]+/g, ' ').slice(0, MAX_MESSAGE))
    this.name = 'AuthorizationError'
    this.reason = reason
    this.oauthError = oauthError
  }
}

/** The characters that RFC 6749 allows in an error code. */
const ERROR_CODE = /^[\x20-\x21\x23-\x5b\x5d-\x7e]{1,64}$/
const MAX_DESCRIPTION = 200
const MAX_MESSAGE = 1_000

/** Returns a server's error code and description as short, printable text without secrets. */
export function saidByPeer(
  error: unknown,
  description: unknown,
  secrets: readonly string[],
): { code: string | undefined; text: string } {
  const code =
    typeof error === 'string' && ERROR_CODE.test(error) ? withoutSecrets(error, secrets) : undefined
  const more =
    typeof description === 'string' ? withoutSecrets(description, secrets).slice(0, MAX_DESCRIPTION) : ''
  return { code, text: [code ?? 'an error without a code', more].filter((part) => part !== '').join(': ') }
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  let shown = text
  for (const secret of secrets) if (secret !== '') shown = shown.replaceAll(secret, '[secret]')
  return shown
}

/**
 * Converts the library's error. The original error is not kept as the cause, because it contains codes and
 * tokens that a logger could print.
 */
export function fromLibrary(
  reason: AuthorizationFailure,
  what: string,
  error: unknown,
  secrets: readonly string[],
): AuthorizationError {
  if (error instanceof AuthorizationError) return error
  if (error instanceof oauth.ResponseBodyError) {
    const { code, text } = saidByPeer(error.error, error.error_description, secrets)
    return new AuthorizationError(reason, `${what}: the authorization server answered ${text}`, code)
  }
  if (error instanceof oauth.OperationProcessingError || error instanceof oauth.UnsupportedOperationError)
    return new AuthorizationError(reason, `${what}: ${withoutSecrets(error.message, secrets)}`)
  return new AuthorizationError(reason, `${what}: invalid response`)
}
