import { withAuth } from '@jetway/client'
import { authorizationCode, memoryCredentials, oauth } from '@jetway/client/oauth'
import { describe, expect } from 'vitest'
import { it, post, REDIRECT, reasonOf, withoutRefreshToken, type World } from './support/world.ts'

const clientIds = ({ visits }: World): (string | null)[] =>
  visits.map(({ searchParams }) => searchParams.get('client_id'))

const DOCUMENT = 'https://client.example/metadata.json'

/** https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/client-registration */
describe('client registration', () => {
  it('tries `clients`, the metadata document, a registration and the user, in this order', async ({
    made,
  }) => {
    made.metadata['client_id_metadata_document_supported'] = true
    const all = {
      clients: [{ clientId: 'by-hand', issuer: made.issuer.origin }],
      clientMetadataUrl: DOCUMENT,
      registration: { clientName: 'Test client' },
      askClient: async () => ({ clientId: 'asked' }),
    }
    await made.post(all)
    await made.post({ ...all, clients: [] })
    made.metadata['client_id_metadata_document_supported'] = false
    await made.post({ ...all, clients: [] })
    delete made.metadata['registration_endpoint']
    await made.post({ ...all, clients: [] })
    expect(clientIds(made)).toEqual(['by-hand', DOCUMENT, 'registered-1', 'asked'])
    expect(made.issuer.to('POST /register')).toHaveLength(1)
  })

  it('fails the request if there is no client id', async ({ made }) => {
    delete made.metadata['registration_endpoint']
    expect(await reasonOf(made.post())).toBe('registration')
    expect(made.visits).toEqual([])
  })

  it('never uses a client id of another issuer', async ({ made }) => {
    const clients = [{ clientId: 'foreign', clientSecret: 'foreign-secret', issuer: 'https://other.example' }]
    // The other sources of a client id still work, but credentials of another issuer are not used.
    await made.post({ clients })
    expect(clientIds(made)).toEqual(['registered-1'])
    const grant = authorizationCode({ redirectUri: REDIRECT, authorize: (url) => made.browse(url) })
    const strict = withAuth(fetch, oauth({ grant, clients }), made.url)
    expect(await reasonOf(post(strict, made))).toBe('issuer')
    expect(made.visits).toHaveLength(1)
    expect(made.issuer.seen.some(({ body, query }) => (body + String(query)).includes('foreign'))).toBe(false)
  })

  it('binds a client id without an issuer to the first issuer with which it is used', async ({
    made,
    other,
  }) => {
    const store = memoryCredentials()
    const clients = [{ clientId: 'by-hand', clientSecret: 'the-secret' }]
    made.metadata['token_endpoint_auth_methods_supported'] = ['client_secret_post']
    expect((await made.post({ store, clients })).status).toBe(200)
    made.valid.clear()
    made.resourceMetadata['authorization_servers'] = [other.issuer.origin]
    expect(await reasonOf(made.post({ store, clients }))).toBe('issuer')
    expect(other.issuer.seen.every(({ path }) => path.startsWith('/.well-known/'))).toBe(true)
  })
})

