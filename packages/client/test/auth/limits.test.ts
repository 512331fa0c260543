import {
  AuthorizationError,
  clientCredentials,
  loopbackRedirect,
  memoryCredentials,
  oauth,
} from '@jetway/client/oauth'
import { withAuth } from '@jetway/client'
import { freePort } from '@jetway-apps/test-support/http'
import { describe, expect, it as base, vi } from 'vitest'
import { challengeWith, failure, it, post } from './support/world.ts'

const SERVER = 'https://mcp.public.example/mcp'
const grant = clientCredentials()

describe('a metadata address', () => {
  /** Resolves to the error and to the URLs that were requested. */
  async function challenged(metadata: string, answer = new Response(null, { status: 404 })) {
    const asked: string[] = []
    const provider = oauth({
      grant,
      fetch: async ({ href }) => {
        asked.push(href)
        return answer
      },
    })
    const headers = new Headers({ 'www-authenticate': `Bearer resource_metadata="${metadata}"` })
    const challenge = { resource: SERVER, url: SERVER, method: 'POST', sent: {}, status: 401, headers }
    const { reason, message } = await failure(Promise.resolve(provider.onChallenge?.(challenge)))
    return { reason, message, asked }
  }

  base.each([
    ['https://user@public.example/x', 'https://public.example with a user name'],
    ['https://:word@public.example/x', 'https://public.example with a user name'],
    ['http://public.example/x', 'http://public.example, which is not https'],
    ['http://[::1]/x', 'http://[::1], which is not https'],
    ['https://[::1]/x', 'https://[::1], which is not public'],
    ['https://[5f00::1]/x', 'https://[5f00::1], which is not public'],
    ['nowhere', 'an invalid URL'],
  ])('is rejected with a reason: %s', async (address, why) => {
    const { reason, message, asked } = await challenged(address)
    expect({ reason, asked }).toEqual({ reason: 'address', asked: [] })
    expect(message).toBe(
      `Metadata names ${why}. If you trust the host, serve it over https and add it to allowHosts`,
    )
  })

  base.each(['https://93.184.215.14/x', 'https://[2606:4700::1111]/x', 'https://public.example/x'])(
    'is requested: %s',
    async (address) => {
      expect(await challenged(address)).toMatchObject({ reason: 'discovery', asked: [address] })
    },
  )

  base('is refused if it redirects in a browser', async () => {
    const answer = Object.defineProperty(new Response(), 'type', { value: 'opaqueredirect' })
    expect(await challenged('https://public.example/x', answer)).toMatchObject({
      reason: 'address',
      message: 'https://public.example redirects',
    })
  })

  base.each([
    [262_144, 'discovery'],
    [262_145, 'network'],
  ])('that returns %i bytes causes the error "%s"', async (length, reason) => {
    const answer = new Response('x'.repeat(length))
    expect(await challenged('https://public.example/x', answer)).toMatchObject({ reason })
  })

  base.each([
    [499, 'https://public.example answered'],
    [500, 'https://public.example answered 500 to a request for metadata'],
  ])('causes a discovery error if it returns status %i', async (status, message) => {
    const found = await challenged('https://public.example/x', new Response(null, { status }))
    expect(found.reason).toBe('discovery')
    expect(found.message.startsWith(message)).toBe(status === 500)
  })
})

describe('a challenge', () => {
  it.for([
    [8_192, ['/own.json']],
    [8_193, ['/.well-known/oauth-protected-resource/mcp']],
  ] as const)('with a header of %i characters causes requests to %j', async ([length, paths], { made }) => {
    made.server.routes.set('GET /own.json', () => ({ json: made.resourceMetadata }))
    const header = `Bearer resource_metadata="${made.server.origin}/own.json", pad="`
    challengeWith(made, `${header.padEnd(length - 1, 'x')}"`)
    expect((await made.post()).status).toBe(200)
    const gets = made.server.seen.filter(({ method }) => method === 'GET')
    expect(gets.map(({ path }) => path)).toEqual(paths)
  })

  it('may spread its parameters over Bearer and DPoP schemes, and ignores other schemes', async ({
    made,
  }) => {
    made.server.routes.set('GET /own.json', () => ({ json: made.resourceMetadata }))
    const own = `resource_metadata="${made.server.origin}/own.json"`
    challengeWith(made, `Basic scope="a", Bearer error="invalid_token", DPoP scope="b c b", ${own}`)
    expect((await made.post()).status).toBe(200)
    expect(made.visits[0]?.searchParams.get('scope')).toBe('b c')
  })
})

