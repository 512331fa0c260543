import { describe, expect, it } from 'vitest'
import { jwt, type OAuthOptions } from '../src/index.ts'
import { ISSUER, protect, requestWith } from './support/protect.ts'
import { keysOf } from './support/issuer.ts'
import { RESOURCE } from './support/requests.ts'

type Claims = Readonly<Record<string, unknown>>

const OTHER = { aud: 'https://other.example' }

describe('the log entry for a refused token', () => {
  it.each<[reason: string, level: string, claims: Claims, header?: object, options?: Partial<OAuthOptions>]>([
    ['aud', 'warn', OTHER],
    ['iss', 'warn', { iss: 'https://other.example' }],
    ['iss', 'warn', { iss: 5 }],
    ['typ', 'warn', {}, { typ: 'logout+jwt' }],
    ['typ', 'warn', {}, { typ: 'JWT' }, { token: jwt({ typ: 'at+jwt' }) }],
    ['alg', 'warn', {}, {}, { token: jwt({ algorithms: ['RS256'] }) }],
    ['kid', 'warn', {}, { kid: 'unknown' }],
    ['id-token', 'warn', { nonce: 'n' }, { typ: 'JWT' }],
    ['bound', 'warn', { cnf: { jkt: 'x' } }],
    ['bound', 'warn', { cnf: 5 }],
    ['exp', 'info', { exp: 1 }],
    ['exp', 'info', { exp: undefined }],
    ['nbf', 'info', { nbf: 4e9 }],
    ['iat', 'info', { iat: 4e9 }],
    ['scope', 'info', { scope: 's'.repeat(257) }],
    ['principal', 'info', { sub: undefined, client_id: undefined }],
  ])(
    'contains the reason %s at level %s for claims %j and header %j',
    async (reason, level, claims, header = {}, options = {}) => {
      const { issuer, send, logged } = await protect(options)
      expect(await send(await issuer.sign({ aud: RESOURCE, ...claims }, header))).toBe(401)
      const expected = reason === 'aud' ? { expected: [RESOURCE] } : {}
      expect(logged).toEqual([[level, { reason, skipped: 0, ...expected }, expect.any(String)]])
      const advice =
        level === 'warn' ? /^An access token was refused\. [A-Z]/ : /^An access token was refused$/
      expect(logged[0]?.[2]).toMatch(advice)
    },
  )

  it('gives the reason as signature, malformed or crit', async () => {
    const { issuer, send, logged } = await protect()
    const { privateKey } = await keysOf('ES256', 'other')
    await send(await issuer.sign({ aud: RESOURCE }, {}, privateKey))
    await send('opaque')
    await send('a.b.c')
    const [, ...rest] = (await issuer.sign({ aud: RESOURCE })).split('.')
    const header = { alg: 'ES256', kid: 'ES256', crit: ['x'], x: 1 }
    await send([Buffer.from(JSON.stringify(header)).toString('base64url'), ...rest].join('.'))
    expect(logged.map(([level, fields]) => [level, fields])).toEqual([
      ['info', { reason: 'signature', skipped: 0 }],
      ['info', { reason: 'malformed', skipped: 0 }],
      ['info', { reason: 'crit', skipped: 0 }],
    ])
  })

  it('appears at most once a second for each reason, with the number of suppressed entries', async () => {
    const { issuer, send, clock, logged } = await protect()
    const refuse = async (claims: Claims): Promise<unknown> => send(await issuer.sign(claims))
    for (let i = 0; i < 3; i++) await refuse(OTHER)
    await refuse({ aud: RESOURCE, exp: 1 })
    await clock.advance(999)
    await refuse(OTHER)
    await clock.advance(1)
    await refuse(OTHER)
    await refuse(OTHER)
    await clock.advance(1_000)
    await refuse(OTHER)
    const expected = [RESOURCE]
    expect(logged.map(([, fields]) => fields)).toEqual([
      { reason: 'aud', skipped: 0, expected },
      { reason: 'exp', skipped: 0 },
      { reason: 'aud', skipped: 3, expected },
      { reason: 'aud', skipped: 1, expected },
    ])
  })

  it('names the invalid part of a proof, and is limited separately for each part', async () => {
    const { issuer, authenticate, logged } = await protect({ dpop: 'require' })
    const token = await issuer.sign({ aud: RESOURCE, cnf: { jkt: 'x' } })
    await authenticate(requestWith(token))
    const proven = (dpop: string | undefined): object => ({
      header: (name: string) => (name === 'authorization' ? `DPoP ${token}` : dpop),
    })
    await authenticate(requestWith(token, proven(undefined)))
    await authenticate(requestWith(token, proven('x')))
    expect(logged).toEqual([
      ['warn', { reason: 'dpop', check: 'scheme', skipped: 0 }, expect.stringContaining('requires tokens')],
      ['info', { reason: 'dpop', check: 'header', skipped: 0 }, 'An access token was refused'],
    ])
  })
})

it('oauth() logs a failure of the authorization server as an error', async () => {
  const { issuer, send, logged, clock } = await protect({}, {})
  issuer.documents.set(`${ISSUER}/jwks`, () => new Response('no', { status: 418 }))
  expect(await send(await issuer.sign({ aud: RESOURCE }))).toBe(503)
  expect(logged).toEqual([
    [
      'error',
      { err: expect.objectContaining({ message: `${ISSUER}/jwks replied with status 418` }) },
      'The keys of the authorization server cannot be fetched',
    ],
  ])
  expect(clock.pending).toBe(0)
})
