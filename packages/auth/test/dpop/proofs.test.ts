import { McpServer } from '@jetway/core'
import { toFetch } from '@jetway/core/http'
import { base64url, type CryptoKey } from 'jose'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { oauth } from '../../src/index.ts'
import { createIssuer, keysOf, type TestIssuer } from '../support/issuer.ts'
import { type Change, createProver, digestOf, type Prover } from '../support/prover.ts'
import { REQUESTS, requestTo, RESOURCE, type TestRequest } from '../support/requests.ts'

const ISSUER = 'https://auth.example.com'
const POST = REQUESTS['POST without a session'] as TestRequest

let issuer: TestIssuer
let alice: Prover
let other: Prover
let otherKey: CryptoKey
let handler: ReturnType<typeof toFetch>
let token: string
let runs = 0

const written: string[] = []
const log = (fields: object, message: string): void =>
  void written.push(
    `${message} ${JSON.stringify(fields, (_key, value: unknown) => (value instanceof Error ? `${value.stack}` : value))}`,
  )
const server = new McpServer(
  { name: 'test', version: '1.0.0' },
  { logger: { debug: log, info: log, warn: log, error: log } },
)
server.addTool({
  name: 'run',
  handler: (_args, ctx) => {
    runs++
    written.push(JSON.stringify(ctx.auth))
    return 'ran'
  },
})
server.on('request', (event) => void written.push(JSON.stringify(event)))
server.on('reject', (event) => void written.push(JSON.stringify(event)))

beforeAll(async () => {
  issuer = await createIssuer(ISSUER)
  alice = await createProver('alice')
  other = await createProver('other')
  otherKey = (await keysOf('ES256', 'other')).privateKey
  handler = toFetch(server, {
    path: '/mcp',
    publicUrl: RESOURCE,
    legacySse: true,
    authenticate: oauth({ issuer: ISSUER, fetch: issuer.fetch, dpop: 'accept' }),
  })
})
beforeEach(async () => {
  token = await bound({ jkt: alice.jkt })
})

const bound = (cnf: unknown): Promise<string> => issuer.sign({ aud: RESOURCE, cnf })
const now = (): number => Math.floor(Date.now() / 1000)
const json = (value: unknown): string => base64url.encode(JSON.stringify(value))

interface Credentials {
  readonly authorization: string
  readonly dpop?: string
}

const send = (request: TestRequest, { authorization, dpop }: Credentials): Promise<Response> =>
  handler(requestTo(request, { authorization, ...(dpop !== undefined && { dpop }) }))

async function withProof(request: TestRequest, change?: Change): Promise<Credentials> {
  return { authorization: `DPoP ${token}`, dpop: await alice.prove(token, request, change) }
}

type Make = (request: TestRequest) => Credentials | Promise<Credentials>
const changed =
  (change: Change | (() => Change)): Make =>
  (request) =>
    withProof(request, typeof change === 'function' ? change() : change)
const header =
  (make: (proof: string) => string | undefined): Make =>
  async (request) => {
    const { authorization, dpop = '' } = await withProof(request)
    const made = make(dpop)
    return { authorization, ...(made !== undefined && { dpop: made }) }
  }
const claims = (all: Record<string, unknown>): Make => changed({ claims: all })
const without = (name: string): Make => claims({ [name]: undefined })

