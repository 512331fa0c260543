import { createHash } from 'node:crypto'
import {
  calculateJwkThumbprint,
  decodeProtectedHeader,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTPayload,
  jwtVerify,
} from 'jose'
import { memoryCredentials } from '@jetway/client/oauth'
import { describe, expect } from 'vitest'
import type { Seen } from './support/scripted.ts'
import { it as base, post, reasonOf } from './support/world.ts'

/** Binds every token to the key of the proof that requested it. */
const it = base.extend('made', ({ made }) => {
  made.metadata['dpop_signing_alg_values_supported'] = ['ES256']
  made.token = (_seen, json) => ({ json: { ...json, token_type: 'DPoP' } })
  return made
})

async function proofOf({ headers }: Seen): Promise<{ jwk: JWK; claims: JWTPayload }> {
  const proof = headers['dpop'] ?? ''
  const { jwk, typ } = decodeProtectedHeader(proof)
  expect([typ, (jwk as JWK).d]).toEqual(['dpop+jwt', undefined])
  const { payload } = await jwtVerify(proof, await importJWK(jwk as JWK, 'ES256'), { algorithms: ['ES256'] })
  return { jwk: jwk as JWK, claims: payload }
}

/** https://www.rfc-editor.org/rfc/rfc9449 */
describe('a token that is bound to a key', () => {
  it('is sent with a new proof for each request, always signed with the same key', async ({ made }) => {
    const send = made.connect({ dpop: {} })
    await post(send, made)
    await send(`${made.url}?q=1#f`, { method: 'POST', body: '{}' })
    const token = await proofOf(made.issuer.to('POST /token')[0] as Seen)
    expect(token.claims).toMatchObject({ htm: 'POST', htu: `${made.issuer.origin}/token` })
    const used = made.server.to('POST /mcp').slice(1)
    const proofs = await Promise.all(used.map(proofOf))
    expect(used.map(({ headers }) => headers['authorization'])).toEqual([
      'DPoP access-token-1',
      'DPoP access-token-1',
    ])
    const ath = createHash('sha256').update('access-token-1').digest('base64url')
    for (const { claims, jwk } of proofs) {
      expect(claims).toMatchObject({ htm: 'POST', htu: made.url, ath })
      expect(jwk).toEqual(token.jwk)
    }
    const ids = [token, ...proofs].map(({ claims }) => claims.jti)
    expect(new Set(ids).size).toBe(3)
    expect(made.visits[0]?.searchParams.get('dpop_jkt')).toBe(await calculateJwkThumbprint(token.jwk))
    expect(JSON.parse(made.issuer.to('POST /register')[0]?.body ?? '')).toMatchObject({
      dpop_bound_access_tokens: true,
    })
  })

  it("is requested and sent with each server's latest nonce", async ({ made }) => {
    made.token = async (seen, json) => {
      const { claims } = await proofOf(seen)
      if (claims['nonce'] === 'as-1') return { json: { ...json, token_type: 'DPoP' } }
      return { status: 400, json: { error: 'use_dpop_nonce' }, headers: { 'dpop-nonce': 'as-1' } }
    }
    const plain = made.server.routes.get('POST /mcp')
    let wanted = 'rs-1'
    made.server.routes.set('POST /mcp', async (seen) => {
      if (seen.headers['dpop'] === undefined) return (await plain?.(seen)) ?? {}
      const { claims } = await proofOf(seen)
      if (claims['nonce'] !== wanted)
        return {
          status: 401,
          headers: { 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': wanted },
        }
      wanted = 'rs-2'
      return { json: {}, headers: { 'dpop-nonce': wanted } }
    })
    const send = made.sender({ dpop: {} })
    expect((await send()).status).toBe(200)
    expect((await send()).status).toBe(200)
    expect([made.issuer.to('POST /token').length, made.visits.length]).toEqual([2, 1])
    // The requests are sent without a token, without a nonce, with the nonce, and with the next nonce.
    expect(made.server.to('POST /mcp')).toHaveLength(4)
  })

  it('is not resent endlessly if the server rejects every nonce', async ({ made }) => {
    const send = made.sender({ dpop: {} })
    await send()
    made.server.routes.set('POST /mcp', () => ({
      status: 401,
      headers: { 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': 'same' },
    }))
    made.server.seen.length = 0
    expect((await send()).status).toBe(401)
    expect(made.server.seen).toHaveLength(2)
  })

  it.for([
    ['required', 'Bearer', ['ES256'], 'dpop'],
    ['required', 'DPoP', ['RS256'], 'dpop'],
    ['required', 'DPoP', undefined, 'dpop'],
    ['when-supported', 'Bearer', ['ES256'], 'dpop'],
    ['when-supported', 'Bearer', undefined, 'none'],
  ] as const)(
    'given mode %s, token type %s and algorithms %j, causes the error "%s"',
    async ([mode, type, algs, expected], { made }) => {
      made.metadata['dpop_signing_alg_values_supported'] = algs
      made.token = (_seen, json) => ({ json: { ...json, token_type: type } })
      expect(await reasonOf(made.post({ dpop: { mode } }))).toBe(expected)
      const tokens = made.server
        .to('POST /mcp')
        .filter(({ headers }) => headers['authorization'] !== undefined)
      expect(tokens).toHaveLength(expected === 'none' ? 1 : 0)
    },
  )

  it('is rejected if DPoP is not enabled', async ({ made }) => {
    expect(await reasonOf(made.post())).toBe('dpop')
  })

  it('is reused by a later process only if that process has the same key', async ({ made }) => {
    const store = memoryCredentials()
    const keyPair = await generateKeyPair('ES256')
    await made.post({ store, dpop: { keyPair } })
    await made.post({ store, dpop: { keyPair } })
    expect(made.visits).toHaveLength(1)
    await made.post({ store, dpop: {} })
    expect(made.visits).toHaveLength(2)
    expect(made.server.to('POST /mcp').map(({ headers }) => headers['authorization'])).toEqual([
      undefined,
      'DPoP access-token-1',
      'DPoP access-token-1',
      undefined,
      'DPoP access-token-2',
    ])
  })
})
