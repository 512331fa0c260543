import { settled } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { introspection, jwt } from '../src/index.ts'
import { ISSUER, protect, type Protected, requestWith } from './support/protect.ts'
import { createIssuer, keysOf, type TestIssuer } from './support/issuer.ts'
import { RESOURCE } from './support/requests.ts'

const KEYS = `${ISSUER}/jwks`
const countOf = ({ fetched }: TestIssuer, url: string): number => fetched.filter((one) => one === url).length
/** Signs a token with a new subject each time, so that no token is in the cache. */
let subjects = 0
const tokenOf = (issuer: TestIssuer): Promise<string> =>
  issuer.sign({ aud: RESOURCE, sub: `user ${subjects++}` })

describe('issuer metadata', () => {
  const OAUTH = 'oauth-authorization-server'
  const OPENID = 'openid-configuration'

  it.each([
    [ISSUER, [`${ISSUER}/.well-known/${OAUTH}`, `${ISSUER}/.well-known/${OPENID}`]],
    [`${ISSUER}/`, [`${ISSUER}/.well-known/${OAUTH}`, `${ISSUER}/.well-known/${OPENID}`]],
    [
      `${ISSUER}/a`,
      [
        `${ISSUER}/.well-known/${OAUTH}/a`,
        `${ISSUER}/.well-known/${OPENID}/a`,
        `${ISSUER}/a/.well-known/${OPENID}`,
      ],
    ],
  ])('is requested for %s at each well-known address in turn', async (name, urls) => {
    const { issuer, send } = await protect({ issuer: name })
    const found = issuer.documents.get(urls[0] ?? '')!
    issuer.documents.delete(urls[0] ?? '')
    expect(await send(await tokenOf(issuer))).toBe(503)
    expect(issuer.fetched).toEqual(urls)
    for (const [index, url] of urls.entries()) {
      const again = await protect({ issuer: name })
      again.issuer.documents.clear()
      again.issuer.documents.set(url, found)
      again.issuer.documents.set(`${name.replace(/\/$/, '')}/jwks`, () =>
        Response.json({ keys: again.issuer.keys }),
      )
      expect(await again.send(await tokenOf(again.issuer))).toBe(200)
      expect(again.issuer.fetched.slice(0, -1)).toEqual(urls.slice(0, index + 1))
    }
  })

  it.each([
    ['null', 'has another issuer than'],
    ['{}', 'has another issuer than'],
    [`{"issuer":"${ISSUER}"}`, `The metadata of ${ISSUER} has no jwks_uri`],
    [`{"issuer":"${ISSUER}","jwks_uri":"http://auth.example.com/jwks"}`, 'is not an https: URL'],
  ])('leads to 503 and a log entry with the reason if it is %s', async (text, why) => {
    const { issuer, send, logged } = await protect()
    issuer.documents.set(`${ISSUER}/.well-known/${OAUTH}`, () => new Response(text))
    issuer.documents.set(`${ISSUER}/.well-known/${OPENID}`, () => new Response(text))
    expect(await send(await tokenOf(issuer))).toBe(503)
    const { err } = (logged[0]?.[1] ?? {}) as { readonly err?: Error }
    expect(`${err?.message} ${String(err?.cause)}`).toContain(why)
    expect(countOf(issuer, KEYS)).toBe(0)
  })

  it('is cached for a day', async () => {
    const { issuer, send, clock } = await protect()
    const METADATA = `${ISSUER}/.well-known/${OAUTH}`
    const start = clock.now()
    const after = async (ms: number): Promise<number> => {
      await clock.advance(start + ms - clock.now())
      expect(await send(await tokenOf(issuer))).toBe(200)
      return countOf(issuer, METADATA)
    }
    expect(await after(0)).toBe(1)
    expect(await after(86_399_999)).toBe(1)
    expect(await after(2 * 86_399_999)).toBe(2)
  })

  it('is not fetched if the `jwksUri` option is set', async () => {
    const { issuer, send } = await protect({ token: jwt({ jwksUri: KEYS }) })
    expect(await send(await tokenOf(issuer))).toBe(200)
    expect(issuer.fetched).toEqual([KEYS])
  })

  it('is fetched again if the keys could not be fetched', async () => {
    const { issuer, send, clock } = await protect()
    const working = issuer.documents.get(KEYS)!
    issuer.documents.delete(KEYS)
    expect(await send(await tokenOf(issuer))).toBe(503)
    issuer.documents.set(`${ISSUER}/.well-known/${OAUTH}`, () =>
      Response.json({ issuer: ISSUER, jwks_uri: `${ISSUER}/new` }),
    )
    issuer.documents.set(`${ISSUER}/new`, working)
    await clock.advance(4_999)
    expect(await send(await tokenOf(issuer))).toBe(503)
    expect(issuer.fetched).toHaveLength(2)
    await clock.advance(1)
    expect(await send(await tokenOf(issuer))).toBe(200)
  })
})

