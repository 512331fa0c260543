import { createHash, randomBytes } from 'node:crypto'
import { PATHS } from './front.ts'
import type { AuthorizationServer, TokenRequest, TokenSet } from './types.ts'

/** Runs the authorization code flow with PKCE for the manually registered client. */
export async function issueTokens(
  { issuer, client, signIn }: Pick<AuthorizationServer, 'issuer' | 'client' | 'signIn'>,
  { resource, scopes = [], user }: TokenRequest,
  [redirectUri = '']: readonly string[],
): Promise<TokenSet> {
  const verifier = randomBytes(32).toString('base64url')
  const common = { client_id: client.clientId, redirect_uri: redirectUri, resource }
  const url = new URL(PATHS.authorization, issuer)
  url.search = String(
    new URLSearchParams({
      ...common,
      response_type: 'code',
      scope: scopes.join(' '),
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    }),
  )
  const back = new URL(await signIn(url, user === undefined ? {} : { user }))
  const code = back.searchParams.get('code')
  if (code === null) throw new Error(`The authorization server refused: ${back.search}`)
  const response = await fetch(new URL(PATHS.token, issuer), {
    method: 'POST',
    body: new URLSearchParams({ ...common, grant_type: 'authorization_code', code, code_verifier: verifier }),
  })
  if (!response.ok)
    throw new Error(`The token endpoint answered ${response.status}: ${await response.text()}`)
  const issued = (await response.json()) as Record<string, string | number>
  return {
    accessToken: String(issued['access_token']),
    refreshToken: String(issued['refresh_token']),
    scope: String(issued['scope'] ?? ''),
    expiresIn: Number(issued['expires_in']),
  }
}
