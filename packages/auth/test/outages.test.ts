import { describe, expect, it } from 'vitest'
import { introspection } from '../src/index.ts'
import { keysOf, type TestIssuer } from './support/issuer.ts'
import { ISSUER, protect, type Protected, requestWith } from './support/protect.ts'
import { RESOURCE } from './support/requests.ts'

const KEYS = `${ISSUER}/jwks`
const INTROSPECT = `${ISSUER}/introspect`

const fetchedKeys = ({ fetched }: TestIssuer): number => fetched.filter((url) => url === KEYS).length
const fails = (): never => {
  throw new TypeError('fetch failed')
}

describe('issuer keys', () => {
  it('are fetched once for many tokens', async () => {
    const { issuer, send } = await protect()
    const tokens = await Promise.all(
      Array.from({ length: 20 }, (_, i) => issuer.sign({ aud: RESOURCE, sub: `${i}` })),
    )
    expect(await Promise.all(tokens.map(send))).toEqual(tokens.map(() => 200))
    expect(fetchedKeys(issuer)).toBe(1)
  })

  it('are fetched at most once in 30 s for 1,000 unknown key ids', async () => {
    const { issuer, send, clock } = await protect()
    expect(await send(await issuer.sign({ aud: RESOURCE }))).toBe(200)
    const token = await issuer.sign({ aud: RESOURCE })
    const [, claims, signature] = token.split('.')
    await clock.advance(31_000)
    for (let i = 0; i < 1_000; i++) {
      const header = Buffer.from(JSON.stringify({ alg: 'ES256', kid: `k${i}` })).toString('base64url')
      expect(await send(`${header}.${claims}.${signature}`)).toBe(401)
    }
    expect(fetchedKeys(issuer)).toBe(2)
  })

  it('are fetched again when a token names a new key', async () => {
    const { issuer, send, clock } = await protect()
    const { privateKey, publicJwk } = await keysOf('ES256', 'next')
    expect(await send(await issuer.sign({ aud: RESOURCE }))).toBe(200)
    issuer.keys.push(publicJwk)
    const rotated = await issuer.sign({ aud: RESOURCE }, { kid: 'next' }, privateKey)
    expect(await send(rotated)).toBe(401)
    await clock.advance(30_000)
    expect(await send(rotated)).toBe(200)
  })

  it.each([
    ['fails', fails],
    ['replies with status 500', () => new Response(null, { status: 500 })],
    ['redirects', () => Response.redirect('https://evil.example/jwks')],
    ['does not send JSON', () => new Response('<html>')],
    ['does not send keys', () => Response.json({})],
    ['sends more than 256 KiB', () => new Response(`{"keys":[],"x":"${'x'.repeat(262_144)}"}`)],
    [
      'sends more than 100 keys',
      () => Response.json({ keys: Array.from({ length: 101 }, () => ({ kty: 'EC' })) }),
    ],
  ])('cause 503 and at most one request in 5 s if the key server %s', async (_how, answer) => {
    const { issuer, send, clock } = await protect()
    const token = await issuer.sign({ aud: RESOURCE })
    const working = issuer.documents.get(KEYS) as () => Response
    issuer.documents.set(KEYS, answer)
    for (let i = 0; i < 20; i++) expect(await send(token)).toBe(503)
    expect(fetchedKeys(issuer)).toBe(1)
    issuer.documents.set(KEYS, working)
    await clock.advance(5_000)
    expect(await send(token)).toBe(200)
  })

  it("are not taken from another issuer's metadata", async () => {
    const { issuer, send } = await protect()
    issuer.documents.set(`${ISSUER}/.well-known/oauth-authorization-server`, () =>
      Response.json({ issuer: 'https://evil.example', jwks_uri: KEYS }),
    )
    expect(await send(await issuer.sign({ aud: RESOURCE }))).toBe(503)
    expect(fetchedKeys(issuer)).toBe(0)
  })
})

