import * as oauth from 'oauth4webapi'
import { isToken } from '../../util/headers.ts'
import type { Identity } from './clients.ts'
import type { DpopProver } from './dpop.ts'
import { AuthorizationError, fromLibrary } from './errors.ts'
import type { PlainFetch } from './fetch.ts'

/** The token endpoint of an authorization server, for one client. */
export class TokenEndpoint {
  readonly server: oauth.AuthorizationServer
  readonly identity: Identity
  readonly #fetch: PlainFetch
  readonly #prover: DpopProver | undefined

  constructor(server: oauth.AuthorizationServer, identity: Identity, fetch: PlainFetch, prover?: DpopProver) {
    this.server = server
    this.identity = identity
    this.#fetch = fetch
    this.#prover = prover
  }

  /**
   * Sends a request, and repeats it if the server asks for a DPoP nonce.
   *
   * @param more - `secrets` and the parameters are removed from error messages
   * @throws AuthorizationError `token`, `dpop`, `address`, `network`
   */
  async request(
    grantType: string,
    parameters: Readonly<Record<string, string>>,
    more: oauth.ProcessTokenResponseOptions & { readonly secrets?: readonly string[] } = {},
  ): Promise<oauth.TokenEndpointResponse> {
    const { server, identity } = this
    const client = { client_id: identity.clientId }
    const attempt = async (): Promise<oauth.TokenEndpointResponse> => {
      const { authenticate } = identity
      const options = await this.#options()
      const send = oauth.genericTokenEndpointRequest
      const answer = await send(server, client, authenticate, grantType, parameters, options)
      return oauth.processGenericTokenEndpointResponse(server, client, answer, more)
    }
    try {
      return this.#checked(
        await attempt().catch((error: unknown) => {
          if (this.#prover !== undefined && oauth.isDPoPNonceError(error)) return attempt()
          throw error
        }),
      )
    } catch (error) {
      const secrets = [...Object.values(parameters), ...(more.secrets ?? [])]
      throw fromLibrary('token', `${server.issuer} issued no token`, error, [
        ...identity.secrets,
        ...secrets.filter((secret) => secret.length >= 8),
      ])
    }
  }

  async #options(): Promise<oauth.TokenEndpointRequestOptions> {
    const handle = (await this.#prover?.keys())?.handle
    return {
      // The address policy decides whether http is allowed.
      [oauth.allowInsecureRequests]: true,
      [oauth.customFetch]: async (url, init) => withoutExtras(await this.#fetch(url, init)),
      ...(handle === undefined ? {} : { DPoP: handle }),
    }
  }

  /**
   * Rejects a token with characters that a header cannot contain, because the error thrown by `fetch` would
   * contain the token.
   */
  #checked(answer: oauth.TokenEndpointResponse): oauth.TokenEndpointResponse {
    if (isToken(answer.access_token)) return this.#bound(answer)
    throw new AuthorizationError('token', `${this.server.issuer} issued a token that a header cannot contain`)
  }

  /** Rejects an unbound token. A server that ignores the proof would issue a token that anyone can use. */
  #bound(answer: oauth.TokenEndpointResponse): oauth.TokenEndpointResponse {
    const isBound = answer.token_type === 'dpop'
    if (isBound === (this.#prover !== undefined)) return answer
    const kind = isBound ? 'that is bound to an unknown key' : 'that is not bound to the key'
    throw new AuthorizationError('dpop', `${this.server.issuer} issued a token ${kind}`)
  }
}

/**
 * Removes the challenge, which the library would read instead of the body, and the ID token, which the
 * library would validate.
 */
async function withoutExtras(answer: Response): Promise<Response> {
  const headers = new Headers(answer.headers)
  headers.delete('www-authenticate')
  const text = await answer.text()
  return new Response(answer.status === 200 ? withoutIdToken(text) : text, { status: answer.status, headers })
}

function withoutIdToken(text: string): string {
  try {
    const { id_token: _, ...rest } = JSON.parse(text) as Record<string, unknown>
    return JSON.stringify(rest)
  } catch {
    return text
  }
}
