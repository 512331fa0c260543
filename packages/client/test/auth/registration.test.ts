import { withAuth } from '@jetway/client'
import { authorizationCode, memoryCredentials, oauth } from '@jetway/client/oauth'
import { describe, expect, it } from 'vitest'
import { fresh, post, reasonOf, REDIRECT, withoutRefreshToken, type World } from './support/world.ts'

const clientIds = ({ visits }: World): (string | null)[] =>
  visits.map(({ searchParams }) => searchParams.get('client_id'))

const DOCUMENT = 'https://client.example/metadata.json'

/** https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/client-registration */
describe('the client id', () => {
  it('is one of clients, or the metadata document, or a registration, or one from the user', async () => {
    const made = await fresh()
    made.metadata['client_id_metadata_document_supported'] = true
    const all = {
      clients: [{ clientId: 'by-hand', issuer: made.issuer.origin }],
      clientMetadataUrl: DOCUMENT,
      registration: { clientName: 'Test client' },
      askClient: async () => ({ clientId: 'asked' }),
    }
    await post(made.connect(all), made)
    await post(made.connect({ ...all, clients: [] }), made)
    made.metadata['client_id_metadata_document_supported'] = false
    await post(made.connect({ ...all, clients: [] }), made)
    delete made.metadata['registration_endpoint']
    await post(made.connect({ ...all, clients: [] }), made)
    expect(clientIds(made)).toEqual(['by-hand', DOCUMENT, 'registered-1', 'asked'])
    expect(made.issuer.to('POST /register')).toHaveLength(1)
  })

  it('fails if there is none', async () => {
    const made = await fresh()
    delete made.metadata['registration_endpoint']
    expect(await reasonOf(post(made.connect(), made))).toBe('registration')
    expect(made.visits).toEqual([])
  })

  it('of another issuer is never used', async () => {
    const made = await fresh()
    const clients = [{ clientId: 'foreign', clientSecret: 'foreign-secret', issuer: 'https://other.example' }]
    // The other ways still work, but the foreign credentials are not used.
    await post(made.connect({ clients }), made)
    expect(clientIds(made)).toEqual(['registered-1'])
    const grant = authorizationCode({ redirectUri: REDIRECT, authorize: (url) => made.browse(url) })
    const strict = withAuth(fetch, oauth({ grant, clients }), made.url)
    expect(await reasonOf(post(strict, made))).toBe('issuer')
    expect(made.visits).toHaveLength(1)
    expect(made.issuer.seen.some(({ body, query }) => (body + String(query)).includes('foreign'))).toBe(false)
  })

  it('without an issuer is bound to the first one', async () => {
    const made = await fresh()
    const other = await fresh()
    const store = memoryCredentials()
    const clients = [{ clientId: 'by-hand', clientSecret: 'the-secret' }]
    made.metadata['token_endpoint_auth_methods_supported'] = ['client_secret_post']
    expect((await post(made.connect({ store, clients }), made)).status).toBe(200)
    made.valid.clear()
    made.resourceMetadata['authorization_servers'] = [other.issuer.origin]
    expect(await reasonOf(post(made.connect({ store, clients }), made))).toBe('issuer')
    expect(other.issuer.seen.every(({ path }) => path.startsWith('/.well-known/'))).toBe(true)
  })
})

