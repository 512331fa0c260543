import { describe, expect, it } from 'vitest'
import { introspection, type OAuthOptions } from '../src/index.ts'
import { ISSUER, protect, requestWith } from './support/protect.ts'
import { RESOURCE } from './support/requests.ts'

type Claims = Readonly<Record<string, unknown>>

/** Returns `ctx.auth` for a token with these claims, or the refusal. */
async function authOf(claims: Claims, options?: Partial<OAuthOptions>): Promise<unknown> {
  const { issuer, authenticate } = await protect(options)
  return authenticate(requestWith(await issuer.sign({ aud: RESOURCE, ...claims })))
}

const REFUSED = { status: 401 }
const principalOf = (client: string, subject: string): string => JSON.stringify([ISSUER, client, subject])

describe('ctx.auth', () => {
  it("contains the token's principal, client, scopes, expiry and claims", async () => {
    const claims = { iss: ISSUER, aud: RESOURCE, sub: 'ann', client_id: 'app', iat: 1_000, exp: 1_300 }
    expect(await authOf({ ...claims, scope: 'a b' })).toEqual({
      principal: principalOf('app', 'ann'),
      clientId: 'app',
      scopes: ['a', 'b'],
      expiresAt: 1_300,
      extra: { issuer: ISSUER, subject: 'ann', claims: { ...claims, scope: 'a b' } },
    })
  })

  it.each<[string, Claims, string | undefined, string]>([
    ['client_id', { azp: 'other' }, 'client', principalOf('client', 'user')],
    ['azp', { client_id: undefined, azp: 'app' }, 'app', principalOf('app', 'user')],
    ['neither', { client_id: undefined }, undefined, principalOf('', 'user')],
    ['an empty client_id', { client_id: '', azp: 'app' }, undefined, principalOf('', 'user')],
    ['a client_id that is a number', { client_id: 5 }, undefined, principalOf('', 'user')],
    ['no subject', { sub: undefined }, 'client', principalOf('client', '')],
    ['an empty subject', { sub: '' }, 'client', principalOf('client', '')],
    ['a subject that is a number', { sub: 5 }, 'client', principalOf('client', '')],
  ])('identifies the caller by %s', async (_, claims, clientId, principal) => {
    const auth = (await authOf(claims)) as { readonly clientId?: string }
    expect(auth).toMatchObject({ principal })
    expect('clientId' in auth).toBe(clientId !== undefined)
    expect(auth.clientId).toBe(clientId)
  })

  it.each<[Claims, readonly string[]]>([
    [{ scope: 'b a b' }, ['b', 'a']],
    [{ scope: ' a  b ' }, ['a', 'b']],
    [{ scope: '' }, []],
    [{}, []],
    [{ scp: 'a b' }, ['a', 'b']],
    [{ scp: ['a', 5, '', 'b c'] }, ['a', 'b c']],
    [{ scope: 'a', scp: ['b'] }, ['a']],
    [{ scope: { a: 1 } }, []],
    [{ scope: 5 }, []],
  ])('reads the scopes from %j', async (claims, scopes) => {
    expect(await authOf(claims)).toMatchObject({ scopes })
  })

  it.each<[string, boolean, string[]]>([
    ['256 scopes', true, Array.from({ length: 256 }, (_, i) => `s${i}`)],
    ['257 scopes', false, Array.from({ length: 257 }, (_, i) => `s${i}`)],
    ['a scope of 256 characters', true, ['s'.repeat(256)]],
    ['a scope of 257 characters', false, ['a', 's'.repeat(257)]],
  ])('is defined for a token with %s: %s', async (_, accepted, scopes) => {
    expect(await authOf({ scope: scopes.join(' ') })).toMatchObject(accepted ? { scopes } : REFUSED)
  })

  it('contains each implied scope once, even if scopes imply each other', async () => {
    const implies = { a: ['b', 'c'], b: ['c', 'a'], x: ['y'] }
    expect(await authOf({ scope: 'a' }, { implies })).toMatchObject({ scopes: ['a', 'b', 'c'] })
    expect(await authOf({ scope: 'z' }, { implies })).toMatchObject({ scopes: ['z'] })
  })

  it('contains the principal returned by the `principal` option, which must not be empty', async () => {
    const principal = ({ email }: Claims): string => (typeof email === 'string' ? email : '')
    expect(await authOf({ email: 'a@b.test' }, { principal })).toMatchObject({ principal: 'a@b.test' })
    const anonymous = { sub: undefined, client_id: undefined }
    expect(await authOf({ ...anonymous, email: 'x' }, { principal })).toMatchObject({ principal: 'x' })
    expect(await authOf({}, { principal })).toMatchObject(REFUSED)
  })

  it.each([
    ['"exp":1e999', undefined],
    ['"exp":"4000000000"', undefined],
    ['"exp":4000000000.5', 4_000_000_000.5],
    ['"exp":null', undefined],
  ])('reads the expiry from %s', async (exp, expected) => {
    const token = introspection({ clientId: 'a', clientSecret: 'b', endpoint: `${ISSUER}/introspect` })
    const { issuer, authenticate } = await protect({ token })
    issuer.documents.set(
      `${ISSUER}/introspect`,
      () => new Response(`{"active":true,"sub":"user","aud":"${RESOURCE}",${exp}}`),
    )
    const auth = (await authenticate(requestWith('opaque'))) as object
    expect(auth).toMatchObject({ extra: { subject: 'user' } })
    expect('expiresAt' in auth ? auth.expiresAt : undefined).toBe(expected)
  })
})

/** The server's clock is at 1,000 s. */
describe('exp, nbf and iat', () => {
  it.each<[string, Claims, boolean]>([
    ['expired 59 s ago', { exp: 941 }, true],
    ['expired 60 s ago', { exp: 940 }, false],
    ['valid in 60 s', { nbf: 1_060 }, true],
    ['valid in 61 s', { nbf: 1_061 }, false],
    ['issued in 60 s', { iat: 1_060 }, true],
    ['issued in 61 s', { iat: 1_061 }, false],
    ['without iat', { iat: undefined }, true],
  ])("may differ from the server's clock by up to a minute: %s", async (_, claims, accepted) => {
    expect(await authOf(claims)).toMatchObject(accepted ? { clientId: 'client' } : REFUSED)
  })
})

describe('aud', () => {
  it.each<[OAuthOptions['audience'], string, string, boolean]>([
    ['api', RESOURCE, 'api', true],
    ['api', RESOURCE, RESOURCE, false],
    [['api', 'web'], RESOURCE, 'web', true],
    [['api', 'web'], RESOURCE, 'other', false],
    [undefined, 'https://api.example.com', 'https://api.example.com/mcp', true],
    [undefined, 'https://api.example.com', 'https://api.example.com', false],
  ])(
    'with the `audience` option %j and resource %s, may be %s: %s',
    async (audience, publicUrl, aud, accepted) => {
      const { issuer, send } = await protect(audience === undefined ? {} : { audience }, { publicUrl })
      expect(await send(await issuer.sign({ aud }))).toBe(accepted ? 200 : 401)
    },
  )

  it.each([
    ['https://api.example.com', true],
    ['https://api.example.com/', true],
    ['https://api.example.com/mcp', false],
  ])('may be %s for a server address without a path: %s', async (aud, accepted) => {
    const { issuer, send } = await protect({ resource: 'https://api.example.com' })
    expect(await send(await issuer.sign({ aud }))).toBe(accepted ? 200 : 401)
  })
})