describe('stored credentials', () => {
  it('omit members that the server did not send', async ({ made }) => {
    const store = memoryCredentials()
    const token = { access_token: 'access-token-1', token_type: 'Bearer' }
    made.token = () => ({ json: token })
    made.wanted = []
    challengeWith(made)
    made.valid.set('access-token-1', [])
    expect((await made.post({ store })).status).toBe(200)
    const minimal = {
      issuer: made.issuer.origin,
      clientId: 'registered-1',
      accessToken: 'access-token-1',
      tokenType: 'bearer',
      scopes: [],
    }
    expect(await store.read('tokens', made.url)).toStrictEqual(minimal)
    expect(await store.read('client', made.issuer.origin)).toStrictEqual({
      clientId: 'registered-1',
      authMethod: 'none',
      redirectUris: ['http://127.0.0.1:3999/callback'],
    })
  })

  it('contain the expiry of tokens and secrets in milliseconds', async ({ made }) => {
    const store = memoryCredentials()
    made.metadata['token_endpoint_auth_methods_supported'] = ['client_secret_basic', 'client_secret_post']
    const answer = { client_id: 'r', client_secret: 'given-secret', client_secret_expires_at: 4_000_000_000 }
    made.issuer.routes.set('POST /register', () => ({ json: answer }))
    expect((await made.post({ store, clock: { now: () => 5 } })).status).toBe(200)
    expect(await store.read('tokens', made.url)).toMatchObject({ expiresAt: 3_600_005 })
    expect(await store.read('client', made.issuer.origin)).toMatchObject({
      clientSecret: 'given-secret',
      secretExpiresAt: 4_000_000_000_000,
      authMethod: 'client_secret_basic',
    })
  })
})

describe('a rejected token', () => {
  it('is replaced only if it is at least a minute old', async ({ made }) => {
    let now = 0
    const send = made.sender({ clock: { now: () => now } })
    made.server.routes.set('POST /mcp', () => ({ status: 401 }))
    await send()
    now = 59_999
    await send()
    expect(made.issuer.to('POST /token')).toHaveLength(1)
    now = 60_000
    await send()
    expect(made.issuer.to('POST /token').length).toBeGreaterThan(1)
  })

  it('triggers an authorization without a scope if the only supported scope is offline_access', async ({
    made,
  }) => {
    made.metadata['scopes_supported'] = ['offline_access']
    expect((await made.post()).status).toBe(200)
    const { searchParams } = made.visits[0] as URL
    expect([searchParams.get('scope'), searchParams.get('prompt')]).toEqual([null, null])
  })
})

describe('an error message', () => {
  base('has at most 1,000 printable characters', () => {
    const { name, message, reason, oauthError } = new AuthorizationError(
      'token',
      `a\n\u001b${'b'.repeat(1_000)}`,
    )
    expect({ name, message, reason, oauthError }).toEqual({
      name: 'AuthorizationError',
      message: `a ${'b'.repeat(998)}`,
      reason: 'token',
      oauthError: undefined,
    })
  })

  it.for<[object, string, string | undefined]>([
    [{ error: 'no', error_description: 'x'.repeat(201) }, `no: ${'x'.repeat(200)}`, 'no'],
    [{ error: 'no' }, 'no', 'no'],
    [{ error: 'ün', error_description: 'why' }, 'an error without a code: why', undefined],
    [{ error: 'x'.repeat(65) }, 'an error without a code', undefined],
    [{ error: 'x'.repeat(64) }, 'x'.repeat(64), 'x'.repeat(64)],
  ])('quotes the code and description in the response %j', async ([json, text, code], { made }) => {
    made.issuer.routes.set('POST /register', () => ({ status: 400, json }))
    const { message, oauthError } = await failure(made.post())
    expect({ message, oauthError }).toEqual({
      message: `${made.issuer.origin} did not register this client: the authorization server answered ${text}`,
      oauthError: code,
    })
  })
})