describe('issuer keys', () => {
  it("are fetched inside the request's `waitUntil`, and refreshed in the background after 10 min", async () => {
    const { issuer, clock, authenticate } = await protect()
    const work: Promise<unknown>[] = []
    const waitUntil = (one: Promise<unknown>): void => void work.push(one)
    const sent = async (): Promise<unknown> => authenticate(requestWith(await tokenOf(issuer), { waitUntil }))
    await sent()
    expect(await Promise.all(work.splice(0))).toHaveLength(1)
    await clock.advance(600_000)
    expect(await sent()).toMatchObject({ clientId: 'client' })
    expect([work.length, countOf(issuer, KEYS)]).toEqual([0, 1])
    await clock.advance(1)
    issuer.documents.delete(KEYS)
    expect(await sent()).toMatchObject({ clientId: 'client' })
    expect(work).toHaveLength(1)
    await Promise.all(work)
    expect(countOf(issuer, KEYS)).toBe(2)
  })

  it('are used for 70 min while their server is down, and then requests are refused with 503', async () => {
    const { issuer, clock, send } = await protect()
    expect(await send(await tokenOf(issuer))).toBe(200)
    issuer.documents.delete(KEYS)
    await clock.advance(4_200_000)
    expect(await send(await tokenOf(issuer))).toBe(200)
    await clock.advance(5_001)
    expect(await send(await tokenOf(issuer))).toBe(503)
  })

  it('are fetched for an unknown key id at most once every 30 s', async () => {
    const { issuer, send, clock } = await protect()
    const { privateKey, publicJwk } = await keysOf('ES256', 'next')
    expect(await send(await tokenOf(issuer))).toBe(200)
    issuer.keys.push(publicJwk)
    const token = await issuer.sign({ aud: RESOURCE }, { kid: 'next' }, privateKey)
    await clock.advance(29_999)
    expect(await send(token)).toBe(401)
    expect(countOf(issuer, KEYS)).toBe(1)
    await clock.advance(1)
    expect(await send(token)).toBe(200)
    expect(countOf(issuer, KEYS)).toBe(2)
  })

  it('may number up to 100, and if several match, the token must name its key', async () => {
    const { issuer, send, logged } = await protect()
    const [own] = issuer.keys
    issuer.keys = [...issuer.keys, ...Array.from({ length: 99 }, (_, i) => ({ ...own, kid: `k${i}` }))]
    expect(await send(await tokenOf(issuer))).toBe(200)
    expect(await send(await issuer.sign({ aud: RESOURCE }, { kid: undefined }))).toBe(401)
    expect(logged.map(([, fields]) => fields)).toEqual([{ reason: 'kid', skipped: 0 }])
  })

  it.each([
    [262_144, 200],
    [262_145, 503],
  ])('in a document of %s bytes, sent in several chunks, lead to status %s', async (size, status) => {
    const { issuer, send, clock, logged } = await protect()
    const text = JSON.stringify({ keys: issuer.keys, x: '' })
    const whole = text.replace('"x":""', `"x":"${'x'.repeat(size - text.length)}"`)
    let canceled = false
    issuer.documents.set(KEYS, () => {
      const bytes = new TextEncoder().encode(whole)
      return new Response(
        new ReadableStream({
          start(controller) {
            for (let at = 0; at < bytes.length; at += 50_000) controller.enqueue(bytes.slice(at, at + 50_000))
            if (bytes.length <= 262_144) controller.close()
          },
          cancel: () => void (canceled = true),
        }),
      )
    })
    expect(await send(await tokenOf(issuer))).toBe(status)
    expect([canceled, clock.pending]).toEqual([status === 503, 0])
    const err = expect.objectContaining({ message: `${KEYS} has more than 262144 bytes` })
    expect(logged).toEqual(status === 200 ? [] : [['error', { err }, expect.any(String)]])
  })

  it.each([
    [
      'an RSA key of 1,024 bits',
      'RS256',
      { kty: 'RSA', n: Buffer.alloc(128, 0xff).toString('base64url'), e: 'AQAB' },
    ],
    ['an RSA key without a modulus', 'RS256', { kty: 'RSA' }],
    ['a private RSA key', 'RS256', { kty: 'RSA', n: 'AQAB', e: 'AQAB', d: 'AQAB' }],
    ['a point that is not on the curve', 'ES256', { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' }],
    ['an Ed25519 key of one byte', 'EdDSA', { kty: 'OKP', crv: 'Ed25519', x: 'AA' }],
    ['a symmetric key', 'RS256', { kty: 'oct', k: 'AQAB' }],
  ])('affect only the tokens that name them if the keys are unusable: %s', async (_, alg, key) => {
    const { issuer, send, logged } = await protect()
    issuer.keys = [...issuer.keys, { ...key, kid: 'unusable' }]
    const json = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
    const [, claims] = (await tokenOf(issuer)).split('.')
    const signature = Buffer.alloc(128).toString('base64url')
    expect(await send(`${json({ alg, kid: 'unusable' })}.${claims}.${signature}`)).toBe(401)
    expect(await send(await tokenOf(issuer))).toBe(200)
    expect(logged.map(([, fields]) => fields)).toEqual([{ reason: 'kid', skipped: 0 }])
  })

  it.each([
    ['no JSON object', 'null', 'The key set has no keys'],
    ['no list of keys', '{"keys":{}}', 'The key set has no keys'],
    ['an invalid key', '{"keys":[1]}', 'The keys are malformed'],
    ['invalid JSON', '{', `${KEYS} cannot be read`],
  ])('lead to 503 if the document has %s', async (_, text, message) => {
    const { issuer, send, logged } = await protect()
    issuer.documents.set(KEYS, () => new Response(text))
    expect(await send(await tokenOf(issuer))).toBe(503)
    expect(logged.map(([, fields]) => fields)).toMatchObject([{ err: { name: 'Unavailable', message } }])
  })

  it('lead to 503 and a log entry if they do not arrive within 5 s', async () => {
    const { issuer, send, clock, logged } = await protect()
    issuer.documents.set(
      KEYS,
      ({ signal }) =>
        new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
    )
    let status: number | undefined
    const answered = send(await tokenOf(issuer)).then((found) => (status = found))
    await settled()
    await clock.advance(4_999)
    expect(status).toBeUndefined()
    await clock.advance(1)
    expect(await answered).toBe(503)
    const message = `${KEYS} cannot be read within 5000 ms`
    expect(logged.map(([, fields]) => fields)).toMatchObject([{ err: { message } }])
  })
})

describe('oauth() with several issuers', () => {
  it('verifies a token with the keys of its issuer, and an opaque token by introspection', async () => {
    const second = 'https://second.example.com'
    const own = await createIssuer(second, () => 1_000_000)
    const token = introspection({ clientId: 'a', clientSecret: 'b', endpoint: `${ISSUER}/introspect` })
    const site: Protected = await protect({
      issuers: [{ issuer: second }, { issuer: ISSUER, token }],
      issuer: undefined as never,
      fetch: (url, init) => (url.startsWith(second) ? own : site.issuer).fetch(url, init),
    })
    const { send, issuer } = site
    issuer.documents.set(`${ISSUER}/introspect`, () =>
      Response.json({ active: true, aud: RESOURCE, sub: 'user' }),
    )
    expect(await send(await own.sign({ aud: RESOURCE }))).toBe(200)
    expect(issuer.fetched).toEqual([])
    expect(await send('opaque')).toBe(200)
    expect(await send(await issuer.sign({ aud: RESOURCE, iss: 'https://third.example.com' }))).toBe(401)
    expect(issuer.fetched).toEqual([`${ISSUER}/introspect`])
  })
})
