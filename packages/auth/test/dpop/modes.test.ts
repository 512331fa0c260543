import { randomBytes } from 'node:crypto'
import { FakeClock, silent } from '@jetway-apps/test-support'
import { type Authenticate, type HttpRequest, type ProtectedMount, Rejection } from '@jetway/core/http'
import { MemoryUsedStates, type UsedStates } from '@jetway/core/stores'
import { beforeAll, describe, expect, it } from 'vitest'
import { oauth, type OAuthOptions } from '../../src/index.ts'
import { RESOURCE } from '../support/requests.ts'
import { createIssuer, type TestIssuer } from '../support/issuer.ts'
import { type Change, createProver, type Prover } from '../support/prover.ts'

const ISSUER = 'https://auth.example.com'
const POST = { method: 'POST', path: '/mcp' }
const ALGS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 Ed25519 EdDSA'
const FOUND =
  'resource_metadata="https://api.example.com/.well-known/oauth-protected-resource/mcp", scope="mcp"'

const clock = new FakeClock()
let issuer: TestIssuer
let prover: Prover
beforeAll(async () => {
  issuer = await createIssuer(ISSUER, () => clock.now())
  prover = await createProver('alice', () => clock.now())
})

interface Answer {
  readonly status: number
  readonly challenge?: string | undefined
  readonly nonce?: string | undefined
}

interface Server {
  readonly authenticate: Authenticate
  readonly send: (headers: Readonly<Record<string, string>>, raw?: readonly string[]) => Promise<Answer>
}

function protect(dpop: OAuthOptions['dpop'], usedStates?: UsedStates): Server {
  const given = oauth({
    issuer: ISSUER,
    scopes: ['mcp'],
    fetch: issuer.fetch,
    ...(dpop !== undefined && { dpop }),
  })
  const at: ProtectedMount = {
    publicUrl: RESOURCE,
    path: '/mcp',
    legacySse: undefined,
    clock,
    logger: silent,
  }
  const authenticate = given.mount?.({ ...at, usedStates }) ?? given
  return {
    authenticate,
    send: async (headers, rawHeaders) => {
      const found = await authenticate(requestWith(headers, rawHeaders))
      if (!(found instanceof Rejection)) return { status: 200 }
      const { status, headers: sent } = found
      return { status, challenge: sent['www-authenticate'], nonce: sent['dpop-nonce'] }
    },
  }
}

const requestWith = (
  headers: Readonly<Record<string, string>>,
  rawHeaders?: readonly string[],
): HttpRequest => ({
  method: 'POST',
  route: 'mcp',
  path: '/mcp',
  query: () => undefined,
  header: (name) => headers[name],
  rawHeaders,
  signal: new AbortController().signal,
})

const tokenFor = (cnf?: object, scope = 'mcp'): Promise<string> => issuer.sign({ aud: RESOURCE, scope, cnf })
const boundToken = (): Promise<string> => tokenFor({ jkt: prover.jkt })
const proven = async (token: string, change?: Change): Promise<Record<string, string>> => ({
  authorization: `DPoP ${token}`,
  dpop: await prover.prove(token, POST, change),
})
const asBearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })

