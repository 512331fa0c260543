import { createHmac } from 'node:crypto'
import { callTool, initialize as initializeRequest } from '@jetway-apps/test-support'
import { HEADERS } from '@jetway-apps/test-support/http'
import { describe, expect, it } from 'vitest'
import { call, firstEvent, initialize, openSession, withProcess } from './support.ts'

/** Sends a browser's preflight request, and returns the headers that the app allows. */
async function preflight(url: string, method: string): Promise<Record<string, string | null>> {
  const headers = { origin: 'https://app.example.com', 'access-control-request-method': method }
  const { headers: allowed } = await fetch(url, { method: 'OPTIONS', headers })
  return {
    origin: allowed.get('access-control-allow-origin'),
    methods: allowed.get('access-control-allow-methods')?.replaceAll(', ', ',') ?? null,
  }
}

/** Checks that a browser can end its session, and can read the session id, the challenge and the DPoP nonce. */
async function expectCors(url: string, headers: Record<string, string> = {}): Promise<void> {
  expect(await preflight(url, 'DELETE')).toEqual({
    origin: 'https://app.example.com',
    methods: 'GET,POST,DELETE',
  })
  const { headers: got } = await initialize(url, { origin: 'https://app.example.com', ...headers })
  expect(got.get('access-control-expose-headers')?.split(/, ?/)).toEqual([
    'mcp-session-id',
    'www-authenticate',
    'dpop-nonce',
  ])
}

/** Signs a JSON Web Token with HS256. */
function token(claims: object, secret: string): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}

