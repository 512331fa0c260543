import { describe, expect, it } from 'vitest'
import { keysOf, type TestIssuer } from './support/issuer.ts'
import { ISSUER, protect, requestWith } from './support/protect.ts'
import { RESOURCE } from './support/requests.ts'

const KEYS = `${ISSUER}/jwks`

const fetchedKeys = ({ fetched }: TestIssuer): number => fetched.filter((url) => url === KEYS).length
const fails = (): never => {
  throw new TypeError('fetch failed')
}

describe('issuer keys', () => {
  it('are fetched only once for many tokens', async () => {
    const { issuer, send } = await protect()
    const tokens = await Promise.all(
      Array.from({ length: 20 }, (_, i) => issuer.sign({ aud: RESOURCE, sub: `${i}` })),
    )
    expect(await Promise.all(tokens.map((token) => send(token)))).toEqual(tokens.map(() => 200))
    expect(fetchedKeys(issuer)).toBe(1)
  })

  it('are fetched at most once every 30 s for 1,000 unknown key ids', async () => {
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
  ])('lead to 503, and to at most one request every 5 s, if the key server %s', async (_how, answer) => {
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
  it('is cached, and is then accepted synchronously', async () => {
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

  it('may make the Authorization header up to 16,384 characters long', async () => {
    const { issuer, send } = await protect()
    const padded = (length: number): Promise<string> =>
      issuer.sign({ aud: RESOURCE, padding: 'x'.repeat(length) })
    let padding = 11_900
    while ((await padded(padding)).length < 16_384 - 'Bearer '.length) padding++
    expect((await padded(padding)).length).toBe(16_384 - 'Bearer '.length)
    expect(await send(await padded(padding))).toBe(200)
    expect(await send(await padded(padding + 1))).toBe(401)
  })

  it('replaces the oldest cached token if the cache is full', async () => {
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