describe('a verified token', () => {
  it('is cached, and then accepted synchronously', async () => {
    const { issuer, send, authenticate } = await protect()
    const token = await issuer.sign({ aud: RESOURCE })
    await send(token)
    expect(authenticate(requestWith(token))).toMatchObject({ clientId: 'client' })
  })

  it('is verified again after a minute, or after it expires', async () => {
    const { issuer, send, clock, authenticate } = await protect()
    const token = await issuer.sign({ aud: RESOURCE, exp: Math.floor(clock.now() / 1000) + 10 })
    expect(await send(token)).toBe(200)
    await clock.advance(60_000)
    expect(authenticate(requestWith(token))).toBeInstanceOf(Promise)
    await clock.advance(11_000)
    expect(await send(token)).toBe(401)
  })

  it.each([
    ['for cache.ttlMs', { ttlMs: 5_000 }, 5_000],
    ['never if the option `cache` is false', false, 0],
    ['for a minute by default', {}, 60_000],
  ] as const)('is cached %s', async (_how, cache, ms) => {
    const { issuer, send, clock, authenticate } = await protect({ cache })
    const token = await issuer.sign({ aud: RESOURCE })
    await send(token)
    const isKnown = (): boolean => !(authenticate(requestWith(token)) instanceof Promise)
    await clock.advance(Math.max(ms - 1, 0))
    expect(isKnown()).toBe(ms > 0)
    await clock.advance(1)
    expect(isKnown()).toBe(false)
  })

  it('may have a header of up to 16,384 characters', async () => {
    const { issuer, send } = await protect()
    const padded = (length: number): Promise<string> =>
      issuer.sign({ aud: RESOURCE, padding: 'x'.repeat(length) })
    let padding = 11_900
    while ((await padded(padding)).length < 16_384 - 'Bearer '.length) padding++
    expect((await padded(padding)).length).toBe(16_384 - 'Bearer '.length)
    expect(await send(await padded(padding))).toBe(200)
    expect(await send(await padded(padding + 1))).toBe(401)
  })

  it('replaces the oldest token in a full cache', async () => {
    const { issuer, send, authenticate } = await protect({ cache: { max: 2 } })
    const tokens = await Promise.all(['a', 'b', 'c'].map((sub) => issuer.sign({ aud: RESOURCE, sub })))
    for (const token of tokens) await send(token)
    expect(tokens.map((token) => authenticate(requestWith(token)) instanceof Promise)).toEqual([
      true,
      false,
      false,
    ])
  })

  it('is not exposed by ctx.auth, which is frozen', async () => {
    const { issuer, send, authenticate } = await protect({
      implies: { 'files:write': ['files:read'], admin: ['files:write'] },
    })
    const token = await issuer.sign({ aud: RESOURCE, scp: ['admin'], realm: { roles: ['a'] } })
    await send(token)
    const auth = authenticate(requestWith(token)) as object
    expect(auth).toMatchObject({
      principal: JSON.stringify([ISSUER, 'client', 'user']),
      scopes: ['admin', 'files:write', 'files:read'],
      extra: { issuer: ISSUER, subject: 'user', claims: { realm: { roles: ['a'] } } },
    })
    expect(JSON.stringify(auth)).not.toContain(token)
    expect(Object.isFrozen((auth as { extra: { claims: { realm: object } } }).extra.claims.realm)).toBe(true)
  })
})

