import { type IncomingMessage, createServer as createHttp, request as httpRequest } from 'node:http'
import { McpServer } from '@jetway/core'
import { type Authenticate, toFetch } from '@jetway/core/http'
import { mcp as fastifyMcp, resourceMetadata as fastifyMetadata } from '@jetway/fastify'
import { mcp as honoMcp, resourceMetadata as honoMetadata } from '@jetway/hono'
import { mcp as nodeMcp, resourceMetadata as nodeMetadata } from '@jetway/node'
import { initialize, silent } from '@jetway-apps/test-support'
import { HEADERS, listen } from '@jetway-apps/test-support/http'
import Fastify, { type FastifyServerOptions } from 'fastify'
import { Hono } from 'hono'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  auth0,
  authkit,
  clerk,
  entra,
  introspection,
  type IssuerOptions,
  jwt,
  keycloak,
  oauth,
  type OAuthOptions,
  type TokenCheck,
} from '../src/index.ts'
import { createIssuer } from './support/issuer.ts'

const WELL_KNOWN = '/.well-known/oauth-protected-resource'
const ISSUER = 'https://auth.example.com'
const publicUrl = 'https://api.example.com/api/mcp'
const server = (): McpServer => new McpServer({ name: 'test', version: '1.0.0' }, { logger: silent })
const protect = (options: Partial<OAuthOptions> = {}): Authenticate => oauth({ issuer: ISSUER, ...options })
const issuersOf = (count: number, token?: TokenCheck): IssuerOptions[] =>
  Array.from({ length: count }, (_, i) => ({
    issuer: `https://${i}.example.com`,
    ...(token !== undefined && { token }),
  }))
const message = { method: 'POST', headers: HEADERS, body: JSON.stringify(initialize()) }