describe('a challenged request', () => {
  const refused = () => {
    const cancel = vi.fn<() => void>()
    return { cancel, answer: new Response(new ReadableStream({ cancel }), { status: 401 }) }
  }

  base('has its response body cancelled before it is resent, or if the provider fails', async () => {
    const [first, second] = [refused(), refused()]
    const answers = [first.answer, new Response(), second.answer]
    let fails = false
    const send = withAuth(
      async () => answers.shift() as Response,
      {
        headers: () => undefined,
        onChallenge: async () => {
          if (fails) throw new Error('nobody is there')
          return 'retry'
        },
      },
      SERVER,
    )
    expect((await send(SERVER)).status).toBe(200)
    expect(first.cancel).toHaveBeenCalledOnce()
    fails = true
    await expect(send(SERVER)).rejects.toThrow('nobody is there')
    expect(second.cancel).toHaveBeenCalledOnce()
  })

  base('passes its signal to the provider', async () => {
    const { signal } = new AbortController()
    const asked: unknown[] = []
    const provider = { headers: (request: object) => void asked.push(request) }
    await withAuth(async () => new Response(), provider, SERVER)(SERVER, { signal })
    expect(asked).toStrictEqual([{ resource: SERVER, url: SERVER, method: 'GET', signal }])
  })
})

describe('options at their limits', () => {
  base('are accepted', () => {
    expect(() => oauth({ grant, timeoutMs: 1, maxBytes: 1 })).not.toThrow()
    for (const port of [1, 65_535])
      expect(loopbackRedirect({ port, open: () => undefined }).redirectUri).toBe(
        `http://127.0.0.1:${port}/callback`,
      )
  })
})

base('a redirect to loopback shows its default page', async () => {
  const port = await freePort()
  const pages: unknown[] = []
  const redirect = loopbackRedirect({
    port,
    path: '/back',
    open: async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/back?state=s&code=c`)
      const { status, headers } = answer
      pages.push(status, headers.get('content-type'), headers.get('cache-control'), await answer.text())
    },
  })
  const { signal } = new AbortController()
  const back = await redirect.authorize(new URL('https://as.example/?state=s'), { signal })
  expect(back).toBe(`http://127.0.0.1:${port}/back?state=s&code=c`)
  expect(pages).toEqual([
    200,
    'text/html; charset=utf-8',
    'no-store',
    expect.stringContaining('You can close this window'),
  ])
})

describe('a server at the root of its origin', () => {
  it('has its resource metadata at the well-known URL without a path', async ({ made }) => {
    challengeWith(made)
    made.server.routes.set('GET /.well-known/oauth-protected-resource', () => ({
      json: { ...made.resourceMetadata, resource: `${made.server.origin}/` },
    }))
    const plain = made.server.routes.get('POST /mcp')
    made.server.routes.set('POST /', (seen) => plain?.(seen) ?? {})
    const own = { ...made, url: `${made.server.origin}/` }
    const send = withAuth(fetch, oauth({ grant, clients: [{ clientId: 'c', authMethod: 'none' }] }), own.url)
    expect((await post(send, own)).status).toBe(200)
    const gets = made.server.seen.filter(({ method }) => method === 'GET')
    expect(gets.map(({ path }) => path)).toEqual(['/.well-known/oauth-protected-resource'])
  })
})