/** Each of these proofs fails one check of https://www.rfc-editor.org/rfc/rfc9449#section-4.3. */
const BAD_PROOFS: Readonly<Record<string, Make>> = {
  'no proof': header(() => undefined),
  'an empty proof': header(() => ''),
  'two proofs': async (request) => {
    const { authorization, dpop } = await withProof(request)
    return { authorization, dpop: `${dpop}, ${(await withProof(request)).dpop}` }
  },
  'no JWT': header(() => 'this-is-not-a-jwt'),
  'a proof of more than 8 KiB': claims({ padding: 'x'.repeat(8_192) }),
  'a header that is no JSON': header((proof) => `x.${proof.split('.').slice(1).join('.')}`),
  'claims that are no object': header((proof) => {
    const [head, , signature] = proof.split('.')
    return `${head}.${json([])}.${signature}`
  }),
  'no signature': header((proof) => `${proof.split('.').slice(0, 2).join('.')}.`),
  'other claims before the signature': header((proof) => {
    const [head, body, signature] = proof.split('.')
    const all = JSON.parse(new TextDecoder().decode(base64url.decode(body ?? ''))) as object
    return `${head}.${json({ ...all, jti: 'other' })}.${signature}`
  }),
  'a signature by another key': changed(() => ({ key: otherKey })),
  'a critical extension': header((proof) => {
    const [head, ...rest] = proof.split('.')
    const all = JSON.parse(new TextDecoder().decode(base64url.decode(head ?? ''))) as object
    return [json({ ...all, crit: ['x'], x: 1 }), ...rest].join('.')
  }),
  'typ JWT': changed({ header: { typ: 'JWT' } }),
  'no typ': changed({ header: { typ: undefined } }),
  'alg none': header((proof) => {
    const [, body] = proof.split('.')
    return `${json({ typ: 'dpop+jwt', alg: 'none', jwk: alice.jwk })}.${body}.x`
  }),
  HS256: changed({ header: { alg: 'HS256' }, key: new TextEncoder().encode('x'.repeat(32)) }),
  'a secret as jwk': changed({
    header: { alg: 'HS256', jwk: { kty: 'oct', k: base64url.encode('x'.repeat(32)) } },
    key: new TextEncoder().encode('x'.repeat(32)),
  }),
  'no jwk': changed({ header: { jwk: undefined } }),
  'a jwk that is a text': changed({ header: { jwk: 'x' } }),
  'a jwk without a coordinate': changed(() => ({ header: { jwk: { ...alice.jwk, y: undefined } } })),
  'a private key as jwk': changed(() => ({ header: { jwk: alice.privateJwk } })),
  'a key by its id alone': changed({ header: { jwk: undefined, kid: 'alice' } }),
  'another htm': claims({ htm: 'PUT' }),
  'htm in lower case': (request) => withProof(request, { claims: { htm: request.method.toLowerCase() } }),
  'no htm': without('htm'),
  'another host as htu': claims({ htu: 'https://other.example/mcp' }),
  'another path as htu': claims({ htu: `${RESOURCE}/other` }),
  'another scheme as htu': claims({ htu: RESOURCE.replace('https', 'http') }),
  'a path as htu': claims({ htu: '/mcp' }),
  'an htu that is a list': claims({ htu: [RESOURCE] }),
  'no htu': without('htu'),
  'a proof made 302 s ago': changed(() => ({ claims: { iat: now() - 302 } })),
  'a proof made 302 s in the future': changed(() => ({ claims: { iat: now() + 302 } })),
  'an iat that is a text': changed(() => ({ claims: { iat: String(now()) } })),
  'no iat': without('iat'),
  'an expired proof': changed(() => ({ claims: { exp: now() - 10 } })),
  'the ath of another token': claims({ ath: digestOf('other') }),
  'no ath': without('ath'),
  'no jti': without('jti'),
  'an empty jti': claims({ jti: '' }),
  'a jti that is a number': claims({ jti: 1 }),
  'a jti of 257 characters': claims({ jti: 'x'.repeat(257) }),
}

/** In each case, the token must be refused, although the proof is valid or signed by another client's key. */
const BAD_TOKENS: Readonly<Record<string, Make>> = {
  'no token': async (request) => ({ ...(await withProof(request)), authorization: 'DPoP' }),
  'a proof by the key of another client': async (request) => ({
    authorization: `DPoP ${token}`,
    dpop: await other.prove(token, request),
  }),
  'a token that is bound to nothing': (request) => provenWith(request, undefined),
  'a token that is bound to a certificate': (request) => provenWith(request, { 'x5t#S256': 'x' }),
  'a token that is bound to a certificate too': (request) =>
    provenWith(request, { jkt: alice.jkt, 'x5t#S256': 'x' }),
  'a token that is bound to an empty thumbprint': (request) => provenWith(request, { jkt: '' }),
  'a token whose cnf is a list': (request) => provenWith(request, [alice.jkt]),
  'a token for another server': async (request) => {
    const foreign = await issuer.sign({ aud: 'https://other.example', cnf: { jkt: alice.jkt } })
    return { authorization: `DPoP ${foreign}`, dpop: await alice.prove(foreign, request) }
  },
}

async function provenWith(request: TestRequest, cnf: unknown): Promise<Credentials> {
  const own = await bound(cnf)
  return { authorization: `DPoP ${own}`, dpop: await alice.prove(own, request) }
}

const flat = async (response: Response): Promise<string> =>
  JSON.stringify([response.status, [...response.headers], await response.text()])