describe('protected resource metadata', () => {
  const fetchWith = (
    given: Parameters<typeof toFetch>[1],
    options?: Partial<OAuthOptions>,
  ): ((path: string, init?: RequestInit) => Promise<Response>) => {
    const handler = toFetch(server(), { path: '/mcp', ...given, authenticate: protect(options) })
    return (path, init) => handler(new Request(`https://api.example.com${path}`, init))
  }

  it('is served for each route, at the path behind a prefix-stripping proxy, and at the root', async () => {
    const ask = fetchWith({ publicUrl, legacySse: true })
    const at = async (path: string): Promise<unknown> => {
      const answer = await ask(WELL_KNOWN + path)
      return answer.status === 200 ? ((await answer.json()) as { resource: string }).resource : answer.status
    }
    expect(await at('/api/mcp')).toBe(publicUrl)
    expect(await at('/mcp')).toBe(publicUrl)
    expect(await at('')).toBe(publicUrl)
    expect(await at('/api/sse')).toBe('https://api.example.com/api/sse')
    expect(await at('/other')).toBe(404)
  })

  it('can be cached publicly and read by pages from any origin', async () => {
    const ask = fetchWith({ publicUrl })
    const got = await ask(`${WELL_KNOWN}/api/mcp`)
    expect(got.headers.get('access-control-allow-origin')).toBe('*')
    expect(got.headers.get('cache-control')).toBe('public, max-age=300')
    const head = await ask(`${WELL_KNOWN}/api/mcp`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(head.headers.get('cache-control')).toBe('public, max-age=300')
    const preflight = await ask(`${WELL_KNOWN}/api/mcp`, { method: 'OPTIONS' })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, HEAD, OPTIONS')
    expect((await ask(`${WELL_KNOWN}/api/mcp`, { method: 'POST' })).status).toBe(405)
    expect((await ask(`${WELL_KNOWN}/api/mcp/`)).status).toBe(200)
  })

  it('contains the members of the `metadata` option, and the scopes under their advertised names', async () => {
    const ask = fetchWith(
      { publicUrl },
      {
        scopes: ['read'],
        advertise: (scope) => `api://x/${scope}`,
        metadata: { resource_name: 'Files' },
        root: false,
      },
    )
    expect(await (await ask(`${WELL_KNOWN}/api/mcp`)).json()).toEqual({
      resource: publicUrl,
      authorization_servers: [ISSUER],
      scopes_supported: ['api://x/read'],
      bearer_methods_supported: ['header'],
      resource_name: 'Files',
    })
    expect((await ask(WELL_KNOWN)).status).toBe(404)
    expect((await ask('/mcp', message)).headers.get('www-authenticate')).toBe(
      `Bearer resource_metadata="https://api.example.com${WELL_KNOWN}/api/mcp", scope="api://x/read"`,
    )
  })

  it.each([
    ['https://API.example.com', 'https://api.example.com/mcp'],
    ['https://api.example.com/mcp/', 'https://api.example.com/mcp'],
    ['https://api.example.com:443/x#y', 'https://api.example.com/x'],
  ])('with publicUrl %s, names the resource %s', async (given, resource) => {
    expect(await (await fetchWith({ publicUrl: given })(WELL_KNOWN)).json()).toMatchObject({ resource })
  })
})

/** Sends a request with this path and method, and resolves to the status. */
type Ask = (path: string, method: string) => Promise<number>

const MOUNTS: Readonly<Record<string, (mounted: { readonly belowPrefix: boolean }) => Promise<Ask>>> = {
  Fastify: ({ belowPrefix }) => onFastify({}, belowPrefix),
  'Fastify with ignoreTrailingSlash': ({ belowPrefix }) =>
    onFastify({ routerOptions: { ignoreTrailingSlash: true } }, belowPrefix),
  'Fastify with ignoreDuplicateSlashes': ({ belowPrefix }) =>
    onFastify({ routerOptions: { ignoreDuplicateSlashes: true } }, belowPrefix),
  Hono: async ({ belowPrefix }) => {
    const authenticate = protect()
    const mount = honoMcp({ server: server(), path: '/mcp', publicUrl, authenticate })
    const app = belowPrefix
      ? new Hono().use(honoMetadata(authenticate)).route('/api', new Hono().use(mount))
      : new Hono().use(mount)
    return async (path, method) => (await app.request(path, { method })).status
  },
  'node:http': async ({ belowPrefix }) => {
    const authenticate = protect()
    const mount = nodeMcp({ server: server(), path: '/mcp', publicUrl, authenticate })
    const root = nodeMetadata(authenticate)
    const { port, release } = await listen(
      createHttp((request, response) => {
        const next = (): void => void response.writeHead(404).end()
        if (belowPrefix) root(request, response, next)
        else mount(request, response, next)
      }),
    )
    onTestFinished(release)
    // `fetch` would normalize some of the paths.
    return (path, method) =>
      new Promise((resolve, reject) => {
        const request = httpRequest({ port, path, method }, (response) => {
          response.resume()
          resolve(response.statusCode ?? 0)
        })
        request.on('error', reject).end()
      })
  },
}

async function onFastify(options: FastifyServerOptions, belowPrefix: boolean): Promise<Ask> {
  const app = Fastify(options)
  onTestFinished(() => app.close())
  const authenticate = protect()
  if (belowPrefix) app.register(fastifyMetadata, { authenticate })
  const mount = { server: server(), path: '/mcp', publicUrl, authenticate }
  app.register(async (scope) => void scope.register(fastifyMcp, mount), { prefix: belowPrefix ? '/api' : '' })
  await app.ready()
  return async (path, method) => (await app.inject({ url: path, method: method as 'GET' })).statusCode
}

describe.each(Object.keys(MOUNTS))('metadata on %s', (name) => {
  it.each([false, true])(
    'is served at the same paths as on every other framework (under a path prefix: %s)',
    async (belowPrefix) => {
      const ask = await MOUNTS[name]!({ belowPrefix })
      const found: string[] = []
      // Below a prefix, only some frameworks treat `/mcp` as the path inside the app.
      const inner = belowPrefix ? [] : ['/mcp', '/mcp/']
      const paths = ['', '/', ...inner, '/api/mcp', '/api/mcp/', '/api/mcp/?x=1', '/api/mcp?x=1']
      const others = ['//', '/mcp//', '//mcp', '/MCP', '/mcp%2f', '/mcp;x', '/other', '/mcp/x']
      for (const path of [...paths, ...others])
        for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE']) {
          const status = await ask(WELL_KNOWN + path, method)
          if (status !== 404) found.push(`${method} ${path} ${status}`)
        }
      const expected = paths.flatMap((path) => [
        `GET ${path} 200`,
        `HEAD ${path} 200`,
        `OPTIONS ${path} 204`,
        `POST ${path} 405`,
        `DELETE ${path} 405`,
      ])
      expect(found).toEqual(expected)
    },
  )
})

