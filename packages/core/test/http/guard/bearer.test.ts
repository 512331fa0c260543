import { describe, expect, it } from 'vitest'
import { type Authenticate, Rejection } from '../../../src/http/authenticate.ts'
import { bearer } from '../../../src/http/guard/bearer.ts'
import type { AuthInfo } from '../../../src/stores/principal.ts'
import { type Answer, createHarness, initializeMessage } from '../support/harness.ts'

interface Failure {
  readonly err: unknown
}

const known: Record<string, AuthInfo> = { 'token-a': { principal: 'alice' }, 'token-b': { principal: 'bob' } }
const verify = (token: string): AuthInfo | undefined => known[token]

const tried = async (authenticate: Authenticate, authorization?: string): Promise<Answer> => {
  const { post } = createHarness({ endpoint: { authenticate } })
  return post(initializeMessage(), { authorization })
}

describe('bearer()', () => {
  it.each(['Bearer token-a', 'bearer token-a', 'BEARER  token-a'])(
    'accepts the header %j',
    async (header) => {
      expect((await tried(bearer({ verify }), header)).status).toBe(200)
    },
  )

  it('accepts a header of 16,384 characters', async () => {
    const long = bearer({ verify: (token) => ({ principal: token.slice(0, 1) }) })
    expect((await tried(long, `Bearer ${'a'.repeat(16_384 - 7)}`)).status).toBe(200)
  })

  it.each([undefined, 'Basic YTpi', 'token-a'])(
    'challenges a request without a token: %j',
    async (header) => {
      const { status, headers } = await tried(bearer({ verify }), header)
      expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer'])
    },
  )

  it.each([
    'Bearer',
    'Bearer ',
    'Bearer unknown',
    'Bearer token-a, Bearer token-b',
    'Bearer token-a token-b',
    'Bearer token-a,',
    'Bearer "token-a"',
    'Bearer tökén',
    'Bearer =token-a',
    `Bearer ${'a'.repeat(16_385 - 7)}`,
    'Bearer __proto__',
  ])('refuses the header %j', async (header) => {
    const accepting = (token: string): AuthInfo | undefined =>
      ['unknown', '__proto__'].includes(token) ? undefined : { principal: 'alice' }
    const { status, headers } = await tried(bearer({ verify: accepting }), header)
    expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer error="invalid_token"'])
  })

  it('refuses the token if `verify` fails, and hides the cause from the client', async () => {
    for (const failing of [
      () => {
        throw new Error('canary')
      },
      () => Promise.reject(new Error('canary')),
    ]) {
      const harness = createHarness({ endpoint: { authenticate: bearer({ verify: failing }) } })
      const answer = await harness.post(initializeMessage(), { authorization: 'Bearer token-a' })
      expect(answer.status).toBe(401)
      expect(answer.text).not.toContain('canary')
      expect(harness.log).toHaveLength(1)
      expect(JSON.stringify(harness.log)).not.toContain('token-a')
    }
  })

  it('supports an async `verify`', async () => {
    expect(
      (await tried(bearer({ verify: (token) => Promise.resolve(known[token]) }), 'Bearer token-b')).status,
    ).toBe(200)
    expect((await tried(bearer({ verify: () => Promise.resolve(undefined) }), 'Bearer token-b')).status).toBe(
      401,
    )
  })

  it('includes the realm and the metadata URL in its challenge', async () => {
    const authenticate = bearer({
      verify,
      realm: 'a "b"',
      resourceMetadata: 'https://a.example/.well-known/oauth-protected-resource',
    })
    const metadata = 'resource_metadata="https://a.example/.well-known/oauth-protected-resource"'
    const none = await tried(authenticate)
    expect(none.headers['www-authenticate']).toBe(`Bearer realm="a \\"b\\"", ${metadata}`)
    const wrong = await tried(authenticate, 'Bearer x')
    expect(wrong.headers['www-authenticate']).toBe(
      `Bearer realm="a \\"b\\"", ${metadata}, error="invalid_token"`,
    )
  })

  it.each([
    { realm: 'a\r\nb' },
    { realm: 'é' },
    { resourceMetadata: '/relative' },
    { verify: undefined as unknown as typeof verify },
  ])('throws ERR_MCP_OPTION for %j', (options) => {
    expect(() => bearer({ verify, ...options })).toThrow(/ERR_MCP_OPTION/)
  })
})