describe("a client's registration", () => {
  it("contains the client's metadata, grant types and redirect URIs", async ({ made }) => {
    const registration = {
      clientName: 'Test client',
      clientUri: 'https://client.example/',
      logoUri: 'https://client.example/logo.png',
      contacts: ['a@client.example'],
      softwareId: 'id',
      softwareVersion: '1',
    }
    await made.post({ registration })
    expect(JSON.parse(made.issuer.to('POST /register')[0]?.body ?? '')).toEqual({
      client_name: 'Test client',
      client_uri: 'https://client.example/',
      logo_uri: 'https://client.example/logo.png',
      contacts: ['a@client.example'],
      software_id: 'id',
      software_version: '1',
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: 'none',
    })
  })

  it.for([
    ['http://localhost:1/cb', 'native'],
    ['http://[::1]:1/cb', 'native'],
    ['com.example.app:/cb', 'native'],
    ['https://client.example/cb', 'web'],
  ] as const)('given redirect URI %s, has application type %s', async ([redirectUri, type], { made }) => {
    const grant = authorizationCode({ redirectUri, authorize: (url) => made.browse(url) })
    await made.post({ grant }).catch(() => undefined)
    expect(JSON.parse(made.issuer.to('POST /register')[0]?.body ?? '')).toMatchObject({
      application_type: type,
    })
  })

  it('is reused until the redirect URI or the issuer changes, or the secret expires', async ({
    made,
    other,
  }) => {
    const store = memoryCredentials()
    made.token = withoutRefreshToken
    await made.post({ store })
    made.valid.clear()
    await made.post({ store })
    expect(clientIds(made)).toEqual(['registered-1', 'registered-1'])
    const grant = authorizationCode({ redirectUri: `${REDIRECT}2`, authorize: (url) => made.browse(url) })
    made.valid.clear()
    await made.post({ store, grant })
    expect(clientIds(made).at(-1)).toBe('registered-2')
    made.resourceMetadata['authorization_servers'] = [other.issuer.origin]
    made.valid.clear()
    await made.post({ store, grant })
    expect(other.issuer.to('POST /register')).toHaveLength(1)
    expect(other.issuer.to('POST /token')[0]?.form.get('client_id')).toBe('registered-1')
    await store.write('client', other.issuer.origin, {
      clientId: 'old',
      clientSecret: 's',
      secretExpiresAt: 1,
      redirectUris: [`${REDIRECT}2`],
    })
    await made.post({ store, grant })
    expect(other.issuer.to('POST /register')).toHaveLength(2)
  })

  it('is repeated on the next authorization if the server does not recognize the client', async ({
    made,
    send,
  }) => {
    made.token = () => ({
      status: 401,
      json: { error: 'invalid_client' },
      headers: { 'www-authenticate': 'Basic' },
    })
    await expect(send()).rejects.toMatchObject({ reason: 'token', oauthError: 'invalid_client' })
    made.token = (_seen, json) => ({ json })
    expect((await send()).status).toBe(200)
    expect(made.issuer.to('POST /register')).toHaveLength(2)
  })

  it('is accepted if the response has status 200 and a secret that does not expire', async ({ made }) => {
    made.metadata['token_endpoint_auth_methods_supported'] = ['client_secret_post', 'private_key_jwt']
    made.issuer.routes.set('POST /register', () => ({
      json: { client_id: 'r', client_secret: 'given-secret' },
    }))
    expect((await made.post()).status).toBe(200)
    const form = made.issuer.to('POST /token')[0]?.form
    expect([form?.get('client_id'), form?.get('client_secret')]).toEqual(['r', 'given-secret'])
  })

  it('creates a public client if the response contains no secret', async ({ made }) => {
    made.metadata['token_endpoint_auth_methods_supported'] = ['client_secret_post']
    made.issuer.routes.set('POST /register', () => ({ json: { client_id: 'r' } }))
    expect((await made.post()).status).toBe(200)
    const token = made.issuer.to('POST /token')[0]
    expect([token?.form.get('client_id'), token?.form.get('client_secret')]).toEqual(['r', null])
  })

  it("fails with the server's reason if the server denies it", async ({ made }) => {
    const error = { error: 'invalid_redirect_uri', error_description: 'web clients\nneed https' }
    made.issuer.routes.set('POST /register', () => ({ status: 400, json: error }))
    await expect(made.post()).rejects.toMatchObject({
      reason: 'registration',
      oauthError: 'invalid_redirect_uri',
      message: expect.stringContaining('web clients need https') as string,
    })
  })
})

describe('client authentication at the token endpoint', () => {
  it.for([
    [undefined, 'basic'],
    [['client_secret_basic', 'client_secret_post'], 'basic'],
    [['client_secret_post'], 'post'],
  ])('given the methods %j, uses %s', async ([methods, expected], { made }) => {
    made.metadata['token_endpoint_auth_methods_supported'] = methods
    const clients = [{ clientId: 'my-client.1', clientSecret: 'p+s/t:ü', issuer: made.issuer.origin }]
    expect((await made.post({ clients })).status).toBe(200)
    const [token] = made.issuer.to('POST /token')
    const [, basic = ''] = token?.headers['authorization']?.split(' ') ?? []
    expect(Buffer.from(basic, 'base64').toString()).toBe(
      expected === 'basic' ? 'my-client.1:p%2Bs%2Ft%3A%C3%BC' : '',
    )
    expect(token?.form.get('client_secret')).toBe(expected === 'post' ? 'p+s/t:ü' : null)
  })
})

it("the OAuth provider sends no credentials to an origin other than the resource's", async () => {
  const provider = oauth({ grant: authorizationCode({ redirectUri: REDIRECT, authorize: async () => '' }) })
  const request = { resource: 'https://a.example/mcp', url: 'https://b.example/mcp', method: 'POST' }
  expect(await provider.headers(request)).toBeUndefined()
  const headers = new Headers({ 'www-authenticate': 'Bearer' })
  expect(await provider.onChallenge?.({ ...request, sent: {}, status: 401, headers })).toBe('give-up')
})

describe('invalid options', () => {
  it.each([{ timeoutMs: 0 }, { maxBytes: 0 }])('are rejected: %j', (limits) => {
    const grant = authorizationCode({ redirectUri: REDIRECT, authorize: async () => '' })
    expect(() => oauth({ grant, ...limits })).toThrow('ERR_MCP_OPTION')
  })

  it.each(['http://client.example/callback', 'callback'])('are rejected: redirectUri %s', (redirectUri) => {
    const grant = authorizationCode({ redirectUri, authorize: async () => '' })
    expect(() => oauth({ grant })).toThrow('ERR_MCP_OPTION')
  })

  it.each(['http://client.example/a', 'https://client.example', 'https://client.example/', 'client'])(
    'are rejected: clientMetadataUrl %s',
    (clientMetadataUrl) => {
      const grant = authorizationCode({ redirectUri: REDIRECT, authorize: async () => '' })
      expect(() => oauth({ grant, clientMetadataUrl })).toThrow('ERR_MCP_OPTION')
    },
  )
})