describe('the app in the Fastify guide', () => {
  it('serves its own routes, requires a token, keeps headers set by hooks and CORS, and sets ctx', async () => {
    await withProcess('http/fastify-app', { TOKEN: 'secret' }, async (origin) => {
      expect(await (await fetch(`${origin}/health`)).json()).toEqual({ ok: true })
      const url = `${origin}/api/mcp`
      const refused = await initialize(url)
      expect(refused.status).toBe(401)
      expect(refused.headers.get('www-authenticate')).toMatch(/^Bearer/)
      const headers = { authorization: 'Bearer secret', origin: 'https://app.example.com' }
      const opened = await initialize(url, headers)
      expect(opened.status).toBe(200)
      expect(opened.headers.get('x-request-id')).toMatch(/^req-/)
      expect(opened.headers.get('access-control-allow-origin')).toBe('https://app.example.com')
      const session = { ...headers, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
      expect(await call(url, 'whoami', session)).toMatch(/^ada in request req-/)
      expect((await initialize(url, { ...headers, origin: 'https://evil.example.com' })).status).toBe(403)
      expect(await firstEvent(`${origin}/api/sse`, headers)).toMatch(
        /^event: endpoint\ndata: \/api\/message\?/,
      )
      await expectCors(url, headers)
    })
  })

  it('reads the caller from the token verified by @fastify/jwt', async () => {
    await withProcess('http/fastify-jwt', { JWT_SECRET: 'secret' }, async (origin) => {
      const url = `${origin}/mcp`
      const exp = Math.floor(Date.now() / 1000) + 600
      const claims = { sub: 'ada', exp, scope: 'read write' }
      const bearer = (jwt: string): Record<string, string> => ({ authorization: `Bearer ${jwt}` })
      const headers = bearer(token(claims, 'secret'))
      const opened = await initialize(url, headers)
      expect(opened.status).toBe(200)
      const session = { ...headers, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
      expect(await call(url, 'whoami', session)).toMatch(/^ada \(read, write\) in request req-/)
      const others = [{}, bearer(token(claims, 'forged')), bearer(token({ ...claims, exp: 1 }, 'secret'))]
      for (const other of others) {
        const refused = await initialize(url, other)
        expect(refused.status).toBe(401)
        expect(JSON.parse(refused.body)).toMatchObject({ error: 'Unauthorized' })
        expect(refused.headers.has('www-authenticate')).toBe(false)
      }
      await expectCors(url, headers)
    })
  })
})

describe('the app in the Hono guide', () => {
  it("serves its own routes, and passes its middleware's variables to tools", async () => {
    await withProcess('http/hono-app', {}, async (origin) => {
      expect(await (await fetch(`${origin}/health`)).json()).toEqual({ ok: true })
      const headers = { 'x-tenant': 'acme', origin: 'https://app.example.com' }
      const opened = await initialize(`${origin}/mcp`, headers)
      expect(opened.headers.get('access-control-allow-origin')).toBe('https://app.example.com')
      const session = { ...headers, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
      expect(await call(`${origin}/mcp`, 'tenant', session)).toBe('acme')
      expect(await firstEvent(`${origin}/sse`, headers)).toMatch(/^event: endpoint\ndata: \/message\?/)
      await expectCors(`${origin}/mcp`)
    })
  })
})

describe('the apps in the guide to Express, Koa and node:http', () => {
  it('require a token, parse other bodies, and pass middleware data to tools (Express)', async () => {
    await withProcess('http/express-app', { TOKEN: 'secret' }, async (origin) => {
      const url = `${origin}/api/mcp`
      expect((await initialize(url)).status).toBe(401)
      const headers = {
        authorization: 'Bearer secret',
        origin: 'https://app.example.com',
        'x-tenant': 'acme',
      }
      const opened = await initialize(url, headers)
      expect(opened.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/)
      const session = { ...headers, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
      expect(await call(url, 'whoami', session)).toBe('ada of acme')
      expect(await firstEvent(`${origin}/api/sse`, headers)).toMatch(
        /^event: endpoint\ndata: \/api\/message\?/,
      )
      const order = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"id":1}' }
      expect(await (await fetch(`${origin}/orders`, order)).json()).toEqual({ id: 1 })
    })
  })

  it('pass the state to tools (Koa)', async () => {
    await withProcess('http/koa-app', {}, async (origin) => {
      const session = await openSession(`${origin}/mcp`, { 'x-tenant': 'acme' })
      expect(await call(`${origin}/mcp`, 'tenant', session)).toBe('acme')
    })
  })

  it('respond with 404 to requests for other paths (node:http)', async () => {
    await withProcess('quickstart/hello-node', {}, async (origin) => {
      const session = await openSession(`${origin}/mcp`)
      expect(await call(`${origin}/mcp`, 'hello', session)).toBe('Hello, world')
      expect((await fetch(`${origin}/other`)).status).toBe(404)
    })
  })
})

describe('the mount behind a proxy', () => {
  it('accepts only requests that name the public host and arrive on a loopback connection', async () => {
    await withProcess('http/behind-a-proxy', {}, async (origin) => {
      expect((await initialize(`${origin}/mcp`, { host: 'mcp.example.com' })).status).toBe(200)
      expect((await initialize(`${origin}/mcp`, { host: 'rebound.example.com' })).status).toBe(403)
    })
  })
})

describe('the deployed app', () => {
  it('keeps its sessions when a new process replaces the old one', async () => {
    const env = { SESSION_KEYS: Buffer.alloc(32, 1).toString('base64') }
    let session: Record<string, string> = {}
    await withProcess('server/deploys', env, async (origin) => {
      session = await openSession(`${origin}/mcp`)
    })
    await withProcess('server/deploys', env, async (origin) => {
      expect(await call(`${origin}/mcp`, 'hello', session)).toBe('Hello, world')
    })
  })
})

describe('the fetch handler', () => {
  it('replies only to requests to its public host', async () => {
    const { default: handler } = await import('../src/http/fetch-handler.ts')
    const post = (url: string): Request =>
      new Request(url, {
        method: 'POST',
        headers: HEADERS,
        body: JSON.stringify(initializeRequest()),
      })
    expect((await handler.fetch(post('https://hello.example.com/mcp'))).status).toBe(200)
    expect((await handler.fetch(post('https://rebound.example.com/mcp'))).status).toBe(403)
  })
})

describe('the report in the resumption guide', () => {
  it('is replayed to a client after it reconnects', async () => {
    const { app } = await import('../src/server/long-report.ts')
    const url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/mcp`
    try {
      const headers = { ...HEADERS, ...(await openSession(url)) }
      const body = JSON.stringify(callTool('yearly_report', { year: 2026 }, { id: 2 }))
      const first = await (await fetch(url, { method: 'POST', headers, body })).text()
      expect(first).toContain('retry: 5000')
      expect(first).not.toContain('2026: 7800')
      const id = /^id: (.+)$/m.exec(first)?.[1] ?? ''
      const rest = await fetch(url, { headers: { ...headers, 'last-event-id': id } })
      expect(await rest.text()).toContain('2026: 7800')
    } finally {
      await app.close()
    }
  })
})