describe('a mount under a path prefix', () => {
  it('fails to start on Fastify unless the root app serves the metadata', async () => {
    const authenticate = protect()
    const start = async (withRoot: boolean): Promise<ReturnType<typeof Fastify>> => {
      const app = Fastify()
      onTestFinished(() => app.close())
      if (withRoot) app.register(fastifyMetadata, { authenticate })
      app.register(
        async (scope) => void scope.register(fastifyMcp, { server: server(), publicUrl, authenticate }),
        {
          prefix: '/api',
        },
      )
      await app.ready()
      return app
    }
    await expect(start(false)).rejects.toThrow('app.register(resourceMetadata, { authenticate })')
    const app = await start(true)
    const answer = await app.inject(`${WELL_KNOWN}/api/mcp`)
    expect(answer.json()).toMatchObject({ resource: publicUrl })
    expect((await app.inject(`${WELL_KNOWN}/other`)).statusCode).toBe(404)
  })

  it('can share an origin with another mount on Fastify', async () => {
    const app = Fastify()
    onTestFinished(() => app.close())
    for (const name of ['a', 'b'])
      app.register(fastifyMcp, {
        server: server(),
        path: `/${name}`,
        publicUrl: `https://api.example.com/${name}`,
        authenticate: protect(),
      })
    const resourceAt = async (path: string): Promise<unknown> =>
      (await app.inject(WELL_KNOWN + path)).json().resource
    expect(await resourceAt('/b')).toBe('https://api.example.com/b')
    expect(await resourceAt('')).toBe('https://api.example.com/a')
  })

  it('fails on Hono unless the root app serves the metadata', async () => {
    const authenticate = protect()
    const errors: string[] = []
    const sub = new Hono().use(honoMcp({ server: server(), publicUrl, authenticate }))
    const app = new Hono().route('/api', sub)
    app.onError((error, c) => {
      errors.push(error.message)
      return c.text('', 500)
    })
    expect((await app.request('/api/mcp', message)).status).toBe(500)
    expect(errors[0]).toContain('app.use(resourceMetadata(authenticate))')
    const whole = new Hono().use(honoMetadata(authenticate)).route('/api', sub)
    expect((await whole.request('/api/mcp', message)).status).toBe(401)
    expect(await (await whole.request(`${WELL_KNOWN}/api/mcp`)).json()).toMatchObject({ resource: publicUrl })
  })

  it('fails on Node unless the root app serves the metadata', async () => {
    const authenticate = protect()
    const mount = nodeMcp({ server: server(), publicUrl, authenticate })
    const root = nodeMetadata(authenticate)
    authenticate.wellKnown!.elsewhere = false
    let withRoot = false
    const { origin, release } = await listen(
      createHttp((request: IncomingMessage & { originalUrl?: string }, response) => {
        const below = (): void => {
          request.originalUrl = request.url ?? ''
          request.url = (request.url ?? '').replace('/api', '')
          mount(request, response, (error) =>
            response.writeHead(error === undefined ? 404 : 500).end(String(error)),
          )
        }
        if (withRoot) root(request, response, below)
        else below()
      }),
    )
    onTestFinished(release)
    const refused = await fetch(`${origin}/api/mcp`, message)
    expect([refused.status, await refused.text()]).toEqual([
      500,
      expect.stringContaining('app.use(resourceMetadata(authenticate))'),
    ])
    withRoot = true
    authenticate.wellKnown!.elsewhere = true
    expect((await fetch(`${origin}/api/mcp`, message)).status).toBe(401)
    expect(await (await fetch(`${origin}${WELL_KNOWN}/api/mcp`)).json()).toMatchObject({
      resource: publicUrl,
    })
  })

  it.each([
    ['app.register', () => fastifyMetadata(Fastify(), { authenticate: () => undefined })],
    ['resourceMetadata(authenticate)', async () => honoMetadata(() => undefined)],
    ['resourceMetadata(authenticate)', async () => nodeMetadata(() => undefined)],
  ])('throws if `authenticate` has no metadata: %s', async (text, call) => {
    await expect(call()).rejects.toThrow(text)
  })
})

