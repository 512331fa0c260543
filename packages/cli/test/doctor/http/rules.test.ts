import type { IncomingMessage, RequestListener } from 'node:http'
import { describe, expect, it } from 'vitest'
import { checkCors } from '../../../src/doctor/http/cors.ts'
import { mediaType, shown } from '../../../src/doctor/http/exchange.ts'
import { readDocument } from '../../../src/doctor/http/metadata.ts'
import { checkOrigin } from '../../../src/doctor/http/origin.ts'
import { checkSession, checkSessionEnd } from '../../../src/doctor/http/session-rules.ts'
import { openServer, sessionIdOf, tryInitialize } from '../../../src/doctor/http/sessions.ts'
import { hasToken, initializeMessage, isLoopback, post, withoutToken } from '../../../src/doctor/http/site.ts'
import { json, serve } from '../support/remote.ts'
import { siteAt } from '../support/site.ts'

const OPENING = { jsonrpc: '2.0', id: 1, result: { protocolVersion: '2025-06-18' } }
const METHOD = (request: IncomingMessage): string => request.method ?? ''
const listening = async (listener: RequestListener) => siteAt(`${await serve(listener)}/mcp`)

describe('checkCors', () => {
  const ALLOWED = { 'access-control-allow-origin': '*' }
  const WITH_SESSION = { ...ALLOWED, 'mcp-session-id': 'a' }
  const EXPOSED = 'access-control-expose-headers'
  const CREDENTIALS = { 'access-control-allow-credentials': 'true' }
  const skipped = { verdict: 'skipped', evidence: 'the server allows no clients in browsers' }
  const allowed = { verdict: 'ok', evidence: 'allows http://localhost:6274' }
  const hidden = (text: string) => ({
    verdict: 'warning',
    evidence: `Access-Control-Expose-Headers: ${text}`,
  })

  it.each<readonly [string, status: number, preflight: object, posted: object, object]>([
    ['skips a server that allows no origins', 204, {}, ALLOWED, skipped],
    ['skips a server that refuses the preflight', 300, ALLOWED, ALLOWED, skipped],
    [
      'skips a server that allows origins for OPTIONS only',
      299,
      ALLOWED,
      {},
      { verdict: 'warning', evidence: expect.stringContaining('but POST has not') },
    ],
    ['accepts a server without sessions', 200, ALLOWED, ALLOWED, allowed],
    ['reports a session id that pages cannot read', 204, ALLOWED, WITH_SESSION, hidden('missing')],
    [
      'reports a session id that is missing in the exposed headers',
      204,
      ALLOWED,
      { ...WITH_SESSION, [EXPOSED]: 'x-session' },
      hidden('x-session'),
    ],
    [
      'accepts a session id in the exposed headers',
      204,
      ALLOWED,
      { ...WITH_SESSION, [EXPOSED]: 'X-A , Mcp-Session-Id' },
      allowed,
    ],
    ['accepts a wildcard for exposed headers', 204, ALLOWED, { ...WITH_SESSION, [EXPOSED]: '*' }, allowed],
    [
      'reports a wildcard with credentials',
      204,
      ALLOWED,
      { ...WITH_SESSION, ...CREDENTIALS, [EXPOSED]: '*' },
      hidden('*'),
    ],
    [
      'accepts an exposed session id with credentials',
      204,
      ALLOWED,
      { ...WITH_SESSION, ...CREDENTIALS, [EXPOSED]: 'mcp-session-id' },
      allowed,
    ],
  ])('%s', async (_, status, preflight, posted, expected) => {
    const site = await listening((request, response) =>
      METHOD(request) === 'OPTIONS'
        ? void response.writeHead(status, { ...preflight }).end()
        : json(response, 200, OPENING, posted),
    )
    expect(await checkCors(site)).toMatchObject([{ check: 'cors', ...expected }])
  })

  it('sends the Origin of a public server', async () => {
    const seen: unknown[] = []
    const { url } = await listening((request, response) => {
      seen.push(request.headers.origin)
      json(response, 200, OPENING, ALLOWED)
    })
    const site = siteAt(`http://0.0.0.0:${url.port}/mcp`)
    await checkCors(site)
    expect(seen).toEqual([site.url.origin, site.url.origin])
  })
})