describe('a registration', () => {
  it("has the client's metadata, grant types and redirect URIs", async () => {
    const made = await fresh()
    const registration = {
      clientName: 'Test client',
      clientUri: 'https://client.example/',
      logoUri: 'https://client.example/logo.png',
      contacts: ['a@client.example'],
      softwareId: 'id',
      softwareVersion: '1',
    }
    await post(made.connect({ registration }), made)
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

  it.each([
    ['http://localhost:1/cb', 'native'],
    ['http://[::1]:1/cb', 'native'],
    ['com.example.app:/cb', 'native'],
    ['https://client.example/cb', 'web'],
  ])('with %s has the application type %s', async (redirectUri, type) => {
    const made = await fresh()
    const grant = authorizationCode({ redirectUri, authorize: (url) => made.browse(url) })
    await post(made.connect({ grant }), made).catch(() => undefined)
    expect(JSON.parse(made.issuer.to('POST /register')[0]?.body ?? '')).toMatchObject({
      application_type: type,
    })
  })

  it('is stored, and repeated for another redirect URI, an expired secret or another issuer', async () => {
    const made = await fresh()
    const other = await fresh()
    const store = memoryCredentials()
    made.token = withoutRefreshToken
    await post(made.connect({ store }), made)
    made.valid.clear()
    await post(made.connect({ store }), made)
    expect(clientIds(made)).toEqual(['registered-1', 'registered-1'])
    const grant = authorizationCode({ redirectUri: `${REDIRECT}2`, authorize: (url) => made.browse(url) })
    made.valid.clear()
    await post(made.connect({ store, grant }), made)
    expect(clientIds(made).at(-1)).toBe('registered-2')
    made.resourceMetadata['authorization_servers'] = [other.issuer.origin]
    made.valid.clear()
    await post(made.connect({ store, grant }), made)
    expect(other.issuer.to('POST /register')).toHaveLength(1)
    expect(other.issuer.to('POST /token')[0]?.form.get('client_id')).toBe('registered-1')
    await store.write('client', other.issuer.origin, {
      clientId: 'old',
      clientSecret: 's',
      secretExpiresAt: 1,
      redirectUris: [`${REDIRECT}2`],
    })
    await post(made.connect({ store, grant }), made)
    expect(other.issuer.to('POST /register')).toHaveLength(2)
  })

  it('that the server has forgotten is repeated by the next authorization', async () => {
    const made = await fresh()
    const send = made.connect()
    made.token = () => ({
      status: 401,
      json: { error: 'invalid_client' },
      headers: { 'www-authenticate': 'Basic' },
    })
    await expect(post(send, made)).rejects.toMatchObject({ reason: 'token', oauthError: 'invalid_client' })
    made.token = (_seen, json) => ({ json })
    expect((await post(send, made)).status).toBe(200)
    expect(made.issuer.to('POST /register')).toHaveLength(2)
  })

  it('with status 200 and a secret without expiry is accepted', async () => {
    const made = await fresh()
    made.metadata['token_endpoint_auth_methods_supported'] = ['client_secret_post', 'private_key_jwt']
    made.issuer.routes.set('POST /register', () => ({
      json: { client_id: 'r', client_secret: 'given-secret' },
    }))
    expect((await post(made.connect(), made)).status).toBe(200)
    const form = made.issuer.to('POST /token')[0]?.form
    expect([form?.get('client_id'), form?.get('client_secret')]).toEqual(['r', 'given-secret'])
  })

  it('that is refused rejects with the reason', async () => {
    const made = await fresh()
    const error = { error: 'invalid_redirect_uri', error_description: 'web clients\nneed https' }
    made.issuer.routes.set('POST /register', () => ({ status: 400, json: error }))
    await expect(post(made.connect(), made)).rejects.toMatchObject({
      reason: 'registration',
      oauthError: 'invalid_redirect_uri',
      message: expect.stringContaining('web clients need https') as string,
    })
  })
})

describe('the client authenticates at the token endpoint', () => {
  it.each([
    [undefined, 'basic'],
    [['client_secret_basic', 'client_secret_post'], 'basic'],
    [['client_secret_post'], 'post'],
  ])('if the methods are %j, with %s', async (methods, expected) => {
    const made = await fresh()
    made.metadata['token_endpoint_auth_methods_supported'] = methods
    const clients = [{ clientId: 'my-client.1', clientSecret: 'p+s/t:ü', issuer: made.issuer.origin }]
    expect((await post(made.connect({ clients }), made)).status).toBe(200)
    const [token] = made.issuer.to('POST /token')
    const [, basic = ''] = token?.headers['authorization']?.split(' ') ?? []
    expect(Buffer.from(basic, 'base64').toString()).toBe(
      expected === 'basic' ? 'my-client.1:p%2Bs%2Ft%3A%C3%BC' : '',
    )
    expect(token?.form.get('client_secret')).toBe(expected === 'post' ? 'p+s/t:ü' : null)
  })
})

describe('invalid options', () => {
  it.each(['http://client.example/callback', 'callback'])(
    'are refused: %s as the redirect URI',
    (redirectUri) => {
      const grant = authorizationCode({ redirectUri, authorize: async () => '' })
      expect(() => oauth({ grant })).toThrow('ERR_MCP_OPTION')
    },
  )

  it.each(['http://client.example/a', 'https://client.example', 'https://client.example/', 'client'])(
    "are refused: %s as the metadata document's URL",
    (clientMetadataUrl) => {
      const grant = authorizationCode({ redirectUri: REDIRECT, authorize: async () => '' })
      expect(() => oauth({ grant, clientMetadataUrl })).toThrow('ERR_MCP_OPTION')
    },
  )
})