describe.each([
  ['invalid_dpop_proof', BAD_PROOFS],
  ['invalid_token', BAD_TOKENS],
] as const)('a DPoP proof with %s', (error, cases) => {
  /** The first reply to each request. All later replies must have the same bytes. */
  const answers = new Map<string, string>()

  it.each(Object.keys(cases))(
    'is refused with the same 401 for every request, before any handler runs: %s',
    async (name) => {
      const before = runs
      for (const [where, request] of Object.entries(REQUESTS)) {
        const answer = await send(request, await (cases[name] as Make)(request))
        expect(answer.status, where).toBe(401)
        expect(answer.headers.get('www-authenticate'), where).toContain(`DPoP error="${error}", algs="`)
        const bytes = await flat(answer)
        expect(bytes, where).toBe(answers.get(where) ?? bytes)
        answers.set(where, bytes)
      }
      expect(runs).toBe(before)
    },
  )
})

describe('a valid proof', () => {
  it.each(Object.entries(REQUESTS))('is accepted exactly once: %s', async (_name, request) => {
    const credentials = await withProof(request)
    const answer = await send(request, credentials)
    expect(answer.status).not.toBe(401)
    await answer.body?.cancel()
    const again = await send(request, credentials)
    expect(again.status).toBe(401)
    expect(again.headers.get('www-authenticate')).toContain('error="invalid_dpop_proof"')
  })

  it.each<[string, Change | (() => Change)]>([
    ['with the query in htu', { claims: { htu: `${RESOURCE}?a=1#b` } }],
    ['with another spelling of htu', { claims: { htu: 'HTTPS://API.example.com:443/mcp/' } }],
    ['made 298 s ago', () => ({ claims: { iat: now() - 298 } })],
    ['made 298 s in the future', () => ({ claims: { iat: now() + 298 } })],
    ['with a jti of 256 characters', { claims: { jti: 'ä'.repeat(256) } }],
    ['with a nonce that the server did not request', { claims: { nonce: 'x' } }],
  ])('is accepted %s', async (_name, change) => {
    const before = runs
    const answer = await send(POST, await changed(change)(POST))
    expect([answer.status, runs]).toEqual([200, before + 1])
  })

  it.each(['ES384', 'Ed25519'])('is accepted with %s', async (alg) => {
    const prover = await createProver(`dpop ${alg}`, Date.now, alg)
    const own = await bound({ jkt: prover.jkt })
    const credentials = { authorization: `dpop ${own}`, dpop: await prover.prove(own, POST) }
    expect((await send(POST, credentials)).status).toBe(200)
  })

  it('is required for each request, even if the token is cached', async () => {
    expect((await send(POST, await withProof(POST))).status).toBe(200)
    expect((await send(POST, { authorization: `DPoP ${token}` })).status).toBe(401)
    expect((await send(POST, await withProof(POST))).status).toBe(200)
  })

  it("may have the same jti as another client's proof", async () => {
    const jti = crypto.randomUUID()
    expect((await send(POST, await withProof(POST, { claims: { jti } }))).status).toBe(200)
    expect((await send(POST, await withProof(POST, { claims: { jti } }))).status).toBe(401)
    const own = await bound({ jkt: other.jkt })
    const dpop = await other.prove(own, POST, { claims: { jti } })
    expect((await send(POST, { authorization: `DPoP ${own}`, dpop })).status).toBe(200)
  })
})

describe('a bound token sent as a bearer token', () => {
  it.each(['with', 'without'])('is refused for every request, %s a proof', async (kind) => {
    const before = runs
    // The first request caches the token.
    await (await send(POST, await withProof(POST))).text()
    for (const [where, request] of Object.entries(REQUESTS)) {
      const dpop = kind === 'with' ? { dpop: await alice.prove(token, request) } : {}
      const answer = await send(request, { authorization: `Bearer ${token}`, ...dpop })
      expect(answer.status, where).toBe(401)
      expect(answer.headers.get('www-authenticate'), where).toMatch(/^Bearer error="invalid_token"/)
    }
    expect(runs).toBe(before + 1)
  })
})

it('oauth() never writes proofs or tokens to logs, events or contexts', async () => {
  const sent: string[] = []
  for (const make of [...Object.values(BAD_PROOFS), withProof]) {
    const credentials = await make(POST)
    sent.push(credentials.dpop ?? '', token)
    await (await send(POST, credentials)).text()
  }
  const all = written.join('\n')
  expect(all).toContain(alice.jkt)
  expect(all).toContain('"check":"htu"')
  const parts = sent.flatMap((jwt) => jwt.split('.').slice(1)).filter((part) => part.length > 20)
  expect(parts.length).toBeGreaterThan(100)
  for (const part of parts) expect(all).not.toContain(part)
})
