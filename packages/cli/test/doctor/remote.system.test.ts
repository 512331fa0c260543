import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { freePort } from '@jetway-apps/test-support/http'
import { describe, expect, it } from 'vitest'
import { runCli } from '../support/run-cli.ts'
import { checkUrl, jetway, json, problems, scripted, serve } from './support/remote.ts'
import { protectedServer } from './support/protected.ts'

const WELL_KNOWN = '/.well-known/oauth-protected-resource'
type Wrap = (request: IncomingMessage, response: ServerResponse, next: () => void) => void

/** Puts a handler in front of a server. */
const inFront =
  (listener: RequestListener, wrap: Wrap): RequestListener =>
  (request, response) =>
    wrap(request, response, () => listener(request, response))

/** Replaces the status and headers that a server sends. */
const withHead = (change: (status: number, headers: Record<string, unknown>) => number): RequestListener => {
  const listener = jetway()
  return inFront(listener, (_request, response, next) => {
    const writeHead = response.writeHead.bind(response)
    response.writeHead = ((status: number, given?: object) => {
      const headers: Record<string, unknown> = {}
      for (const [name, value] of Object.entries({ ...response.getHeaders(), ...given }))
        headers[name.toLowerCase()] = value
      for (const name of response.getHeaderNames()) response.removeHeader(name)
      return writeHead(change(status, headers), headers as never)
    }) as never
    next()
  })
}

const isStream = (headers: Record<string, unknown>): boolean =>
  headers['content-type'] === 'text/event-stream'

/** Replies without using MCP. */
const always =
  (status: number, headers: object = {}, body = ''): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, headers as never).end(body)

interface Resource {
  readonly resource?: string
  readonly authorization_servers?: readonly string[]
}

interface Refusal {
  /** Changes the metadata; undefined removes it. */
  readonly metadata?: (document: Resource) => Resource | undefined
  /** The `WWW-Authenticate` header, if it differs from the correct one. */
  readonly challenge?: string
}

/** Returns a server that requires a token and whose refusal has one fault. */
async function refusing({ metadata = (document) => document, challenge }: Refusal): Promise<RequestListener> {
  const { issuer } = await protectedServer()
  return (request, response) => {
    const origin = `http://${request.headers.host}`
    const right = `Bearer resource_metadata="${origin}${WELL_KNOWN}/mcp"`
    const document =
      request.url === `${WELL_KNOWN}/mcp`
        ? metadata({ resource: `${origin}/mcp`, authorization_servers: [issuer] })
        : undefined
    if (document !== undefined) json(response, 200, document)
    else if (request.url?.startsWith('/.well-known/') === true) json(response, 404, {})
    else json(response, 401, {}, challenge === '' ? {} : { 'www-authenticate': challenge ?? right })
  }
}

interface Row {
  readonly name: string
  readonly server: () => RequestListener | Promise<RequestListener>
  /** @default /mcp */
  readonly path?: string
  readonly check: string
  readonly verdict: 'fault' | 'warning'
  readonly evidence: string
  readonly advice: string
}

