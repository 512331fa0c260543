import * as oauth from 'oauth4webapi'

/**
 * What kept an authorization from succeeding.
 *
 * - `address`: an address was refused before anything was sent to it
 * - `network`: nobody answered, or not in the expected time or size
 * - `discovery`: no usable metadata of the server or of its authorization server
 * - `issuer`: metadata, an answer or credentials of another authorization server than the expected one
 * - `pkce`: the authorization server does not say that it supports PKCE with S256
 * - `registration`: no client id, and no way to get one
 * - `refused`: the user or the authorization server said no while the user was asked
 * - `response`: the answer that came back from the user's browser is not one to this question
 * - `token`: the token endpoint gave no token
 * - `dpop`: tokens are not bound to a key although they have to be
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
 * Authorization did not succeed. The message names what to do and no secret: what an authorization server says is kept
 * to an error code and a description from which every secret of this client was taken out.
 */
export class AuthorizationError extends Error {
  readonly reason: AuthorizationFailure
  /** The error code of the authorization server: https://www.rfc-editor.org/rfc/rfc6749#section-5.2 */
  readonly oauthError: string | undefined

  constructor(reason: AuthorizationFailure, message: string, oauthError?: string) {
    // Parts of it were chosen by strangers.
    super(message.replace(/[^\x20-\x7e]+/g, ' ').slice(0, MAX_MESSAGE))
    this.name = 'AuthorizationError'
    this.reason = reason
    this.oauthError = oauthError
  }
}

/** What RFC 6749 allows in an error code, and a length that no code has. */
const ERROR_CODE = /^[\x20-\x21\x23-\x5b\x5d-\x7e]{1,64}$/
const MAX_DESCRIPTION = 200
const MAX_MESSAGE = 1_000

/** The error code and description of a peer, fit to be shown: printable, short and without this client's secrets. */
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
 * What went wrong with an answer of the authorization server. The library's own error is not kept as a cause: it holds
 * the parameters and the body, and with them codes and tokens, which an inspecting logger would print.
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
  return new AuthorizationError(reason, `${what}: unusable answer`)
}