describe('dpop.mode', () => {
  it.each([
    [undefined, { bearer: 200, bound: 401, stolen: 401 }],
    ['off', { bearer: 200, bound: 401, stolen: 401 }],
    ['accept', { bearer: 200, bound: 200, stolen: 401 }],
    ['require', { bearer: 401, bound: 200, stolen: 401 }],
    [{ mode: 'accept' }, { bearer: 200, bound: 200, stolen: 401 }],
    [{ mode: 'require' }, { bearer: 401, bound: 200, stolen: 401 }],
  ] as const)('%o accepts only the matching kinds of tokens', async (mode, expected) => {
    const { send } = protect(mode)
    const token = await boundToken()
    const seen = {
      bearer: (await send(asBearer(await tokenFor()))).status,
      bound: (await send(await proven(token))).status,
      stolen: (await send(asBearer(token))).status,
    }
    expect(seen).toEqual(expected)
  })

  it.each(['off', 'accept', 'require'] as const)('%s refuses tokens bound to a certificate', async (mode) => {
    const { send } = protect(mode)
    const token = await tokenFor({ 'x5t#S256': 'x' })
    expect((await send(asBearer(token))).status).toBe(401)
    expect((await send(await proven(token))).status).toBe(401)
  })

  it.each([
    ['off', `Bearer ${FOUND}`],
    ['accept', `Bearer ${FOUND}, DPoP algs="${ALGS}"`],
    ['require', `DPoP algs="${ALGS}", ${FOUND}`],
  ] as const)(
    '%s determines the schemes in the challenge for a request without a token',
    async (mode, challenge) => {
      expect(await protect(mode).send({})).toEqual({ status: 401, challenge })
    },
  )

  it.each([
    ['off', `Bearer error="insufficient_scope", ${FOUND}`],
    [
      'accept',
      `Bearer error="insufficient_scope", ${FOUND}, DPoP error="insufficient_scope", algs="${ALGS}"`,
    ],
  ] as const)(
    '%s determines the schemes in the challenge for a bearer token without the required scope',
    async (mode, challenge) => {
      expect(await protect(mode).send(asBearer(await tokenFor(undefined, 'x')))).toEqual({
        status: 403,
        challenge,
      })
    },
  )

  it('names only DPoP in the challenge to a client that has sent a DPoP token', async () => {
    const { send, authenticate } = protect('accept')
    const headers = await proven(await tokenFor({ jkt: prover.jkt }, 'x'))
    const challenge = `DPoP error="insufficient_scope", algs="${ALGS}", ${FOUND}`
    expect(await send(headers)).toEqual({ status: 403, challenge })
    expect(authenticate.challengeFor?.(['mcp'], requestWith(headers))).toBe(challenge)
  })

  it.each([
    ['off', {}],
    ['accept', { required: false, algs: ALGS.split(' ') }],
    ['require', { required: true, algs: ALGS.split(' ') }],
  ] as const)('%s determines the DPoP members of the metadata', (mode, expected) => {
    const path = '/.well-known/oauth-protected-resource/mcp'
    const found = protect(mode).authenticate.wellKnown?.answer({
      method: 'GET',
      path,
      header: () => undefined,
      peer: undefined,
    })
    const { dpop_bound_access_tokens_required: required, dpop_signing_alg_values_supported: algs } =
      JSON.parse(String(found?.body)) as Record<string, unknown>
    expect({ required, algs }).toEqual({ required: undefined, algs: undefined, ...expected })
  })

  it('accepts a cached bearer token synchronously', async () => {
    const { authenticate, send } = protect('accept')
    const headers = asBearer(await tokenFor())
    await send(headers)
    expect(authenticate(requestWith(headers))).not.toBeInstanceOf(Promise)
  })

  it.each<[unknown, RegExp]>([
    ['on', /option dpop must be 'off', 'accept' or 'require'/],
    [{ mode: 'off' }, /dpop.mode/],
    [{ mode: 'accept', nonces: true }, /nonces is unknown.*nonce/],
    [{ mode: 'accept', nonce: { keys: [] } }, /dpop.nonce.keys must be 1 to 8 keys/],
    [{ mode: 'accept', nonce: { keys: ['short'] } }, /dpop.nonce.keys must be 1 to 8 keys/],
    [{ mode: 'accept', nonce: 'yes' }, /nonce/],
  ])('throws ERR_MCP_OPTION for the value %o', (dpop, message) => {
    expect(() => oauth({ issuer: ISSUER, dpop: dpop as 'off' })).toThrow(message)
  })
})

it('oauth() refuses two DPoP headers, even if the framework reads only the first', async () => {
  const { send } = protect('accept')
  const headers = await proven(await boundToken())
  const { dpop = '' } = headers
  const { status, challenge } = await send(headers, ['DPoP', dpop, 'dpop', dpop])
  expect([status, challenge]).toEqual([401, expect.stringContaining('error="invalid_dpop_proof"')])
  expect((await send(headers, ['DPoP', dpop, 'X-Scheme', 'dpop', 'X-Other', 'dpop'])).status).toBe(200)
})

