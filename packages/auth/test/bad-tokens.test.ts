import { McpServer } from '@jetway/core'
import { toFetch } from '@jetway/core/http'
import { base64url, exportSPKI, SignJWT, type CryptoKey } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { oauth } from '../src/index.ts'
import { createIssuer, keysOf, type TestIssuer } from './support/issuer.ts'
import { REQUESTS, requestTo, RESOURCE, type TestRequest } from './support/requests.ts'

const ISSUER = 'https://auth.example.com/tenant'

type Claims = Readonly<Record<string, unknown>>

let issuer: TestIssuer
let other: { readonly privateKey: CryptoKey }
let runs = 0
const logs: string[] = []
const log = (fields: object, message: string): void =>
  void logs.push(
    `${message} ${JSON.stringify(fields, (_key, value: unknown) => (value instanceof Error ? `${value.stack}` : value))}`,
  )
const logger = { debug: log, info: log, warn: log, error: log }
const seen: string[] = []

const server = new McpServer({ name: 'test', version: '1.0.0' }, { logger })
server.addTool({
  name: 'run',
  handler: (_args, ctx) => {
    runs++
    seen.push(JSON.stringify(ctx.auth))
    return 'ran'
  },
})
server.on('request', (event) => void seen.push(JSON.stringify(event)))
server.on('reject', (event) => void seen.push(JSON.stringify(event)))

let handler: ReturnType<typeof toFetch>
beforeAll(async () => {
  issuer = await createIssuer(ISSUER)
  other = await keysOf('ES256', 'other')
  handler = toFetch(server, {
    path: '/mcp',
    publicUrl: RESOURCE,
    legacySse: true,
    authenticate: oauth({ issuer: ISSUER, fetch: issuer.fetch }),
  })
})

const send = (request: TestRequest, authorization: string | undefined): Promise<Response> =>
  handler(requestTo(request, authorization === undefined ? {} : { authorization }))

const sign = (claims: Claims = {}, header: object = {}): Promise<string> =>
  issuer.sign({ aud: RESOURCE, ...claims }, header)
const now = (): number => Math.floor(Date.now() / 1000)
const json = (value: unknown): string => base64url.encode(JSON.stringify(value))
/** The three segments of a valid token. */
const parts = async (claims?: Claims): Promise<[string, string, string]> =>
  (await sign(claims)).split('.') as [string, string, string]
const CLAIMS = { iss: ISSUER, aud: RESOURCE, sub: 'admin', exp: 4e9 }
const unsigned = (alg: string): string => `${json({ alg, typ: 'JWT' })}.${json(CLAIMS)}.`

async function byPublicKey(secret: 'jwk' | 'pem'): Promise<string> {
  const jwk = issuer.keys[0]
  const { publicKey } = await crypto.subtle
    .importKey('jwk', jwk as JsonWebKey, { name: 'ECDSA', namedCurve: 'P-256' }, true, ['verify'])
    .then((key) => ({ publicKey: key }))
  const text = secret === 'jwk' ? JSON.stringify(jwk) : await exportSPKI(publicKey)
  return new SignJWT(CLAIMS)
    .setProtectedHeader({ alg: 'HS256', kid: 'ES256', typ: 'JWT' })
    .sign(new TextEncoder().encode(text))
}

const forged = (header: object = {}): Promise<string> =>
  new SignJWT(CLAIMS)
    .setProtectedHeader({ alg: 'ES256', kid: 'ES256', typ: 'JWT', ...header })
    .sign(other.privateKey)

type Make = () => string | Promise<string>
const claim =
  (claims: Claims, header?: object): Make =>
  () =>
    sign(claims, header)

/** Values of `aud` that resemble the address of the server. */
const AUDIENCES = [
  'https://api.example.com',
  'https://api.example.com/',
  'https://api.example.com/mcp/',
  'https://api.example.com/MCP',
  'https://API.example.com/mcp',
  'https://api.example.com:443/mcp',
  'http://api.example.com/mcp',
  'https://api.example.com/mcp?x=1',
  'https://api.example.com/mcp#x',
  'https://api.example.com/mcp/other',
  'https://api.example.com.evil.example/mcp',
  'https://other.example/mcp',
  'https://user@api.example.com/mcp',
  ISSUER,
  'client',
  '*',
  '',
]
const ISSUERS = [
  'https://auth.example.com/tenant/',
  'https://auth.example.com/Tenant',
  'https://AUTH.example.com/tenant',
  'https://auth.example.com:443/tenant',
  'https://auth.example.com',
  'https://auth.example.com/other',
  'http://auth.example.com/tenant',
  'https://auth.example.com.evil.example/tenant',
  '',
]

