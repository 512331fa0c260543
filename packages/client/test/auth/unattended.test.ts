import { decodeJwt, decodeProtectedHeader, exportJWK, exportPKCS8, generateKeyPair, jwtVerify } from 'jose'
import { clientCredentials, enterpriseManaged, workloadIdentity } from '@jetway/client/oauth'
import { describe, expect } from 'vitest'
import { scripted, type Scripted } from './support/scripted.ts'
import { failure, it as base, withoutRefreshToken, type World } from './support/world.ts'

const it = base.extend('made', ({ made }) => Object.assign(made, { token: withoutRefreshToken }))

/** https://modelcontextprotocol.io/extensions/auth/oauth-client-credentials */
describe('client credentials', () => {
  it('request a token with a secret, and a new token when it expires', async ({ made }) => {
    made.metadata['token_endpoint_auth_methods_supported'] = ['client_secret_post']
    made.wanted = ['read']
    let now = 0
    const send = made.sender({
      grant: clientCredentials(),
      clients: [{ clientId: 'c', clientSecret: 'secret-of-c', issuer: made.issuer.origin }],
      clock: { now: () => now },
    })
    expect((await send()).status).toBe(200)
    now = 3_600_000
    expect((await send()).status).toBe(200)
    const forms = made.issuer.to('POST /token').map(({ form }) => Object.fromEntries(form))
    const form = {
      grant_type: 'client_credentials',
      resource: made.url,
      scope: 'read',
      client_id: 'c',
      client_secret: 'secret-of-c',
    }
    expect(forms).toEqual([form, form])
  })

  it.for(['PEM', 'JWK', 'CryptoKey'])(
    'request a token with an assertion that is signed with a %s key',
    async (form, { made }) => {
      const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
      const key =
        form === 'PEM'
          ? await exportPKCS8(privateKey)
          : form === 'JWK'
            ? await exportJWK(privateKey)
            : privateKey
      const clients = [
        { clientId: 'c', privateKey: { key, alg: 'ES256', kid: 'k1' }, issuer: made.issuer.origin },
      ]
      const grant = clientCredentials()
      expect((await made.post({ grant, clients })).status).toBe(200)
      const sent = made.issuer.to('POST /token')[0]?.form
      expect(sent?.get('client_assertion_type')).toBe(
        'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      )
      const assertion = sent?.get('client_assertion') ?? ''
      const { payload } = await jwtVerify(assertion, publicKey, {
        audience: made.issuer.origin,
        issuer: 'c',
        subject: 'c',
      })
      expect(payload.jti).toMatch(/.{16,}/)
      expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBeLessThanOrEqual(300)
      expect(decodeProtectedHeader(assertion)).toMatchObject({ alg: 'ES256', kid: 'k1' })
    },
  )

  it('reject an invalid key without revealing it', async ({ made }) => {
    const clients = [{ clientId: 'c', privateKey: { key: 'TOPSECRETKEY', alg: 'ES256' } }]
    const error = await failure(made.post({ grant: clientCredentials(), clients }))
    expect([error.reason, error.message.includes('TOPSECRETKEY')]).toEqual(['registration', false])
  })
})

/** https://www.rfc-editor.org/rfc/rfc7523#section-2.1 */
describe('workload identity', () => {
  it('requests a new assertion from the platform for each token', async ({ made }) => {
    const asked: unknown[] = []
    let now = 0
    const send = made.sender({
      grant: workloadIdentity({
        assertion: (context) => {
          asked.push(context)
          return `assertion-${asked.length}`
        },
      }),
      clients: [{ clientId: 'workload' }],
      clock: { now: () => now },
    })
    await send()
    now = 3_600_000
    expect((await send()).status).toBe(200)
    const { origin } = made.issuer
    const context = { issuer: origin, tokenEndpoint: `${origin}/token`, resource: made.url }
    expect(asked).toEqual([context, context])
    expect(made.issuer.to('POST /token').map(({ form }) => Object.fromEntries(form))).toEqual(
      ['assertion-1', 'assertion-2'].map((assertion) => ({
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        assertion,
        resource: made.url,
        client_id: 'workload',
      })),
    )
  })

  it.for(['invalid_grant', 'invalid_scope', 'unauthorized_client'])(
    'does not retry after the error %s',
    async (code, { made }) => {
      made.token = () => ({ status: 400, json: { error: code } })
      const grant = workloadIdentity({ assertion: () => 'assertion' })
      const error = await failure(made.post({ grant, clients: [{ clientId: 'w' }] }))
      expect([error.reason, error.oauthError, made.issuer.to('POST /token').length]).toEqual([
        'token',
        code,
        1,
      ])
    },
  )
})

/** https://modelcontextprotocol.io/extensions/auth/enterprise-managed-authorization */
describe('enterpriseManaged', () => {
  const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag'

  async function provider(): Promise<Scripted> {
    const made = await scripted()
    made.routes.set('POST /exchange', () => ({
      json: { access_token: 'the-grant', issued_token_type: ID_JAG, token_type: 'N_A', expires_in: 300 },
    }))
    made.routes.set('GET /.well-known/openid-configuration', () => ({
      json: { issuer: made.origin, token_endpoint: `${made.origin}/exchange` },
    }))
    return made
  }
  const clients = [{ clientId: 'at-the-server', clientSecret: 'server-secret' }]

  it.for(['found in metadata', 'given'])(
    "uses the identity provider's token endpoint (%s)",
    async (how, { made }) => {
      made.wanted = ['read']
      const idp = await provider()
      const grant = enterpriseManaged({
        identityProvider: {
          issuer: idp.origin,
          clientId: 'at-the-provider',
          clientSecret: 'provider-secret',
          ...(how === 'given' ? { tokenEndpoint: `${idp.origin}/exchange` } : {}),
        },
        subjectToken: async () => 'the-id-token',
      })
      expect((await made.post({ grant, clients })).status).toBe(200)
      const [exchange] = idp.to('POST /exchange')
      expect(Object.fromEntries(exchange?.form ?? [])).toEqual({
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        requested_token_type: ID_JAG,
        audience: made.issuer.origin,
        resource: made.url,
        scope: 'read',
        subject_token: 'the-id-token',
        subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
      })
      expect(exchange?.headers['authorization']).toBe(`Basic ${btoa('at-the-provider:provider-secret')}`)
      const [token] = made.issuer.to('POST /token')
      expect(Object.fromEntries(token?.form ?? [])).toMatchObject({
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        assertion: 'the-grant',
        resource: made.url,
      })
      expect(idp.seen.some(({ body }) => body.includes('server-secret'))).toBe(false)
    },
  )

  it.for([
    [{ access_token: 'x-x-x-x-x', token_type: 'Bearer' }],
    [
      {
        access_token: 'x-x-x-x-x',
        token_type: 'Bearer',
        issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      },
    ],
    [{ access_token: 'x-x-x-x-x', token_type: 'weird', issued_token_type: ID_JAG }],
    [{ token_type: 'N_A', issued_token_type: ID_JAG }],
  ])('does not request a token if the identity provider responds with %j', async (json, { made }) => {
    const idp = await provider()
    idp.routes.set('POST /exchange', () => ({ json }))
    const grant = enterpriseManaged({
      identityProvider: { issuer: idp.origin, clientId: 'a' },
      subjectToken: () => 'the-id-token',
    })
    const error = await failure(made.post({ grant, clients }))
    expect([error.reason, made.issuer.to('POST /token').length]).toEqual(['token', 0])
    expect(error.message).not.toContain('x-x-x-x-x')
  })
})

describe('a client assertion', () => {
  it('is created separately for each authorization server', async ({ made, other }) => {
    const { privateKey } = await generateKeyPair('ES256')
    const send = (at: World): Promise<Response> =>
      at.post({
        grant: clientCredentials(),
        clients: [{ clientId: 'c', privateKey: { key: privateKey, alg: 'ES256' }, issuer: at.issuer.origin }],
      })
    await Promise.all([send(made), send(other)])
    const audiences = [made, other].map(
      ({ issuer }) => decodeJwt(issuer.to('POST /token')[0]?.form.get('client_assertion') ?? '').aud,
    )
    expect(audiences).toEqual([made.issuer.origin, other.issuer.origin])
  })
})