describe('oauth()', () => {
  it.each<[string, object]>([
    ['issuer', {}],
    ['issuer', { issuer: 'http://auth.example.com' }],
    ['issuer', { issuer: 'auth.example.com' }],
    ['issuer', { issuer: ISSUER, issuers: [{ issuer: ISSUER }] }],
    ['issuers', { issuers: [] }],
    ['issuers', { issuers: [{ issuer: ISSUER }, { issuer: ISSUER }] }],
    ['audience', { issuer: ISSUER, audience: [] }],
    ['audience', { issuer: ISSUER, audience: '' }],
    ['scopes', { issuer: ISSUER, scopes: ['a b'] }],
    ['scopes', { issuer: ISSUER, scopes: ['offline_access'] }],
    ['implies', { issuer: ISSUER, implies: { a: ['b c'] } }],
    ['must be set, not both', { issuers: [{ issuer: ISSUER }], issuer: ISSUER }],
    ['token needs the option issuer', { issuers: [{ issuer: ISSUER }], token: jwt() }],
    ['issuers must be 1 to 16', { issuers: issuersOf(17) }],
    ['issuers must be 1 to 16', { issuers: { length: 1 } }],
    ['introspection once', { issuers: issuersOf(2, introspection({ clientId: 'a', clientSecret: 'b' })) }],
    ['audience', { issuer: ISSUER, audience: ['a', ''] }],
    ['scopes', { issuer: ISSUER, scopes: 'a' }],
    ['implies', { issuer: ISSUER, implies: { a: 'b' } }],
    ['implies', { issuer: ISSUER, implies: { 'a b': [] } }],
    ['cache.max', { issuer: ISSUER, cache: { max: 0 } }],
    ['cache.ttlMs', { issuer: ISSUER, cache: { ttlMs: 0.5 } }],
    ['Did you mean', { issuer: ISSUER, scope: ['a'] }],
  ])('throws an error that contains "%s" for the options %j', (text, options) => {
    expect(() => oauth(options as OAuthOptions)).toThrow(text)
  })

  it.each<[string, Partial<OAuthOptions>]>([
    ['16 issuers', { issuers: issuersOf(16) }],
    [
      'issuers for both kinds of tokens',
      {
        issuers: [
          ...issuersOf(2),
          { issuer: ISSUER, token: introspection({ clientId: 'a', clientSecret: 'b' }) },
        ],
      },
    ],
    ['no scopes', { issuer: ISSUER, scopes: [] }],
    ['a cache of one token', { issuer: ISSUER, cache: { max: 1, ttlMs: 1 } }],
    ['no cache', { issuer: ISSUER, cache: false }],
    ['an issuer on loopback', { issuer: 'http://127.0.0.1:8080' }],
    ['an issuer on loopback by its IPv6 address', { issuer: 'http://[::1]' }],
  ])('accepts %s', (_, options) => {
    expect(() => oauth(options)).not.toThrow()
  })

  it.each<[string, object]>([
    ['jwksUri', { jwksUri: 'http://auth.example.com/jwks' }],
    ['jwksUri', { jwksUri: 'jwks' }],
    ['algorithms must be one or more of RS256', { algorithms: [] }],
    ['algorithms', { algorithms: ['RS256', 'HS256'] }],
    ["typ must be 'any' or 'at+jwt'", { typ: 'jwt' }],
    ['Did you mean', { algorithm: ['RS256'] }],
  ])('throws an error that contains "%s" for the token option jwt(%j)', (text, options) => {
    expect(() => jwt(options)).toThrow(text)
  })

  it('returns a function that throws if it is called outside a mount', () => {
    expect(() => protect()({} as never)).toThrow('call authenticate.mount({ … })')
  })

  it('requires publicUrl or resource unless the issuer is on loopback', () => {
    expect(() => toFetch(server(), { authenticate: protect() })).toThrow('publicUrl')
    expect(() => toFetch(server(), { authenticate: protect({ issuer: 'http://localhost:1' }) })).not.toThrow()
    expect(() => toFetch(server(), { authenticate: protect({ resource: publicUrl }) })).not.toThrow()
  })

  it.each([
    ['/mcp', '/mcp', [200, 200, 404]],
    ['/mcp', '/sse', [200, 200, 404]],
    [undefined, '/mcp', [200, 401, 401]],
    [undefined, '/sse', [401, 200, 404]],
    [undefined, '', [401, 200, 404]],
  ])(
    'with path %s on loopback, replies to a token for %s with the statuses %j',
    async (path, aud, expected) => {
      const origin = 'http://localhost:3000'
      const issuer = await createIssuer()
      const authenticate = oauth({ issuer: issuer.issuer, fetch: issuer.fetch })
      const handler = toFetch(server(), {
        ...(path !== undefined && { path }),
        legacySse: true,
        authenticate,
      })
      const authorization = `Bearer ${await issuer.sign({ aud: origin + aud })}`
      const posted = { ...message, headers: { ...HEADERS, authorization } }
      const opened = { headers: { accept: 'text/event-stream', authorization } }
      const statuses: number[] = []
      for (const [at, init] of [
        ['/mcp', posted],
        ['/sse', opened],
        ['/message?sessionId=unknown', posted],
      ] as const) {
        const answer = await handler(new Request(origin + at, init))
        statuses.push(answer.status)
        await answer.body?.cancel()
      }
      expect(statuses).toEqual(expected)
    },
  )

  it('accepts the options returned by every preset', () => {
    const presets = [
      auth0({ domain: 'acme.eu.auth0.com', audience: 'api' }),
      authkit({ domain: 'acme.authkit.app' }),
      clerk({ domain: 'clerk.example.com' }),
      keycloak({ url: 'https://sso.example.com/', realm: 'a b' }),
      entra({ tenant: 't', clientId: 'c', applicationIdUri: publicUrl }),
    ]
    expect(auth0({ domain: 'acme.eu.auth0.com' })).toEqual({ issuer: 'https://acme.eu.auth0.com/' })
    expect(presets.map(({ audience }) => audience)).toEqual(['api', undefined, undefined, undefined, 'c'])
    for (const preset of presets) expect(() => oauth({ ...preset, scopes: ['mcp'] })).not.toThrow()
    expect(presets.map(({ issuer }) => issuer)).toEqual([
      'https://acme.eu.auth0.com/',
      'https://acme.authkit.app',
      'https://clerk.example.com',
      'https://sso.example.com/realms/a%20b',
      'https://login.microsoftonline.com/t/v2.0',
    ])
    expect(presets[4]?.advertise?.('read')).toBe(`${publicUrl}/read`)
  })
})