const BROKEN: readonly Row[] = [
  {
    name: 'a path that the server does not have',
    server: () => jetway(),
    path: '/',
    check: 'endpoint',
    verdict: 'fault',
    evidence: 'was answered with 404',
    advice: '/mcp',
  },
  {
    name: 'a path with a page for browsers',
    server: () => always(200, { 'content-type': 'text/html' }, '<html></html>'),
    check: 'endpoint',
    verdict: 'fault',
    evidence: '200 and text/html',
    advice: 'path',
  },
  {
    name: 'a server that answers only at /sse',
    server: () => (request, response) =>
      request.url === '/sse'
        ? void response
            .writeHead(200, { 'content-type': 'text/event-stream' })
            .write('event: endpoint\ndata: /message\n\n')
        : void response.writeHead(404).end(),
    check: 'endpoint',
    verdict: 'fault',
    evidence: '404',
    advice: '/sse',
  },
  {
    name: 'a server that supports only HTTP+SSE',
    server: () => (request, response) =>
      request.method === 'GET'
        ? void response
            .writeHead(200, { 'content-type': 'text/event-stream' })
            .write('event: endpoint\ndata: /message\n\n')
        : void response.writeHead(405).end(),
    check: 'transport',
    verdict: 'warning',
    evidence: '405 for POST',
    advice: 'Streamable HTTP',
  },
  {
    name: 'a redirect that turns POST into GET',
    server: () => always(301, { location: '/mcp/' }),
    check: 'redirect',
    verdict: 'fault',
    evidence: '301',
    advice: '/mcp/',
  },
  {
    name: 'a redirect to another origin',
    server: () => always(308, { location: 'https://mcp.example.com/mcp?key=s3cret' }),
    check: 'redirect',
    verdict: 'fault',
    evidence: 'Authorization',
    advice: 'https://mcp.example.com/mcp',
  },
  {
    name: 'a redirect that not all clients follow',
    server: () => always(307, { location: '/mcp/' }),
    check: 'redirect',
    verdict: 'warning',
    evidence: '307',
    advice: '/mcp/',
  },
  {
    name: 'a proxy whose server is not running',
    server: () => always(502, { 'content-type': 'text/html' }),
    check: 'endpoint',
    verdict: 'fault',
    evidence: '502',
    advice: 'logs',
  },
  {
    name: 'a server that limits requests',
    server: () => always(429),
    check: 'endpoint',
    verdict: 'fault',
    evidence: '429',
    advice: 'Wait',
  },
  {
    name: 'a connection that is cut for a foreign Origin',
    server: () =>
      inFront(jetway(), (request, _response, next) =>
        request.headers.origin?.includes('attacker') === true ? request.socket.destroy() : next(),
      ),
    check: 'origin',
    verdict: 'warning',
    evidence: 'ECONNRESET',
    advice: 'logs',
  },
  {
    name: 'a server that refuses its host name',
    server: () => jetway({ allowedHosts: ['mcp.example.com'] }),
    check: 'endpoint',
    verdict: 'fault',
    evidence: 'This Host is not allowed',
    advice: 'publicUrl',
  },
  {
    name: 'a server that answers a foreign Origin and a foreign Host',
    server: () =>
      inFront(jetway({ allowedHosts: ['*'] }), (request, _response, next) => {
        delete request.headers.origin
        next()
      }),
    check: 'origin',
    verdict: 'fault',
    evidence: 'https://attacker.example',
    advice: '403',
  },
  {
    name: 'a server that checks only the Host header',
    server: () =>
      inFront(jetway(), (request, _response, next) => {
        delete request.headers.origin
        next()
      }),
    check: 'origin',
    verdict: 'warning',
    evidence: 'foreign Host',
    advice: '403',
  },
  {
    name: 'an unknown session that is answered with 400',
    server: () => withHead((status) => (status === 404 ? 400 : status)),
    check: 'session-id',
    verdict: 'fault',
    evidence: '400',
    advice: '404',
  },
  {
    name: 'a DELETE that fails',
    server: () =>
      inFront(jetway(), (request, response, next) =>
        request.method === 'DELETE' ? response.writeHead(500).end() : next(),
      ),
    check: 'session-end',
    verdict: 'warning',
    evidence: '500',
    advice: '405',
  },
  {
    name: 'a session id that browsers cannot read',
    server: () =>
      inFront(jetway(), (request, response, next) => {
        response.setHeader('access-control-allow-origin', request.headers.origin ?? '*')
        next()
      }),
    check: 'cors',
    verdict: 'warning',
    evidence: 'missing',
    advice: 'Mcp-Session-Id',
  },
  {
    name: 'streams that a proxy holds back',
    server: () =>
      inFront(jetway(), (_request, response, next) => {
        const end = response.end.bind(response)
        const kept: unknown[] = []
        response.flushHeaders = () => {}
        response.write = ((chunk: unknown) => kept.push(chunk) > 0) as never
        response.end = ((chunk?: unknown) =>
          end(Buffer.concat([...kept, chunk ?? ''].map((each) => Buffer.from(each as string))))) as never
        next()
      }),
    check: 'stream',
    verdict: 'fault',
    evidence: 'subscriptions/listen',
    advice: 'proxy_buffering off',
  },
  {
    name: 'streams that are compressed',
    server: () =>
      withHead((status, headers) => {
        if (isStream(headers)) headers['content-encoding'] = 'gzip'
        return status
      }),
    check: 'stream-encoding',
    verdict: 'fault',
    evidence: 'gzip',
    advice: 'Do not compress',
  },
  {
    name: 'streams that a proxy may change',
    server: () =>
      withHead((status, headers) => {
        if (isStream(headers)) headers['cache-control'] = 'no-cache'
        return status
      }),
    check: 'stream-cache',
    verdict: 'warning',
    evidence: 'Cache-Control: no-cache',
    advice: 'no-transform',
  },
  {
    name: 'silent streams',
    server: () => jetway({ streams: { keepAlive: false } }),
    check: 'keep-alive',
    verdict: 'warning',
    evidence: 'nothing came',
    advice: 'comment',
  },
  {
    name: 'a refusal without a challenge',
    server: () => refusing({ challenge: '' }),
    check: 'authorization',
    verdict: 'fault',
    evidence: '401 without WWW-Authenticate',
    advice: 'resource_metadata',
  },
  {
    name: 'a challenge without the metadata',
    server: () => refusing({ challenge: 'Bearer' }),
    check: 'authorization',
    verdict: 'warning',
    evidence: 'no resource_metadata',
    advice: 'resource_metadata',
  },
  {
    name: 'metadata that does not exist',
    server: () => refusing({ challenge: 'Bearer resource_metadata="/.well-known/nothing"' }),
    check: 'resource-metadata',
    verdict: 'fault',
    evidence: '/.well-known/nothing, which the challenge names, was answered with 404',
    advice: 'Serve the metadata',
  },
  {
    name: 'a missing audience',
    server: () => refusing({ metadata: ({ authorization_servers = [] }) => ({ authorization_servers }) }),
    check: 'audience',
    verdict: 'fault',
    evidence: 'no resource',
    advice: 'publicUrl',
  },
  {
    name: "another server's audience",
    server: () =>
      refusing({ metadata: (document) => ({ ...document, resource: 'https://mcp.example.com/mcp' }) }),
    check: 'audience',
    verdict: 'fault',
    evidence: 'https://mcp.example.com/mcp',
    advice: 'publicUrl',
  },
  {
    name: 'metadata without authorization servers',
    server: () => refusing({ metadata: ({ resource = '' }) => ({ resource }) }),
    check: 'authorization-server',
    verdict: 'fault',
    evidence: 'no authorization_servers',
    advice: 'issuer',
  },
  {
    name: 'an authorization server that is not running',
    server: async () => {
      const issuer = `http://127.0.0.1:${await freePort()}`
      return refusing({ metadata: (document) => ({ ...document, authorization_servers: [issuer] }) })
    },
    check: 'authorization-server',
    verdict: 'fault',
    evidence: 'ECONNREFUSED',
    advice: 'issuer',
  },
  {
    name: 'an authorization server without https',
    server: () =>
      refusing({ metadata: (document) => ({ ...document, authorization_servers: ['http://10.0.0.1'] }) }),
    check: 'authorization-server',
    verdict: 'fault',
    evidence: 'http://10.0.0.1 is no https URL',
    advice: 'https',
  },
  {
    name: 'an authorization server without PKCE',
    server: async () => (await protectedServer({ code_challenge_methods_supported: ['plain'] })).listener,
    check: 'authorization-server',
    verdict: 'fault',
    evidence: 'S256',
    advice: 'PKCE',
  },
  {
    name: 'an authorization server with a different issuer name',
    server: async () => (await protectedServer({ issuer: 'https://other.example' })).listener,
    check: 'authorization-server',
    verdict: 'fault',
    evidence: 'https://other.example',
    advice: 'exactly',
  },
]