describe('checkOrigin', () => {
  /** Replies with one status to a foreign Origin, and with another to a foreign Host. */
  const answering =
    (origin: number, host: number): RequestListener =>
    (request, response) =>
      json(response, request.headers.host === 'attacker.example' ? host : origin, OPENING)

  it.each([
    [400, 200, 'ok', 'with 400'],
    [499, 200, 'ok', 'with 499'],
    [399, 200, 'fault', 'with 399: any website'],
    [500, 200, 'fault', 'with 500: any website'],
    [200, 403, 'warning', 'with 200, and with a foreign Host, too, with 403'],
  ])(
    'rates replies to a foreign Origin (%i) and a foreign Host (%i)',
    async (origin, host, verdict, evidence) => {
      expect(await checkOrigin(await listening(answering(origin, host)))).toMatchObject([
        { check: 'origin', verdict, evidence: expect.stringContaining(evidence) },
      ])
    },
  )

  it('reports a warning instead of a fault for a server that is not on loopback', async () => {
    const { url } = await listening(answering(200, 200))
    expect(await checkOrigin(siteAt(`http://0.0.0.0:${url.port}/mcp`))).toMatchObject([
      { verdict: 'warning' },
    ])
  })
})

describe('the session checks', () => {
  const opened = { reply: {} as never, replyMs: 0, session: {}, sessionId: 'a', isModern: false }

  it.each([
    [200, 'ok'],
    [299, 'ok'],
    [405, 'ok'],
    [300, 'warning'],
    [404, 'warning'],
  ])('rate the status %i for DELETE as %s', async (status, verdict) => {
    const site = await listening((_, response) => response.writeHead(status).end())
    expect(await checkSessionEnd(site, opened)).toMatchObject([
      { check: 'session-end', verdict, evidence: `DELETE was answered with ${status}` },
    ])
  })

  it('are skipped for a server without sessions', async () => {
    const site = siteAt('http://127.0.0.1:1/mcp')
    expect(await checkSessionEnd(site, { ...opened, sessionId: undefined })).toEqual([])
    expect(await checkSession(site, { ...opened, sessionId: undefined })).toMatchObject([
      { verdict: 'skipped' },
    ])
  })

  it("send an unknown session id together with the session's other headers", async () => {
    const seen: unknown[] = []
    const site = await listening(({ headers }, response) => {
      seen.push(headers['mcp-session-id'], headers['mcp-protocol-version'])
      response.writeHead(404).end()
    })
    const session = { 'mcp-session-id': 'a', 'mcp-protocol-version': 'b' }
    expect(await checkSession(site, { ...opened, session })).toMatchObject([{ verdict: 'ok' }])
    expect(seen).toEqual([expect.stringMatching(/^[\da-f-]{36}$/), 'b'])
  })

  it.each([
    [{ 'mcp-session-id': 'a' }, 'a'],
    [{ 'mcp-session-id': '' }, undefined],
    [{}, undefined],
  ])('read the session id from the reply headers %j', (headers, id) => {
    expect(sessionIdOf({ status: 200, headers, text: '' })).toBe(id)
  })

  it.each<readonly [string, object, headers: object, ended: readonly unknown[]]>([
    ['opened with a version', OPENING, { 'mcp-session-id': 'a' }, [['a', '2025-06-18']]],
    [
      'opened without a version',
      { ...OPENING, result: {} },
      { 'mcp-session-id': 'a' },
      [['a', '2025-11-25']],
    ],
    ['not after an error', { error: {} }, { 'mcp-session-id': 'a' }, []],
    ['not if it has no id', OPENING, {}, []],
  ])('end the session that tryInitialize has opened: %s', async (_, body, headers, expected) => {
    const ended: unknown[] = []
    const site = await listening((request, response) => {
      if (METHOD(request) === 'DELETE')
        ended.push([request.headers['mcp-session-id'], request.headers['mcp-protocol-version']])
      json(response, 200, body, headers)
    })
    await tryInitialize(site, {})
    expect(ended).toEqual(expected)
  })

  it('accept a server that drops the connection after unknown requests', async () => {
    const site = await listening((request) => request.socket.destroy())
    const reply = { status: 200, headers: {}, text: '', response: OPENING }
    expect(await openServer(site, reply, 7)).toEqual({
      reply,
      replyMs: 7,
      session: { 'mcp-protocol-version': '2025-06-18' },
      sessionId: undefined,
      isModern: false,
    })
    expect(await openServer(site, { ...reply, response: { error: {} } }, 7)).toBeUndefined()
  })
})

