import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  type Disruption,
  type Endpoint,
  startAuthorizationServer,
} from '@jetway/testing/authorization-server'
import { listen } from '@jetway-apps/test-support/http'
import * as oauth from 'oauth4webapi'
import { expect, it as base, onTestFinished } from 'vitest'

const RESOURCE = 'http://127.0.0.1:4000/mcp'
const REDIRECT = 'http://127.0.0.1:33418/callback'
const HTTP = { [oauth.allowInsecureRequests]: true } as const

async function started(options: Partial<AuthorizationServerOptions> = {}): Promise<AuthorizationServer> {
  const server = await startAuthorizationServer({ scopes: ['mcp', 'files:write'], ...options })
  onTestFinished(() => server.close())
  return server
}

const it = base.extend('issuer', () => started())

/** Reads the metadata with an independent library. */
async function metadataOf(
  { issuer }: AuthorizationServer,
  algorithm: 'oauth2' | 'oidc' = 'oauth2',
): Promise<oauth.AuthorizationServer> {
  const url = new URL(issuer)
  const response = await oauth.discoveryRequest(url, { algorithm, ...HTTP })
  return oauth.processDiscoveryResponse(url, response)
}

/** Runs the authorization code flow. The library validates `state` and `iss` in the redirect. */
async function authorize(
  issuer: AuthorizationServer,
  clientId: string,
  { scope, ...dpop }: { scope?: string | undefined; DPoP?: oauth.DPoPHandle } = { scope: 'mcp' },
): Promise<oauth.TokenEndpointResponse> {
  const server = await metadataOf(issuer)
  const client = { client_id: clientId }
  const verifier = oauth.generateRandomCodeVerifier()
  const url = new URL(server.authorization_endpoint ?? '')
  url.search = new URLSearchParams({
    client_id: clientId,
    redirect_uri: REDIRECT,
    response_type: 'code',
    resource: RESOURCE,
    ...(scope !== undefined && { scope }),
    state: 'a state',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString()
  const back = new URL(await issuer.signIn(url))
  const answer = oauth.validateAuthResponse(server, client, back, 'a state')
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    answer,
    REDIRECT,
    verifier,
    { additionalParameters: { resource: RESOURCE }, ...dpop, ...HTTP },
  )
  return oauth.processAuthorizationCodeResponse(server, client, response)
}

/** Validates a JWT as a server that requires tokens would. */
async function validate(
  issuer: AuthorizationServer,
  token: string,
  headers: Record<string, string> = { authorization: `Bearer ${token}` },
): Promise<oauth.JWTAccessTokenClaims> {
  const request = new Request(RESOURCE, { method: 'POST', headers })
  return oauth.validateJwtAccessToken(await metadataOf(issuer), request, RESOURCE, HTTP)
}

async function introspect(issuer: AuthorizationServer, token: string): Promise<oauth.IntrospectionResponse> {
  const server = await metadataOf(issuer)
  const { clientId: client_id, clientSecret } = issuer.service
  const secret = oauth.ClientSecretBasic(clientSecret)
  const response = await oauth.introspectionRequest(server, { client_id }, secret, token, HTTP)
  return oauth.processIntrospectionResponse(server, { client_id }, response)
}

async function refresh(issuer: AuthorizationServer, token: string): Promise<oauth.TokenEndpointResponse> {
  const server = await metadataOf(issuer)
  const client = { client_id: issuer.client.clientId }
  const response = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), token, HTTP)
  return oauth.processRefreshTokenResponse(server, client, response)
}

async function register(issuer: AuthorizationServer): Promise<string> {
  const metadata = {
    // These scopes do not limit the client, which may request others later.
    scope: 'files:write',
    redirect_uris: [REDIRECT],
    application_type: 'native',
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
  }
  const response = await oauth.dynamicClientRegistrationRequest(await metadataOf(issuer), metadata, HTTP)
  return (await oauth.processDynamicClientRegistrationResponse(response)).client_id
}

