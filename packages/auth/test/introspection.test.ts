import { settled } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { introspection } from '../src/index.ts'
import { INTROSPECT, protectOpaque } from './support/opaque.ts'
import { ISSUER } from './support/protect.ts'
import { RESOURCE } from './support/requests.ts'

const fails = (): never => {
  throw new TypeError('fetch failed')
}
const never = ({ signal }: RequestInit): Promise<Response> =>
  new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))

describe('introspection', () => {
  it('queries the issuer once per token, with the server’s credentials', async () => {
    const { send, asked } = await protectOpaque({ active: true, aud: RESOURCE, sub: 'user' })
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
    const { send } = await protectOpaque({ sub: 'user', ...answer })
    expect(await send('t')).toBe(401)
  })

  it.each([
    ['names several audiences', { aud: ['https://other.example', 5, RESOURCE] }],
    ['names its issuer', { aud: RESOURCE, iss: ISSUER }],
  ])('accepts a token that %s', async (_how, answer) => {
    const { send, clock } = await protectOpaque({ active: true, sub: 'user', ...answer })
    expect(await send('t')).toBe(200)
    expect(clock.pending).toBe(0)
  })

  it('sends the credentials in the body if `authMethod` is client_secret_post', async () => {
    const { send, asked } = await protectOpaque(
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
    'replies with 503 if the issuer sends %s, and fetches the metadata again after 5 s',
    async (_how, answer, message) => {
      const { issuer, send, clock, logged } = await protectOpaque(answer)
      expect(await send('t')).toBe(503)
      await clock.advance(4_999)
      expect(await send('t')).toBe(503)
      expect(issuer.fetched).toHaveLength(3)
      await clock.advance(1)
      expect(await send('t')).toBe(503)
      expect(issuer.fetched).toHaveLength(5)
      expect(logged.map(([, fields]) => fields)).toMatchObject([{ err: { message } }, { err: { message } }])
    },
  )

  it('logs at most one failure per second, with the number of failures that were not logged', async () => {
    const { send, clock, logged } = await protectOpaque(fails)
    for (let i = 0; i < 20; i++) expect(await send(`t${i}`)).toBe(503)
    await clock.advance(1_000)
    expect(await send('t')).toBe(503)
    expect(logged.map(([, fields]) => fields)).toMatchObject([{ skipped: 0 }, { skipped: 19 }])
  })

  it('replies with 503 if the metadata has no introspection_endpoint', async () => {
    const { issuer, send, logged } = await protectOpaque({})
    issuer.documents.set(`${ISSUER}/.well-known/oauth-authorization-server`, () =>
      Response.json({ issuer: ISSUER }),
    )
    expect(await send('t')).toBe(503)
    const message = `The metadata of ${ISSUER} has no introspection_endpoint`
    expect(logged.map(([, fields]) => fields)).toMatchObject([{ err: { message } }])
  })

  it('evicts an inactive token from the cache after 1,000 other inactive tokens', async () => {
    const { send, asked } = await protectOpaque({ active: false })
    for (let i = 0; i <= 1_000; i++) await send(`t${i}`)
    await send('t1')
    expect(asked).toHaveLength(1_001)
    await send('t0')
    expect(asked).toHaveLength(1_002)
  })

  it('refuses a token as soon as it expires', async () => {
    let exp = 0
    const { send, clock } = await protectOpaque(() =>
      Response.json({ active: true, aud: RESOURCE, sub: 'user', exp }),
    )
    exp = Math.ceil(clock.now() / 1000)
    await clock.advance(exp * 1000 - clock.now())
    expect(await send('a')).toBe(401)
    exp++
    expect(await send('b')).toBe(200)
  })

  it('caches an inactive token for 5 s, and an active token for 30 s', async () => {
    let active = false
    const { send, clock, asked } = await protectOpaque(() =>
      Response.json({ active, aud: RESOURCE, sub: 'user' }),
    )
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

  it('accepts a token without aud if the `audience` option is "issuer"', async () => {
    const { send } = await protectOpaque({ active: true, sub: 'user' }, { audience: 'issuer' })
    expect(await send('t')).toBe(200)
  })

  it('replies with 503 if the issuer does not respond within 2 s', async () => {
    const { send, clock } = await protectOpaque(never)
    let status: number | undefined
    const answered = send('t').then((found) => (status = found))
    await settled()
    await clock.advance(1_999)
    expect(status).toBeUndefined()
    await clock.advance(1)
    expect(await answered).toBe(503)
    expect(clock.pending).toBe(0)
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