const BAD: Readonly<Record<string, Make>> = {
  'no token': () => 'Bearer ',
  'the scheme alone': () => 'Bearer',
  'two tokens': async () => `Bearer ${await sign()} ${await sign()}`,
  'two tokens with a comma': async () => `Bearer ${await sign()}, Bearer ${await sign()}`,
  'a quoted token': async () => `Bearer "${await sign()}"`,
  'a parameter': async () => `Bearer token=${await sign()}`,
  'a token of more than 16 KiB': claim({ padding: 'x'.repeat(16_384) }),
  'no JWT': () => 'opaque',
  'two segments': async () => (await parts()).slice(0, 2).join('.'),
  'four segments': async () => [...(await parts()), 'x'].join('.'),
  'five segments': async () => [...(await parts()), 'x', 'y'].join('.'),
  'a header that is no JSON': async () => `x.${(await parts()).slice(1).join('.')}`,
  'claims that are no JSON': async () => {
    const [header, , signature] = await parts()
    return `${header}.${base64url.encode('x')}.${signature}`
  },
  'claims that are a list': async () => {
    const [header, , signature] = await parts()
    return `${header}.${json([])}.${signature}`
  },
  'no signature': async () => `${(await parts()).slice(0, 2).join('.')}.`,
  'half a signature': async () => (await sign()).slice(0, -40),
  'claims of another token': async () => {
    const [header, , signature] = await parts()
    return `${header}.${(await parts({ sub: 'admin' }))[1]}.${signature}`
  },
  'a signature by another key': () => forged(),
  'an unknown key id': () => forged({ kid: 'unknown' }),
  'a key id that is a path': () => forged({ kid: '../../dev/null' }),
  'a key in the header': async () =>
    forged({ jwk: (await keysOf('ES256', 'other')).publicJwk, kid: undefined }),
  'a URL of keys in the header': () => forged({ jku: 'https://evil.example/jwks' }),
  'a URL of a certificate in the header': () => forged({ x5u: 'https://evil.example/cert' }),
  'a certificate in the header': () => forged({ x5c: ['MIIB'] }),
  'alg none': () => unsigned('none'),
  'alg None': () => unsigned('None'),
  'alg NONE': () => unsigned('NONE'),
  'alg missing': () => `${json({ typ: 'JWT' })}.${json(CLAIMS)}.x`,
  'alg of another kind of key': async () => {
    const [, claims, signature] = await parts()
    return `${json({ alg: 'RS256', kid: 'ES256' })}.${claims}.${signature}`
  },
  'HS256 by the public key as JWK': () => byPublicKey('jwk'),
  'HS256 by the public key as PEM': () => byPublicKey('pem'),
  'a critical extension': async () =>
    `${json({ alg: 'ES256', crit: ['x'], x: 1 })}.${(await parts()).slice(1).join('.')}`,
  'typ dpop+jwt': claim({}, { typ: 'dpop+jwt' }),
  'typ logout+jwt': claim({}, { typ: 'logout+jwt' }),
  'typ secevent+jwt': claim({}, { typ: 'application/secevent+jwt' }),
  'no issuer': claim({ iss: undefined }),
  'no audience': claim({ aud: undefined }),
  'an empty list of audiences': claim({ aud: [] }),
  'a list of other audiences': claim({ aud: ['https://other.example', ISSUER] }),
  'an audience that is an object': claim({ aud: { 0: RESOURCE } }),
  'no expiry': claim({ exp: undefined }),
  'a token that expired 61 s ago': () => sign({ exp: now() - 61 }),
  'a token that expired long ago': claim({ exp: 1 }),
  'an expiry that is a text': claim({ exp: '4000000000' }),
  'a token valid in 62 s': () => sign({ nbf: now() + 62 }),
  'an nbf that is a text': claim({ nbf: 'now' }),
  'a token issued in 62 s': () => sign({ iat: now() + 62 }),
  'an ID token with a nonce': claim({ nonce: 'n' }, { typ: 'JWT' }),
  'an ID token with at_hash': claim({ at_hash: 'h' }, { typ: 'JWT' }),
  'an ID token with c_hash': claim({ c_hash: 'h' }, { typ: undefined }),
  'a token bound to a key by DPoP': claim({ cnf: { jkt: 'x' } }),
  'a token bound to a certificate': claim({ cnf: { 'x5t#S256': 'x' } }),
  'neither user nor client': claim({ sub: undefined, client_id: undefined }),
  '257 scopes': claim({ scope: Array.from({ length: 257 }, (_, i) => `s${i}`).join(' ') }),
  'a scope of 257 characters': claim({ scope: 's'.repeat(257) }),
  ...Object.fromEntries(AUDIENCES.map((aud) => [`aud ${aud}`, claim({ aud })])),
  ...Object.fromEntries(ISSUERS.map((iss) => [`iss ${iss}`, claim({ iss })])),
}