describe('Site', () => {
  it.each([
    ['http://localhost', true],
    ['http://a.localhost', true],
    ['http://127.9.8.7', true],
    ['http://[::1]', true],
    ['http://localhost.example', false],
    ['http://0.0.0.0', false],
    ['http://notlocalhost', false],
    ['http://127.0.0.1.example', false],
  ])('isLoopback(%s) returns %j', (url, expected) => {
    expect(isLoopback(new URL(url))).toBe(expected)
  })

  it('finds the token in Authorization regardless of case', () => {
    const site = siteAt('http://h', { AUTHORIZATION: 'a', 'x-b': 'b' })
    expect([hasToken(site), hasToken(withoutToken(site))]).toEqual([true, false])
    expect(withoutToken(site).headers).toEqual({ 'x-b': 'b' })
  })

  it("sends the user's headers unless a check sets its own", async () => {
    const seen: unknown[] = []
    const { url } = await listening(({ headers }, response) => {
      seen.push([headers['x-a'], headers['content-type'], headers.origin])
      response.end()
    })
    const site = siteAt(url.href, { 'x-a': 'b', 'content-type': 'text/plain', origin: 'c' })
    await post(site, {})
    await post(site, {}, { origin: 'd' })
    expect(seen).toEqual([
      ['b', 'application/json', 'c'],
      ['b', 'application/json', 'd'],
    ])
  })

  it.each<readonly [string, type: string, text: string, object | undefined]>([
    ['JSON', 'application/json', '{"result":1}', { result: 1 }],
    ['JSON with an error', 'APPLICATION/JSON; a=b', '{"error":1}', { error: 1 }],
    [
      'an event after another',
      'text/event-stream',
      'data: {"method":"a"}\n\ndata: {"result":1}\n\n',
      { result: 1 },
    ],
    ['events with another type', 'application/json', 'data: {"result":1}\n\n', undefined],
    ['a list', 'application/json', '[{"result":1}]', undefined],
    ['neither a result nor an error', 'application/json', '{"id":1}', undefined],
    ['a page', 'text/html', '<html>', undefined],
  ])('reads a response from a body that is %s', async (_, type, text, expected) => {
    const site = await listening((_request, response) =>
      response.writeHead(200, { 'content-type': type }).end(text),
    )
    const { response } = await post(site, initializeMessage())
    expect(response).toEqual(expected)
  })

  it('stops reading after the response', async () => {
    const site = await listening((_, response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {"result":1}\n\n'),
    )
    expect((await post(site, {})).response).toEqual({ result: 1 })
  })

  it.each([
    [200, '{"a":1}', { document: { a: 1 }, problem: '' }],
    [200, '[]', { document: undefined, problem: 'is no JSON object' }],
    [200, '{', { document: undefined, problem: 'is no JSON object' }],
    [201, '{"a":1}', { document: undefined, problem: 'was answered with 201' }],
  ])(
    'readDocument, for the status %i and the body %s, returns the document or the problem',
    async (status, text, expected) => {
      const site = await listening((_, response) => response.writeHead(status).end(text))
      expect(await readDocument(site, site.url)).toEqual(expected)
    },
  )
})

it.each([
  [{}, ''],
  [{ 'content-type': 'Text/HTML ; charset=utf-8' }, 'text/html'],
])('mediaType(%j) returns %j', (headers, type) => {
  expect(mediaType(headers)).toBe(type)
})

it('shown() removes the credentials, the query and the fragment from a URL', () => {
  expect(shown('https://u:p@h:8/a?b=c#d')).toBe('https://h:8/a')
})