describe("a caller's identity", () => {
  it.each([
    [59, 200],
    [60, 200],
    [61, 401],
  ])(
    'expires 60 s late, to tolerate clock skew: %i s after the expiry time, the status is %i',
    async (seconds, status) => {
      const harness = createHarness({
        endpoint: {
          authenticate: () => ({ principal: 'a', expiresAt: harness.clock.now() / 1000 - seconds }),
        },
      })
      const answer = await harness.post(initializeMessage())
      expect(answer.status).toBe(status)
      if (status === 401) expect(answer.headers['www-authenticate']).toBe('Bearer error="invalid_token"')
    },
  )

  it('is treated as expired if the expiry time is invalid', async () => {
    expect((await tried(() => ({ principal: 'a', expiresAt: Number.NaN }))).status).toBe(401)
  })

  it.each([{ principal: '' }, { principal: undefined as unknown as string }, {} as AuthInfo])(
    'causes status 500 if it has no principal, and the log names the option that returned it: %j',
    async (auth) => {
      const own = createHarness({ endpoint: { authenticate: () => auth } })
      const ofHost = createHarness()
      expect((await own.post(initializeMessage())).status).toBe(500)
      expect((await ofHost.post(initializeMessage(), {}, { auth })).status).toBe(500)
      const logged = [own, ofHost].map(({ log: [line] }) => line && String((line.fields as Failure).err))
      expect(logged).toEqual([
        expect.stringContaining('authenticate returned no principal'),
        expect.stringContaining('authInfo returned no principal'),
      ])
    },
  )

  it('is verified on every request, so a revoked token is refused immediately', async () => {
    let valid = true
    const { open } = createHarness({
      endpoint: { authenticate: () => (valid ? { principal: 'a' } : undefined) },
    })
    const session = await open()
    expect((await session.post({ jsonrpc: '2.0', id: 1, method: 'ping' })).status).toBe(200)
    valid = false
    expect((await session.post({ jsonrpc: '2.0', id: 1, method: 'ping' })).status).toBe(401)
    expect((await session.get()).status).toBe(401)
    expect((await session.delete()).status).toBe(401)
  })

  it('is provided by the host application if the mount has no `authenticate`', async () => {
    const seen: unknown[] = []
    const { open } = createHarness({
      setUp: (server) => {
        server.addTool({
          name: 'who',
          handler: (_args, ctx) => {
            seen.push(ctx.auth?.principal, ctx.locals)
            return ''
          },
        })
      },
    })
    const session = await open({ more: { auth: { principal: 'alice' }, mount: { user: 1 } } })
    await session.call('who')
    expect(seen).toEqual(['alice', { user: 1 }])
  })

  it('expires even if the host application provides it', async () => {
    const { post, clock } = createHarness()
    const auth = { principal: 'a', expiresAt: clock.now() / 1000 - 61 }
    expect((await post(initializeMessage(), {}, { auth })).status).toBe(401)
  })
})

describe('Rejection', () => {
  it('determines the HTTP status and the message of the JSON-RPC error', async () => {
    const { status, headers, json } = await tried(
      () => new Rejection(403, 'Not today', { headers: { 'x-why': 'sunday' }, cause: new Error('canary') }),
    )
    expect([status, headers['x-why'], headers['content-type']]).toEqual([403, 'sunday', 'application/json'])
    expect(json).toEqual({ jsonrpc: '2.0', error: { code: -32600, message: 'Not today' } })
  })

  it.each([
    ['its cause', new Error('canary'), ['Authentication failed']],
    ['nothing if there is no cause', undefined, []],
  ])('logs %s', async (_, cause, logged) => {
    const authenticate = (): Rejection => new Rejection(403, 'Not today', { cause })
    const { post, log } = createHarness({ endpoint: { authenticate } })
    await post(initializeMessage())
    expect(log.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual(logged)
  })

  it.each([200, 302, 399, 600, 400.5])('rejects the status %s', (status) => {
    expect(() => new Rejection(status, 'x')).toThrow(/ERR_MCP_OPTION/)
  })

  it.each([400, 599])(
    'accepts the status %s, and defaults to empty headers and the reason unauthorized',
    (status) => {
      const expected = { status, message: 'x', headers: {}, reason: 'unauthorized' }
      expect(new Rejection(status, 'x')).toMatchObject(expected)
    },
  )
})