describe('introspection', () => {
  const opaque = async (
    answer: object | ((init: RequestInit) => Response | Promise<Response>),
    options: Partial<Parameters<typeof introspection>[0]> = {},
  ): Promise<Protected & { readonly asked: RequestInit[] }> => {
    const site = await protect({
      token: introspection({ clientId: 'me:1', clientSecret: 'a secret', ...options }),
    })
    const asked: RequestInit[] = []
    site.issuer.documents.set(`${ISSUER}/.well-known/oauth-authorization-server`, () =>
      Response.json({ issuer: ISSUER, introspection_endpoint: INTROSPECT }),
    )
    site.issuer.documents.set(INTROSPECT, (init) => {
      asked.push(init)
      return typeof answer === 'function' ? answer(init) : Response.json(answer)
    })
    return { ...site, asked }
  }

  it('asks the issuer once per token, with the server’s credentials', async () => {
    const { send, asked } = await opaque({ active: true, aud: RESOURCE, sub: 'user' })
    expect(await Promise.all([send('t'), send('t'), send('t')])).toEqual([200, 200, 200])
    expect(asked).toHaveLength(1)
    expect(asked[0]?.body).toBe('token=t&token_type_hint=access_token')
    expect(asked[0]?.headers).toMatchObject({ authorization: `Basic ${btoa('me%3A1:a+secret')}` })
  })

  it.each([
    ['is inactive', { active: false, aud: RESOURCE }],
    ['has a string as `active`', { active: 'true', aud: RESOURCE }],
    ['names no audience', { active: true }],
    ['names another audience', { active: true, aud: 'https://other.example' }],
    ['was issued by another issuer', { active: true, aud: RESOURCE, iss: 'https://other.example' }],
    ['has expired', { active: true, aud: RESOURCE, exp: 1 }],
    ['is bound to a key', { active: true, aud: RESOURCE, cnf: { jkt: 'x' } }],
    ['names neither user nor client', { active: true, aud: RESOURCE, sub: undefined }],
  ])('refuses a token that %s', async (_how, answer) => {
    const { send } = await opaque({ sub: 'user', ...answer })
    expect(await send('t')).toBe(401)
  })

  it.each([
    ['names several audiences', { aud: ['https://other.example', 5, RESOURCE] }],
    ['names its issuer', { aud: RESOURCE, iss: ISSUER }],
  ])('accepts a token that %s', async (_how, answer) => {
    const { send, clock } = await opaque({ active: true, sub: 'user', ...answer })
    expect(await send('t')).toBe(200)
    expect(clock.pending).toBe(0)
  })

  it('sends the credentials in the body if `authMethod` is client_secret_post', async () => {
    const { send, asked } = await opaque(
      { active: true, aud: RESOURCE, sub: 'user' },
      { authMethod: 'client_secret_post' },
    )
    expect(await send('t')).toBe(200)
    expect(asked[0]).toMatchObject({
      method: 'POST',
      redirect: 'manual',
      body: 'token=t&token_type_hint=access_token&client_id=me%3A1&client_secret=a+secret',
    })
    expect(asked[0]?.headers).toEqual({
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
    })
  })

  it.each([
    ['no object', () => new Response('5'), `${INTROSPECT} replied with no object`],
    ['null', () => new Response('null'), `${INTROSPECT} replied with no object`],
    ['status 401', () => new Response('', { status: 401 }), `${INTROSPECT} replied with status 401`],
    [
      '65,537 bytes',
      () => new Response(`"${'x'.repeat(65_535)}"`),
      `${INTROSPECT} has more than 65536 bytes`,
    ],
    ['65,536 bytes', () => new Response(`"${'x'.repeat(65_534)}"`), `${INTROSPECT} replied with no object`],
  ])(
    'replies with 503 if the issuer sends %s, and then fetches the metadata again',
    async (_how, answer, message) => {
      const { issuer, send, logged } = await opaque(answer)
      expect(await send('t')).toBe(503)
      expect(await send('t')).toBe(503)
      expect(issuer.fetched).toHaveLength(4)
      expect(logged.map(([, fields]) => fields)).toMatchObject([{ err: { message } }, { err: { message } }])
    },
  )

  it('replies with 503 if the metadata has no introspection_endpoint', async () => {
    const { issuer, send, logged } = await opaque({})
    issuer.documents.set(`${ISSUER}/.well-known/oauth-authorization-server`, () =>
      Response.json({ issuer: ISSUER }),
    )
    expect(await send('t')).toBe(503)
    const message = `The metadata of ${ISSUER} has no introspection_endpoint`
    expect(logged.map(([, fields]) => fields)).toMatchObject([{ err: { message } }])
  })

  it('forgets an inactive token after 1,000 others', async () => {
    const { send, asked } = await opaque({ active: false })
    for (let i = 0; i <= 1_000; i++) await send(`t${i}`)
    await send('t1')
    expect(asked).toHaveLength(1_001)
    await send('t0')
    expect(asked).toHaveLength(1_002)
  })

  it('refuses a token from the moment of its expiry', async () => {
    let exp = 0
    const { send, clock } = await opaque(() =>
      Response.json({ active: true, aud: RESOURCE, sub: 'user', exp }),
    )
    exp = Math.ceil(clock.now() / 1000)
    await clock.advance(exp * 1000 - clock.now())
    expect(await send('a')).toBe(401)
    exp++
    expect(await send('b')).toBe(200)
  })

  it('caches an inactive token for 5 s, and an active one for 30 s', async () => {
    let active = false
    const { send, clock, asked } = await opaque(() => Response.json({ active, aud: RESOURCE, sub: 'user' }))
    expect(await send('t')).toBe(401)
    active = true
    expect(await send('t')).toBe(401)
    await clock.advance(4_999)
    expect(await send('t')).toBe(401)
    await clock.advance(1)
    expect(await send('t')).toBe(200)
    active = false
    await clock.advance(29_999)
    expect(await send('t')).toBe(200)
    await clock.advance(1)
    expect(await send('t')).toBe(401)
    expect(asked).toHaveLength(3)
  })

  it('accepts a token without aud if the option `audience` is "issuer"', async () => {
    const { send } = await opaque({ active: true, sub: 'user' }, { audience: 'issuer' })
    expect(await send('t')).toBe(200)
  })

  it('gives up with 503 after 2 s, or at once if 64 requests are already running', async () => {
    const { send, clock, asked } = await opaque(
      ({ signal }) =>
        new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
    )
    const waiting = Array.from({ length: 64 }, (_, i) => send(`t${i}`))
    await new Promise((resolve) => setImmediate(resolve))
    expect(await send('more')).toBe(503)
    await clock.advance(1_999)
    expect(await send('more')).toBe(503)
    expect(clock.pending).toBe(64)
    await clock.advance(1)
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([503]))
    expect(asked.length).toBeLessThanOrEqual(64)
  })

  it.each([
    { clientId: '' },
    { clientSecret: '' },
    { endpoint: 'http://auth.example.com/i' },
    { audience: 'any' },
    { clientId: 1 },
    { clientSecret: undefined },
    { authMethod: 'none' },
    { secret: 'x' },
  ])('throws ERR_MCP_OPTION for %j', (wrong) => {
    expect(() => introspection({ clientId: 'a', clientSecret: 'b', ...wrong } as never)).toThrow(
      'ERR_MCP_OPTION',
    )
  })
})
