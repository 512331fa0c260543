import { UsageError } from '@jetway/core/protocol'

/** A request that is about to be sent to a server. */
export interface AuthRequest {
  /** The address of the server, as it was configured: what credentials are for. */
  readonly resource: string
  /** Where this request goes, on the same origin as `resource`. */
  readonly url: string
  readonly method: string
  /** The body, where it is text: for providers that sign it. */
  readonly body?: string
  readonly signal?: AbortSignal
}

/** The head of an answer, and the headers that the provider gave to its request. */
export interface AuthAnswer extends AuthRequest {
  readonly sent: Readonly<Record<string, string>>
  readonly status: number
  readonly headers: Headers
}

/**
 * Gives each HTTP request to a server its credentials. It is asked before every request, so that a token may be renewed,
 * read from a vault or signed anew at any time. `bearerToken` makes one from a token, `oauth` of `@jetway/client/oauth` does
 * what the specification says about authorization, and an object of your own does the rest.
 *
 * One provider may serve several servers: `resource` says which one is meant.
 */
export interface AuthProvider {
  /** The headers to add; undefined adds none. What it throws fails the request. */
  headers(request: AuthRequest): AuthHeaders | undefined | Promise<AuthHeaders | undefined>
  /**
   * Told of an answer 401 or 403 before anybody else is. `retry` sends the request again, with headers asked for anew,
   * at most {@link MAX_AUTH_RETRIES} times; `give-up` leaves the answer as it is, and what is thrown fails the request.
   */
  challenged?(answer: AuthAnswer): Promise<'retry' | 'give-up'>
  /** Told of every answer that is not given to `challenged`, for what its headers say. */
  answered?(answer: AuthAnswer): void
}

/** Headers by name, beside those of the request. */
export type AuthHeaders = Readonly<Record<string, string>>

/** How often one request is sent again because of its credentials. */
export const MAX_AUTH_RETRIES = 4

/** A token of visible ASCII, as a header carries it: https://www.rfc-editor.org/rfc/rfc6750#section-2.1 */
const TOKEN = /^[\x21-\x7e]+$/

/**
 * Sends `Authorization: Bearer …` with every request. A function is asked for its token each time; keep it quick.
 *
 * @param token without the word `Bearer`
 * @throws UsageError `ERR_MCP_OPTION` for a token that begins with `Bearer ` or cannot stand in a header; for one
 *   that a function gives, the request fails
 */
export function bearerToken(token: string | (() => string | Promise<string>)): AuthProvider {
  if (typeof token === 'function') return { headers: async () => authorization(await token()) }
  const fixed = authorization(token)
  return { headers: () => fixed }
}

function authorization(token: string): AuthHeaders {
  // The message must not repeat the token: it ends up in logs.
  if (/^bearer\s/i.test(token))
    throw new UsageError('ERR_MCP_OPTION', 'Give the token alone, without "Bearer " before it')
  if (!TOKEN.test(token))
    throw new UsageError('ERR_MCP_OPTION', 'The token is empty, or has characters that no header can carry')
  return { authorization: `Bearer ${token}` }
}