describe('replayed proofs', () => {
  it('are refused by every process of a cluster', async () => {
    const used = new MemoryUsedStates({ clock })
    const nodes = [protect('accept', used), protect('accept', used)]
    const headers = await proven(await boundToken())
    const statuses = await Promise.all(nodes.map(async ({ send }) => (await send(headers)).status))
    // Whichever process checks the proof first accepts it, and the others refuse it.
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 401])
  })

  it('are refused for as long as they would otherwise be valid', async () => {
    const { send } = protect('accept')
    const token = await boundToken()
    const ahead = await proven(token, { claims: { iat: Math.floor(clock.now() / 1000) + 299 } })
    expect((await send(ahead)).status).toBe(200)
    await clock.advance(300_000)
    // The next proof causes expired ones to be removed.
    expect((await send(await proven(token))).status).toBe(200)
    expect((await send(ahead)).status).toBe(401)
  })

  it('cannot be detected while the store is down, so every proof is refused with 503', async () => {
    const { send } = protect('accept', {
      take: () => Promise.reject(new Error('no connection')),
    })
    expect((await send(await proven(await boundToken()))).status).toBe(503)
  })
})

describe('dpop.nonce', () => {
  const answerTo = async ({ send }: Server, nonce?: unknown): Promise<Answer> =>
    send(await proven(await boundToken(), { claims: { nonce } }))

  it('sends a nonce to a client whose proof lacks one, and accepts that nonce for 5 min', async () => {
    const server = protect({ mode: 'require', nonce: true })
    const { status, challenge, nonce } = await answerTo(server)
    expect([status, challenge]).toEqual([401, `DPoP error="use_dpop_nonce", algs="${ALGS}", ${FOUND}`])
    expect((await answerTo(server, nonce)).status).toBe(200)
    await clock.advance(299_000)
    expect((await answerTo(server, nonce)).status).toBe(200)
    await clock.advance(1_000)
    const late = await answerTo(server, nonce)
    expect(late.challenge).toContain('error="use_dpop_nonce"')
    expect(late.nonce).not.toBe(nonce)
    expect((await answerTo(server, late.nonce)).status).toBe(200)
  })

  it('sends the same nonce to all clients for 30 s', async () => {
    const server = protect({ mode: 'require', nonce: true })
    const { nonce } = await answerTo(server)
    await clock.advance(29_999)
    expect((await answerTo(server)).nonce).toBe(nonce)
    await clock.advance(1)
    expect((await answerTo(server)).nonce).not.toBe(nonce)
  })

  it('refuses nonces from other servers, modified nonces and other values', async () => {
    const server = protect({ mode: 'require', nonce: true })
    const { nonce = '' } = await answerTo(server)
    const { nonce: foreign } = await answerTo(protect({ mode: 'require', nonce: true }))
    const changed = (nonce.startsWith('A') ? 'B' : 'A') + nonce.slice(1)
    for (const bad of [foreign, changed, '', 1, [nonce], 'x'.repeat(1_000), undefined])
      expect((await answerTo(server, bad)).challenge).toContain('error="use_dpop_nonce"')
    expect((await answerTo(server, nonce)).status).toBe(200)
  })

  it('does not mark a proof without a nonce as used', async () => {
    const taken: string[] = []
    const used: UsedStates = { take: (id) => taken.push(id) > 0 }
    const key = randomBytes(32)
    const server = protect({ mode: 'require', nonce: { keys: [key] } }, used)
    const { nonce } = await answerTo(server)
    expect(taken).toEqual([])
    expect((await answerTo(server, nonce)).status).toBe(200)
    expect(taken).toHaveLength(1)
  })

  it('does not send a nonce for an invalid proof', async () => {
    const server = protect({ mode: 'require', nonce: true })
    const answer = await server.send(await proven(await boundToken(), { claims: { htm: 'GET' } }))
    expect([answer.nonce, answer.challenge]).toEqual([
      undefined,
      expect.stringContaining('invalid_dpop_proof'),
    ])
  })

  it('accepts nonces from other processes that share a key, even if it is not the first key', async () => {
    const [older, newer] = [randomBytes(32), randomBytes(32).toString('base64')]
    const first = protect({ mode: 'accept', nonce: { keys: [older] } })
    const second = protect({ mode: 'accept', nonce: { keys: [newer, older] } })
    const { nonce } = await answerTo(first)
    expect((await answerTo(second, nonce)).status).toBe(200)
    const { nonce: next } = await answerTo(second)
    expect((await answerTo(first, next)).challenge).toContain('use_dpop_nonce')
  })

  it('requires keys if the mount has shared stores', () => {
    const used = new MemoryUsedStates({ clock })
    expect(() => protect({ mode: 'accept', nonce: true }, used)).toThrow(/option dpop.nonce needs keys/)
    expect(() => protect({ mode: 'accept', nonce: { keys: [randomBytes(32)] } }, used)).not.toThrow()
  })
})
