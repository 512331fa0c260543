import { UsageError } from '@jetway/core/protocol'
import { isToken } from '../util/headers.ts'

/** An HTTP request before it is sent. */
export interface AuthRequest {
  /** The configured URL of the server for which the credentials are intended. */
  readonly resource: string
  /** The URL of the request. It has the same origin as `resource`. */
  readonly url: string
  readonly method: string
  /** The body, for providers that sign it. Undefined if it is not a string. */
  readonly body?: string
  readonly signal?: AbortSignal
}

/** The status and headers of a response, and the headers that the provider added to the request. */
export interface AuthResponse extends AuthRequest {
  readonly sent: Readonly<Record<string, string>>
  readonly status: number
  readonly headers: Headers
}

/**
 * Adds credentials to each HTTP request. `bearerToken` sends a fixed token, `oauth` from `@jetway/client/oauth`
 * follows the specification, and a custom object can do anything else.
 *
 * One provider may serve several servers: see `resource`.
 */
export interface AuthProvider {
  /** Returns the headers to add. If it throws, the request fails. */
  headers(request: AuthRequest): AuthHeaders | undefined | Promise<AuthHeaders | undefined>
  /**
   * Called for responses with status 401 or 403. If it returns `retry`, `headers` is called and the request is
   * sent again, at most {@link MAX_AUTH_RETRIES} times. If it returns `give-up`, the response is returned to
   * the caller. If it throws, the request fails.
   */
  onChallenge?(answer: AuthResponse): Promise<'retry' | 'give-up'>
  /** Called for every other response. */
  onResponse?(answer: AuthResponse): void
}

/** The headers that authorize a request. */
export type AuthHeaders = Readonly<Record<string, string>>

/** The maximum number of times that a request is resent after challenges. */
export const MAX_AUTH_RETRIES = 4

/**
 * Sends `Authorization: Bearer …` with every request. A function is called for every request; if it returns an
 * invalid token, the request fails.
 *
 * @throws UsageError `ERR_MCP_OPTION` for a token that begins with `Bearer ` or contains characters that a
 * header cannot contain
 */
export function bearerToken(token: string | (() => string | Promise<string>)): AuthProvider {
  if (typeof token === 'function') return { headers: async () => authorization(await token()) }
  const fixed = authorization(token)
  return { headers: () => fixed }
}

function authorization(token: string): AuthHeaders {
  // The message must not contain the token, because messages are logged.
  if (/^bearer\s/i.test(token)) throw new UsageError('ERR_MCP_OPTION', 'Pass the token without "Bearer "')
  if (!isToken(token))
    throw new UsageError(
      'ERR_MCP_OPTION',
      'The token is empty, or has characters that are not allowed in a header',
    )
  return { authorization: `Bearer ${token}` }
}
