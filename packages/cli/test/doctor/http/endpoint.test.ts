import type { RequestListener } from 'node:http'
import { describe, expect, it } from 'vitest'
import { connectionFinding, noServerFinding, refusalFinding } from '../../../src/doctor/http/endpoint.ts'
import { NoReplyError } from '../../../src/doctor/http/exchange.ts'
import type { RpcReply } from '../../../src/doctor/http/site.ts'
import { json, serve } from '../support/remote.ts'
import { siteAt } from '../support/site.ts'

const reply = (status: number, headers: RpcReply['headers'] = {}, error?: unknown): RpcReply => ({
  status,
  headers,
  text: '',
  response: error === undefined ? undefined : { error: error as never },
})

describe('connectionFinding', () => {
  it.each([
    ['CERT_HAS_EXPIRED', 'https://h', 'Renew'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'https://h', 'for this host name'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'https://h', 'of a public authority'],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'https://h', 'intermediate certificates'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'https://h', 'intermediate certificates'],
    ['EPROTO', 'https://h', 'the port speaks TLS'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'https://h', 'the port speaks TLS'],
    ['TIMEOUT', 'https://h', 'Look in the logs'],
    ['ENOTFOUND', 'https://h', 'Check the host name'],
    ['EAI_AGAIN', 'https://h', 'Check the host name'],
    ['ECONNREFUSED', 'https://h', 'Start the server'],
    ['ECONNRESET', 'http://h', 'Try the URL with https'],
    ['ECONNRESET', 'https://h', 'the port speaks HTTP'],
    ['ECONNRESET', 'http://localhost', 'the port speaks HTTP'],
  ])('returns advice for the error %s at %s', (code, url, advice) => {
    const error = new NoReplyError(code, 'x'.repeat(201))
    expect(connectionFinding(siteAt(`${url}/mcp?key=s3cret`), error)).toEqual({
      check: 'connection',
      verdict: 'fault',
      evidence: `${url}: ${code}: ${'x'.repeat(200)}…`,
      advice: expect.stringContaining(advice),
    })
  })
})

describe('refusalFinding', () => {
  const site = siteAt('https://h/mcp?key=s3cret')

  it.each([[200], [299], [400], [402], [404], [500]])('returns undefined for the status %i', (status) => {
    expect(refusalFinding(site, reply(status, { location: '/' }))).toBeUndefined()
  })

  it.each<readonly [number, string | undefined, verdict: string, evidence: string, advice: string]>([
    [
      300,
      '/a',
      'fault',
      'POST https://h/mcp → 300 https://h/a: clients repeat it as GET',
      'Use the URL https://h/a',
    ],
    [
      303,
      '/a?b=c',
      'fault',
      'POST https://h/mcp → 303 https://h/a: clients repeat',
      'Use the URL https://h/a',
    ],
    [307, '/a', 'warning', '307 https://h/a: not all clients repeat the body', 'Use the URL https://h/a'],
    [308, 'a', 'warning', '308 https://h/a: not all clients repeat the body', 'Use the URL https://h/a'],
    [399, '/a', 'fault', '399 https://h/a: clients repeat', 'Use the URL https://h/a'],
    [
      308,
      'http://h/mcp',
      'fault',
      '308 http://h/mcp: clients do not send Authorization',
      'Use the URL http://h/mcp',
    ],
    [302, undefined, 'fault', '302 without a location', 'Answer POST requests'],
    [302, 'https://', 'fault', '302 without a location', 'Answer POST requests'],
  ])(
    'reports the status %i with the location %s as a redirect',
    (status, location, verdict, evidence, advice) => {
      expect(refusalFinding(site, reply(status, location === undefined ? {} : { location }))).toEqual({
        check: 'redirect',
        verdict,
        evidence: expect.stringContaining(evidence),
        advice: expect.stringContaining(advice),
      })
    },
  )

  it.each([
    [undefined, ''],
    ['no', ''],
    [{ message: 1 }, ''],
    [{ message: 'No' }, ': No'],
    [{ message: 'x'.repeat(201) }, `: ${'x'.repeat(200)}…`],
  ])('quotes the error of a 403: %j', (error, quoted) => {
    expect(refusalFinding(site, reply(403, {}, error))).toMatchObject({
      check: 'endpoint',
      verdict: 'fault',
      evidence: `initialize was answered with 403${quoted}`,
    })
  })

  it.each([
    [500, 'Check the logs'],
    [599, 'Check the logs'],
    [429, 'Wait'],
    [406, 'Accept JSON'],
    [415, 'Accept JSON'],
  ])('reports the status %i without sending another request', async (status, advice) => {
    expect(
      await noServerFinding(siteAt('http://127.0.0.1:1/mcp'), reply(status, {}, { message: 'No' })),
    ).toEqual({
      check: 'endpoint',
      verdict: 'fault',
      evidence: `initialize was answered with ${status}: No`,
      advice: expect.stringContaining(advice),
    })
  })
})

describe('noServerFinding', () => {
  const result = { jsonrpc: '2.0', id: 1, result: {} }
  const events =
    (text: string, type = 'text/event-stream; charset=utf-8'): RequestListener =>
    (_, response) =>
      void response.writeHead(200, { 'content-type': type }).end(text)
  const OTHER_PATH = 'Check the path of the URL'

  it.each<readonly [string, asked: string, at: string, RequestListener, advice: string]>([
    ['any server', '/x', '/mcp', (_, response) => json(response, 200, result), 'Use the URL ~/mcp'],
    [
      'a server that requires a token',
      '/x',
      '/mcp',
      (_, response) => json(response, 401, {}),
      'Use the URL ~/mcp',
    ],
    ['another error', '/x', '/mcp', (_, response) => json(response, 400, {}), OTHER_PATH],
    [
      'the server at the requested path',
      '/mcp',
      '/mcp',
      (_, response) => json(response, 401, {}),
      OTHER_PATH,
    ],
    ['an older server', '/x', '/sse', events('event: endpoint\ndata: /m\n\n'), 'Use the URL ~/sse'],
    [
      'an older server with CRLF',
      '/mcp',
      '/sse',
      events('event:endpoint\r\ndata: /m\r\n\r\n'),
      'Use the URL ~/sse',
    ],
    ['other events', '/x', '/sse', events('event: endpoints\ndata: /m\n\n'), OTHER_PATH],
    ['another media type', '/x', '/sse', events('event: endpoint\ndata: /m\n\n', 'text/plain'), OTHER_PATH],
  ])(
    'for %s, gives advice about the URL: requested at %s, served at %s',
    async (_, asked, at, listener, advice) => {
      const origin = await serve((request, response) =>
        request.url === at ? listener(request, response) : void response.writeHead(404).end(),
      )
      const finding = await noServerFinding(
        siteAt(`${origin}${asked}`),
        reply(404, { 'content-type': 'text/html; a' }),
      )
      expect(finding).toMatchObject({
        check: 'endpoint',
        verdict: 'fault',
        evidence: `POST ${origin}${asked} was answered with 404 and text/html`,
        advice: expect.stringContaining(advice.replace('~', origin)),
      })
    },
  )

  it('finds an HTTP+SSE server even if its stream does not end', async () => {
    const origin = await serve(
      (_, response) =>
        void response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .write('event: endpoint\r\ndata: /m\r\n\r\n'),
    )
    expect(await noServerFinding(siteAt(`${origin}/sse`), reply(405))).toMatchObject({
      check: 'transport',
      verdict: 'warning',
      evidence: expect.stringContaining('405 for POST'),
    })
  })
})