it('the authorization server serves the same values in both metadata documents', async ({ issuer }) => {
  const metadata = await metadataOf(issuer)
  expect(metadata).toEqual(await metadataOf(issuer, 'oidc'))
  expect(metadata).toMatchObject({
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    registration_endpoint: expect.any(String),
    dpop_signing_alg_values_supported: expect.arrayContaining(['ES256']),
    grant_types_supported: expect.arrayContaining([
      'authorization_code',
      'refresh_token',
      'client_credentials',
    ]),
    introspection_endpoint: `${issuer.issuer}/introspect`,
    revocation_endpoint: `${issuer.issuer}/revoke`,
  })
  expect(metadata.userinfo_endpoint).toBeUndefined()
  expect(metadata.end_session_endpoint).toBeUndefined()
})

it('the authorization server lets only its own service introspect tokens, and lets clients revoke only their own tokens', async () => {
  const issuer = await started({ tokens: 'opaque' })
  const { accessToken: token, refreshToken } = await issuer.issue({ resource: RESOURCE })
  const { clientId, clientSecret } = issuer.service
  const service = { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` }
  const post = async (
    path: string,
    fields: object,
    headers: Record<string, string> = {},
  ): Promise<unknown> => {
    const body = new URLSearchParams({ ...fields })
    const response = await fetch(issuer.issuer + path, { method: 'POST', body, headers })
    return response.ok ? await response.text() : response.status
  }
  const { clientId: client_id } = issuer.client
  expect(await post('/introspect', { token, client_id })).toBe('{"active":false}')
  expect((await introspect(issuer, token)).active).toBe(true)
  await post('/revoke', { token }, service)
  expect((await introspect(issuer, token)).active).toBe(true)
  expect(await post('/revoke', { token, client_id })).toBe('')
  expect((await introspect(issuer, token)).active).toBe(false)
  expect(await post('/revoke', { token: refreshToken, client_id })).toBe('')
  const granted = await post('/token', { grant_type: 'client_credentials', resource: RESOURCE }, service)
  expect(granted).toContain('access_token')
})

it('the authorization server accepts requests from pages of other origins', async ({ issuer }) => {
  const headers = { origin: 'https://app.test' }
  const response = await fetch(`${issuer.issuer}/token`, { method: 'POST', headers })
  expect(response.headers.get('access-control-allow-origin')).toBe('https://app.test')
})

it.for(['http://127.0.0.1:5/oauth/callback', 'http://localhost:5/callback'])(
  'the authorization server redirects to %s',
  async (redirect_uri, { issuer }) => {
    const url = new URL('/authorize', issuer.issuer)
    const code_challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
    const fields = {
      client_id: issuer.client.clientId,
      redirect_uri,
      response_type: 'code',
      resource: RESOURCE,
    }
    url.search = String(new URLSearchParams({ ...fields, code_challenge, code_challenge_method: 'S256' }))
    expect(await issuer.signIn(url, { user: 'bob' })).toMatch(`${redirect_uri}?code=`)
  },
)

it('the authorization server requires a PKCE challenge', async ({ issuer }) => {
  const url = new URL('/authorize', issuer.issuer)
  const fields = { client_id: issuer.client.clientId, redirect_uri: REDIRECT, response_type: 'code' }
  url.search = String(new URLSearchParams(fields))
  expect(await issuer.signIn(url)).toContain('error=invalid_request')
})

it('the authorization server gives the reason when it issues no token', async ({ issuer }) => {
  await expect(issuer.issue({ resource: 'mcp' })).rejects.toThrow(
    'The authorization server refused: ?error=invalid_target',
  )
  issuer.disrupt('token', 'unavailable')
  await expect(issuer.issue({ resource: RESOURCE })).rejects.toThrow('The token endpoint answered 503')
})

it('the authorization server listens on the configured port', async () => {
  const { origin, release } = await listen(() => {})
  onTestFinished(release)
  await expect(started({ port: Number(new URL(origin).port) })).rejects.toThrow('EADDRINUSE')
})

it('the authorization server counts the requests to each endpoint, including those below /authorize', async ({
  issuer,
}) => {
  const endpoints = ['metadata', 'keys', 'registration', 'authorization', 'token', 'introspection'] as const
  const counts = (): readonly number[] =>
    [...endpoints, 'revocation' as const].map((endpoint) => issuer.requests(endpoint))
  expect(counts()).toEqual([0, 0, 0, 0, 0, 0, 0])
  for (const path of ['/authorize', '/authorize/x', '/authorizer', '/', '/keys?x', '/token', '/token'])
    await (await fetch(issuer.issuer + path)).text()
  expect(counts()).toEqual([0, 1, 0, 2, 2, 0, 0])
})

it.for<[string, (issuer: AuthorizationServer) => string | Promise<string>]>([
  ['is registered by hand', ({ client }) => client.clientId],
  ['has a metadata document', ({ clientMetadataUrl }) => clientMetadataUrl],
  ['registers dynamically', register],
])(
  'the authorization server issues a token for the requested resource to a client that %s',
  async ([, clientOf], { issuer }) => {
    const clientId = await clientOf(issuer)
    const { access_token: token, expires_in: seconds, scope } = await authorize(issuer, clientId)
    expect([seconds, scope]).toEqual([300, 'mcp'])
    const claims = await validate(issuer, token)
    expect(claims).toMatchObject({ sub: 'alice', aud: RESOURCE, client_id: clientId, scope: 'mcp' })
  },
)

it('the authorization server accepts a published metadata document without fetching it over the network', async ({
  issuer,
}) => {
  const url = 'https://other.test/client.json'
  await expect(authorize(issuer, url)).rejects.toThrow('metadata document fetch failed')
  const document = { client_id: url, redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' }
  issuer.publish(url, { ...document, application_type: 'native' })
  expect((await authorize(issuer, url)).token_type).toBe('bearer')
})

it('the authorization server offers only the configured ways to register', async () => {
  const without = await metadataOf(await started({ registration: [] }))
  expect(without.registration_endpoint).toBeUndefined()
  expect(without.client_id_metadata_document_supported).toBeUndefined()
})

it.for([
  ['mcp everything', 'mcp'],
  [undefined, 'mcp files:write'],
])(
  'given the requested scopes %s, the authorization server grants %s',
  async ([asked, granted], { issuer }) => {
    const { scope } = await authorize(issuer, issuer.client.clientId, { scope: asked })
    expect(scope).toBe(granted)
  },
)

it('the authorization server issues tokens without a client, for any user', async ({ issuer }) => {
  const { accessToken, scope } = await issuer.issue({ resource: RESOURCE, user: 'bob' })
  expect(scope).toBe('mcp files:write')
  expect(await validate(issuer, accessToken)).toMatchObject({ sub: 'bob', aud: RESOURCE })
  const mine = await issuer.issue({ resource: RESOURCE, scopes: ['mcp'] })
  expect(mine).toMatchObject({
    scope: 'mcp',
    expiresIn: 300,
    refreshToken: expect.stringMatching(/^.{20,}$/),
  })
  expect(await validate(issuer, mine.accessToken)).toMatchObject({ sub: 'alice' })
})

it('the authorization server binds tokens to the key of a client that uses DPoP', async ({ issuer }) => {
  const keys = await oauth.generateKeyPair('ES256')
  const { access_token: token, token_type: type } = await authorize(issuer, issuer.client.clientId, {
    DPoP: oauth.DPoP({}, keys),
  })
  expect(type).toBe('dpop')
  await expect(validate(issuer, token)).rejects.toThrow()
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  expect(claims).toMatchObject({ cnf: { jkt: await thumbprintOf(keys.publicKey) } })
})

async function thumbprintOf(key: CryptoKey): Promise<string> {
  const { crv, kty, x, y } = await crypto.subtle.exportKey('jwk', key)
  const digest = await crypto.subtle.digest('SHA-256', Buffer.from(JSON.stringify({ crv, kty, x, y })))
  return Buffer.from(digest).toString('base64url')
}

it.for(['jwt', 'opaque'] as const)(
  "the authorization server revokes one user's %s tokens",
  async (tokens) => {
    const issuer = await started({ tokens })
    const [bob, carol] = [
      await issuer.issue({ resource: RESOURCE, user: 'bob' }),
      await issuer.issue({ resource: RESOURCE, user: 'carol' }),
    ]
    issuer.revoke('bob')
    await expect(refresh(issuer, bob.refreshToken)).rejects.toMatchObject({ error: 'invalid_grant' })
    if (tokens === 'opaque') {
      expect(await introspect(issuer, bob.accessToken)).toEqual({ active: false })
      expect(await introspect(issuer, carol.accessToken)).toMatchObject({ sub: 'carol', aud: RESOURCE })
    }
    const refreshed = await refresh(issuer, carol.refreshToken)
    expect(refreshed.scope).toBe('mcp files:write')
    issuer.revoke()
    await expect(refresh(issuer, String(refreshed.refresh_token))).rejects.toThrow()
  },
)

it.for(['jwt', 'opaque'] as const)(
  'the authorization server sets the lifetime of %s tokens',
  async (tokens) => {
    const issuer = await started({ tokens, lifetime: 60 })
    const endOf = async (lifetime: number): Promise<number | undefined> => {
      issuer.lifetime = lifetime
      const { accessToken, expiresIn } = await issuer.issue({ resource: RESOURCE })
      expect(expiresIn).toBe(Math.max(1, lifetime))
      const check = tokens === 'jwt' ? validate : introspect
      const { exp, iat } = await check(issuer, accessToken).catch(() => ({ exp: undefined, iat: undefined }))
      return exp && iat && exp - iat
    }
    const seen = [issuer.lifetime, await endOf(60), await endOf(900), await endOf(1), await endOf(-90)]
    expect(seen).toEqual([60, 60, 900, 1, undefined])
    issuer.lifetime = 0
    const { accessToken } = await issuer.issue({ resource: RESOURCE })
    if (tokens === 'opaque') expect(await introspect(issuer, accessToken)).toEqual({ active: false })
    else {
      const { exp, iat } = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString())
      expect(exp - iat).toBe(0)
    }
  },
)

it('the authorization server rejects a token after its signing key has been replaced', async ({ issuer }) => {
  const { accessToken, refreshToken } = await issuer.issue({ resource: RESOURCE })
  await validate(issuer, accessToken)
  issuer.rotateKeys()
  await expect(validate(issuer, accessToken)).rejects.toThrow()
  const renewed = await refresh(issuer, refreshToken)
  expect((await validate(issuer, renewed.access_token)).sub).toBe('alice')
})

it.for<[Disruption, string | number]>([
  ['unavailable', 503],
  ['unreachable', 'TypeError'],
  ['silent', 'AbortError'],
])(
  'the authorization server fails requests to an endpoint that is %s until the endpoint is restored',
  async ([disruption, failure], { issuer }) => {
    const endpoints: [Endpoint, string][] = [
      ['keys', '/keys'],
      ['metadata', '/.well-known/oauth-authorization-server'],
    ]
    for (const [endpoint, path] of endpoints) {
      const get = (signal?: AbortSignal): Promise<string | number> =>
        fetch(issuer.issuer + path, signal && { signal }).then(
          ({ status }) => status,
          ({ name }: Error) => name,
        )
      const before = issuer.requests(endpoint)
      issuer.disrupt(endpoint, disruption)
      const control = new AbortController()
      const first = get(control.signal)
      await expect.poll(() => issuer.requests(endpoint)).toBe(before + 1)
      if (disruption === 'silent') control.abort()
      expect(await first).toBe(failure)
      const waiting = disruption === 'silent' ? get() : undefined
      await expect.poll(() => issuer.requests(endpoint)).toBe(before + (waiting === undefined ? 1 : 2))
      issuer.restore()
      expect([await waiting, await get()]).toEqual([waiting && 200, 200])
    }
  },
)

it('`signIn` rejects if the sign-in reaches an error page', async ({ issuer }) => {
  const url = new URL('/authorize?client_id=nobody', issuer.issuer)
  await expect(issuer.signIn(url)).rejects.toThrow('The authorization server answered 400: invalid_client')
})

it.for<[string, Partial<AuthorizationServerOptions>]>([
  ['scope', { scopes: [] }],
  ['redirect URI', { redirectUris: [] }],
])('the authorization server does not start without a %s', async ([, options]) => {
  await expect(started(options)).rejects.toMatchObject({ code: 'ERR_MCP_OPTION' })
})

it('the authorization server closes its connections, even those with a pending request', async () => {
  const issuer = await startAuthorizationServer({ scopes: ['mcp'] })
  issuer.disrupt('keys', 'silent')
  const waiting = fetch(`${issuer.issuer}/keys`).catch(({ name }: Error) => name)
  await expect.poll(() => issuer.requests('keys')).toBe(1)
  await issuer[Symbol.asyncDispose]()
  await issuer.close()
  expect(await waiting).toBe('TypeError')
})