describe('checkUrl', () => {
  it.each(BROKEN)('reports $name', async ({ server, path = '/mcp', check, verdict, evidence, advice }) => {
    const origin = await serve(await server())
    const findings = await checkUrl(`${origin}${path}`)
    expect(problems(findings)).toEqual([
      {
        check,
        verdict,
        evidence: expect.stringContaining(evidence),
        advice: expect.stringContaining(advice),
      },
    ])
    expect(JSON.stringify(findings)).not.toContain('s3cret')
  })

  it.each([
    ['http', 'ECONNREFUSED', 'Start the server'],
    ['https', 'EPROTO', 'TLS'],
  ])('reports a port that does not speak %s', async (scheme, evidence, advice) => {
    const port = scheme === 'http' ? await freePort() : new URL(await serve(scripted({}))).port
    expect(await checkUrl(`${scheme}://127.0.0.1:${port}/mcp`)).toEqual([
      {
        check: 'connection',
        verdict: 'fault',
        evidence: expect.stringContaining(evidence),
        advice: expect.stringContaining(advice),
      },
    ])
  })

  it('makes jetway doctor exit with code 1 if it finds a fault', async () => {
    const origin = await serve(scripted({ initialize: () => ({ code: -32603, message: 'No database' }) }))
    const { stdout, exitCode } = await runCli(['doctor', `${origin}/mcp`, '--json'])
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      sections: [{ findings: [{ check: 'endpoint', evidence: expect.stringContaining('No database') }] }],
    })
    expect(exitCode).toBe(1)
    const healthy = await runCli(['doctor', `${await serve(jetway())}/mcp`])
    expect(healthy).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('up to 20 s') })
    expect(healthy.stdout).toMatch(/✓ keep-alive[^]*✓ revisions[^]*✓ list-size[^]*No fault found/)
  })

  it('ends every session that it opens', async () => {
    const opened: unknown[] = []
    const ended: unknown[] = []
    const listener = jetway({ allowedHosts: ['*'], allowedOrigins: ['*'] })
    const origin = await serve(
      inFront(listener, (request, response, next) => {
        response.setHeader('access-control-allow-origin', '*')
        if (request.method === 'DELETE') ended.push(request.headers['mcp-session-id'])
        response.on('finish', () => {
          const id = response.getHeader('mcp-session-id')
          if (request.method === 'POST' && id !== undefined) opened.push(id)
        })
        next()
      }),
    )
    await checkUrl(`${origin}/mcp`)
    expect(new Set(opened).size).toBeGreaterThan(2)
    expect(new Set(ended)).toEqual(new Set(opened))
  })

  it('tries the usual paths without sending the token', async () => {
    const tokens = new Map<string | undefined, string | undefined>()
    const origin = await serve((request, response) => {
      tokens.set(request.url, request.headers.authorization)
      response.writeHead(404).end()
    })
    await checkUrl(`${origin}/other`, { headers: { authorization: 'Bearer s3cret' } })
    expect(tokens).toEqual(
      new Map([
        ['/other', 'Bearer s3cret'],
        ['/mcp', undefined],
        ['/sse', undefined],
      ]),
    )
  })

  it('reports a refused token without printing it or sending it elsewhere', async () => {
    const { listener, seen } = await protectedServer()
    const seenHere: unknown[] = []
    const origin = await serve(
      inFront(listener, (request, _response, next) => {
        if (request.url !== '/mcp') seenHere.push(request.headers)
        next()
      }),
    )
    const findings = await checkUrl(`${origin}/mcp`, {
      headers: { authorization: 'Bearer s3cret', 'x-api-key': 's3cret' },
    })
    expect(problems(findings)).toMatchObject([{ check: 'token', verdict: 'fault' }])
    expect(seenHere.length).toBeGreaterThan(0)
    expect(seen.length).toBeGreaterThan(0)
    expect(JSON.stringify([findings, seen, seenHere])).not.toContain('s3cret')
  })
})