const GOOD: Readonly<Record<string, Make>> = {
  'an access token': claim({}),
  'typ JWT': claim({}, { typ: 'JWT' }),
  'typ application/at+jwt': claim({}, { typ: 'application/AT+JWT' }),
  'no typ': claim({}, { typ: undefined }),
  'a token that expired 58 s ago': () => sign({ exp: now() - 58 }),
  'a token valid in 58 s': () => sign({ nbf: now() + 58 }),
  'several audiences': claim({ aud: ['https://other.example', RESOURCE] }),
  'the audience of the older transport': claim({ aud: 'https://api.example.com/sse' }),
  'an access token with a nonce': claim({ nonce: 'n' }),
}

const asHeader = (made: string): string => (made.startsWith('Bearer') ? made : `Bearer ${made}`)
const flat = async (response: Response): Promise<string> =>
  JSON.stringify([response.status, [...response.headers], await response.text()])

describe('bad tokens', () => {
  it('include at least 60 kinds', () => {
    expect(Object.keys(BAD).length).toBeGreaterThanOrEqual(60)
  })

  it.each(Object.keys(BAD))(
    'are refused with the same 401 for every request, before any handler runs: %s',
    async (name) => {
      const header = asHeader(await (BAD[name] as Make)())
      const before = runs
      for (const [where, request] of Object.entries(REQUESTS)) {
        const answer = await send(request, header)
        expect(answer.status, where).toBe(401)
        expect(answer.headers.get('www-authenticate'), where).toContain('error="invalid_token"')
        expect(await flat(answer), where).toBe(await flat(await send(request, 'Bearer x')))
      }
      expect(runs).toBe(before)
    },
  )

  it.each([undefined, 'Basic dXNlcjpwYXNz', 'DPoP x', 'Bearers x', ''])(
    'produce a challenge without an error code if Authorization is %s',
    async (header) => {
      for (const request of Object.values(REQUESTS)) {
        const answer = await send(request, header)
        expect(answer.status).toBe(401)
        expect(answer.headers.get('www-authenticate')).not.toContain('error')
      }
    },
  )

  it('are not read from the query string', async () => {
    const request = { ...(REQUESTS['initialize'] as TestRequest), path: `/mcp?access_token=${await sign()}` }
    expect((await send(request, undefined)).status).toBe(401)
  })

  it('are refused if their claims differ from those of a cached token with the same signature', async () => {
    const token = await sign()
    const request = REQUESTS['POST without a session'] as TestRequest
    expect((await send(request, `Bearer ${token}`)).status).toBe(200)
    const [header, , signature] = token.split('.')
    expect((await send(request, `Bearer ${header}.${json({ ...CLAIMS })}.${signature}`)).status).toBe(401)
  })
})

describe('good tokens', () => {
  it.each(Object.keys(GOOD))('are accepted, so the handler runs: %s', async (name) => {
    const before = runs
    const answer = await send(
      REQUESTS['POST without a session'] as TestRequest,
      `Bearer ${await (GOOD[name] as Make)()}`,
    )
    expect(await answer.text()).toContain('ran')
    expect(runs).toBe(before + 1)
  })
})

it('oauth() never writes tokens to logs, events or contexts', async () => {
  const tokens = [
    await sign({ sub: 'canary' }),
    await sign({ sub: 'canary', aud: 'x' }),
    await sign({ exp: 1 }),
  ]
  for (const token of tokens)
    for (const request of Object.values(REQUESTS))
      await (await send(request, `Bearer ${token}`)).body?.cancel()
  const written = [...logs, ...seen].join('\n')
  expect(written).toContain('canary')
  for (const token of tokens)
    for (const part of token.split('.').slice(1)) expect(written).not.toContain(part)
})
