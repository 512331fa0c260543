import { HEADERS } from '@jetway-apps/test-support/http'
import type { AuthorizationServer } from '@jetway/testing/authorization-server'
import * as oauth from 'oauth4webapi'
import { REDIRECT } from './protected.ts'

const HTTP = { [oauth.allowInsecureRequests]: true } as const

/** A client that uses oauth4webapi and signs a proof for each request. */
export interface BoundClient {
  readonly token: string
  readonly tokenType: string
  /** Posts a message. Repeats the request once if the server requires a nonce. */
  readonly post: (body: object, headers?: Readonly<Record<string, string>>) => Promise<Response>
  /** Returns the headers of a POST request with a proof for it, without sending the request. */
  readonly sign: () => Promise<Record<string, string>>
  /** The number of requests that needed a nonce. */
  readonly nonces: () => number
}

/** Signs in, and obtains tokens that are bound to a new key. */
export async function signInWithKey(
  { issuer, client: { clientId }, signIn }: AuthorizationServer,
  url: string,
  scope: string,
): Promise<BoundClient> {
  const found = await oauth.discoveryRequest(new URL(issuer), { algorithm: 'oauth2', ...HTTP })
  const server = await oauth.processDiscoveryResponse(new URL(issuer), found)
  const client: oauth.Client = { client_id: clientId }
  const DPoP = oauth.DPoP(client, await oauth.generateKeyPair('ES256'))
  const verifier = oauth.generateRandomCodeVerifier()
  const address = new URL(server.authorization_endpoint ?? '')
  address.search = String(
    new URLSearchParams({
      client_id: clientId,
      redirect_uri: REDIRECT,
      response_type: 'code',
      scope,
      resource: url,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      dpop_jkt: await DPoP.calculateThumbprint(),
    }),
  )
  const code = oauth.validateAuthResponse(server, client, new URL(await signIn(address)))
  const granted = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    code,
    REDIRECT,
    verifier,
    { DPoP, additionalParameters: { resource: url }, ...HTTP },
  )
  const { access_token: token, token_type: tokenType } = await oauth.processAuthorizationCodeResponse(
    server,
    client,
    granted,
  )
  let nonces = 0
  const send = (
    body: object,
    headers: Readonly<Record<string, string>>,
    own: oauth.ProtectedResourceRequestOptions = {},
  ): Promise<Response> =>
    oauth.protectedResourceRequest(
      token,
      'POST',
      new URL(url),
      new Headers({ ...HEADERS, ...headers }),
      JSON.stringify(body),
      { DPoP, ...HTTP, ...own },
    )
  return {
    token,
    tokenType,
    post: async (body, headers = {}) => {
      try {
        return await send(body, headers)
      } catch (error) {
        if (!oauth.isDPoPNonceError(error)) throw error
        nonces++
        return send(body, headers)
      }
    },
    sign: async () => {
      let signed: Record<string, string> = {}
      const keep = async (
        _url: string,
        { headers }: { headers: Record<string, string> },
      ): Promise<Response> => {
        signed = headers
        return new Response()
      }
      await send({}, {}, { [oauth.customFetch]: keep })
      return signed
    },
    nonces: () => nonces,
  }
}
