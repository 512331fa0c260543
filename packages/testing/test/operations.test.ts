import { silent } from '@jetway-apps/test-support'
import { callFrame, openSession as openedSession, post as postTo } from '@jetway-apps/test-support/http'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { PassThrough } from 'node:stream'
import { listenForTest, MOUNTS, originOf } from '@jetway-apps/test-support/mounts'
import { elicit, McpServer, type ServerOptions } from '@jetway/core'
import type { Overflowed, Rejected } from '@jetway/core/http'
import { mcp as fastifyMcp } from '@jetway/fastify'
import { mcp as honoMcp } from '@jetway/hono'
import { serveStdio } from '@jetway/stdio'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'

const create = (options: ServerOptions = {}, name = 'ops'): McpServer => {
  const server = new McpServer({ name, version: '1' }, { logger: silent, ...options })
  onTestFinished(() => server.close({ deadline: 0 }))
  return server
}

/** Uses node:http, because fetch does not allow a custom Host header. */
function send(
  url: string,
  { method = 'GET', headers = {}, body = '' }: { method?: string; headers?: object; body?: string } = {},
): Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method, headers: { ...headers } }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

const JSON_POST = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const INITIALIZE = {
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}
const frame = (message: object): string => JSON.stringify({ jsonrpc: '2.0', ...message })
const post = (origin: string, message: object, headers: object = {}): ReturnType<typeof send> =>
  send(`${origin}/mcp`, { method: 'POST', headers: { ...JSON_POST, ...headers }, body: frame(message) })

async function openSession(origin: string, headers: object = {}): Promise<object> {
  const opened = await post(origin, INITIALIZE, headers)
  return {
    ...headers,
    'mcp-session-id': opened.headers['mcp-session-id'],
    'mcp-protocol-version': '2025-06-18',
  }
}
const callOf = (name: string, id = 2): object => ({ id, method: 'tools/call', params: { name } })

describe.each(Object.entries(MOUNTS))('a mount on %s', (_name, mount) => {
  it('responds to health probes without authentication, with the status for GET and HEAD', async () => {
    const { origin, handle } = await mount(create(), {
      health: true,
      authenticate: () => undefined,
      allowedHosts: ['mcp.example.com'],
    })
    for (const path of ['/livez', '/readyz']) {
      const headers = { host: '10.1.2.3:8080', origin: 'https://evil.example' }
      const answer = await send(origin + path, { headers })
      expect(answer).toMatchObject({ status: 200, body: '{"status":"ok"}' })
      expect(answer.headers['content-type']).toMatch(/^application\/json/)
      expect(answer.headers['cache-control']).toBe('no-store')
      expect(await send(origin + path, { method: 'HEAD' })).toMatchObject({ status: 200, body: '' })
      const refused = await send(origin + path, { method: 'POST', headers: JSON_POST, body: '{}' })
      expect(refused).toMatchObject({ status: 405, body: '' })
      expect(refused.headers['allow']).toBe('GET, HEAD')
    }
    expect((await post(origin, INITIALIZE)).status).toBe(403)
    expect(handle.stats().refusals).toEqual({ forbiddenHost: 1 })
  })

  it('responds to probes only at the configured paths, and not at all by default', async () => {
    const plain = await mount(create(), {})
    // toFetch ignores the path, so it treats this as a request for the MCP endpoint.
    expect((await send(`${plain.origin}/livez`)).status).not.toBe(200)
    const named = await mount(create(), { health: { livez: '/health/up', readyz: '/health/ready' } })
    expect((await send(`${named.origin}/health/up?verbose`)).status).toBe(200)
    expect((await send(`${named.origin}/health/ready`)).status).toBe(200)
    expect((await send(`${named.origin}/livez`)).status).not.toBe(200)
    await named.handle.close()
    expect((await send(`${named.origin}/health/up`)).status).toBe(200)
    expect((await send(`${named.origin}/health/ready`)).status).toBe(503)
  })

  it('passes `onError` the reference that the client received, for each kind of handler', async () => {
    const seen: [text: string, method: string, reference: string][] = []
    const server = create({
      onError: (error, ctx, reference) => seen.push([String(error), ctx.message.method, reference]),
    })
    const fail = (): never => {
      throw new Error('canary')
    }
    server.addTool({ name: 'throws', handler: fail })
    server.addTool({
      name: 'lies',
      outputSchema: { type: 'object', properties: { n: { type: 'number' } } },
      handler: () => ({ n: 'canary' }) as never,
    })
    server.addTool({ name: 'cycle', handler: () => 1n })
    server.addResource({ uri: 'x://bad', name: 'bad', handler: fail })
    server.addPrompt({ name: 'bad', handler: fail })
    server.use('prompts/list', fail)
    const { origin } = await mount(server, {})
    const session = await openSession(origin)
    const asked = [
      callOf('throws'),
      callOf('lies'),
      callOf('cycle'),
      { id: 3, method: 'resources/read', params: { uri: 'x://bad' } },
      { id: 4, method: 'prompts/get', params: { name: 'bad' } },
      { id: 5, method: 'prompts/list' },
    ]
    const shown: (string | undefined)[] = []
    for (const message of asked) {
      const { body } = await post(origin, message, session)
      expect(body).not.toContain('canary')
      shown.push(/reference ([\w-]+)/.exec(body)?.[1])
    }
    expect(shown).toEqual(seen.map(([, , reference]) => reference))
    expect(new Set(shown).size).toBe(asked.length)
    expect(seen.map(([, method]) => method)).toEqual([
      'tools/call',
      'tools/call',
      'tools/call',
      'resources/read',
      'prompts/get',
      'prompts/list',
    ])
  })
})

describe('health probes in an app with routes', () => {
  it('are served under the prefix on Fastify, and do not affect routes, hooks or streams', async () => {
    const server = create()
    server.addTool({ name: 'talks', handler: async (_args, ctx) => (await ctx.progress(1), 'said') })
    const app = Fastify()
    app.addHook('onRequest', async (_request, reply) => void reply.header('x-hook', 'ran'))
    await app.register(fastifyMcp, { server, prefix: '/api', path: '/mcp', health: true })
    await app.listen({ port: 0, host: '127.0.0.1' })
    onTestFinished(() => app.close())
    const origin = originOf(app.server)
    expect((await send(`${origin}/livez`)).status).toBe(404)
    const alive = await send(`${origin}/api/livez`)
    expect(alive).toMatchObject({ status: 200, body: '{"status":"ok"}' })
    expect(alive.headers['x-hook']).toBe('ran')
    const session = await openSession(`${origin}/api`)
    const params = { name: 'talks', _meta: { progressToken: 1 } }
    const streamed = await post(`${origin}/api`, { id: 2, method: 'tools/call', params }, session)
    expect(streamed.headers['content-type']).toBe('text/event-stream')
    expect(streamed.body).toContain('said')
  })

  it('are served under the base path on Hono, and let other requests reach the app', async () => {
    const mountHandle = honoMcp({ server: create(), health: true })
    const inner = new Hono()
    inner.use(mountHandle)
    inner.get('/other', (c) => c.text('other'))
    const app = new Hono().route('/api', inner)
    const origin = await listenForTest(app.fetch)
    expect((await send(`${origin}/livez`)).status).toBe(404)
    expect((await send(`${origin}/api/livez`)).status).toBe(200)
    expect((await send(`${origin}/api/readyz`)).status).toBe(200)
    expect((await send(`${origin}/api/other`)).body).toBe('other')
  })

  it('work in a mount used as a route handler', async () => {
    const mountHandle = honoMcp({ server: create(), health: true })
    const app = new Hono().all('/ai', mountHandle).get('/livez', mountHandle)
    const origin = await listenForTest(app.fetch)
    expect((await send(`${origin}/livez`)).status).toBe(200)
    expect(
      (await send(`${origin}/ai`, { method: 'POST', headers: JSON_POST, body: frame(INITIALIZE) })).status,
    ).toBe(200)
  })
})

describe('a server on stdio', () => {
  /** Serves a client that reads nothing until `next` is called. */
  async function stdio(server: McpServer) {
    const [input, output] = [new PassThrough(), new PassThrough({ highWaterMark: 1_000 })]
    const handle = await serveStdio(server, { input, output, maxQueuedBytes: 1_000 })
    onTestFinished(() => handle.close({ deadline: 0 }))
    const lines: string[] = []
    let rest = ''
    const next = async (): Promise<unknown> => {
      while (lines.length === 0) {
        const chunk = output.read() as Buffer | null
        if (chunk === null) await once(output, 'readable')
        const parts = (rest + (chunk?.toString() ?? '')).split('\n')
        rest = parts.pop() ?? ''
        lines.push(...parts)
      }
      return JSON.parse(lines.shift() ?? '')
    }
    return { input, output, handle, next }
  }

  it('emits session, reject and overflow events, even if listeners throw', async () => {
    const server = create()
    const told: [string, unknown][] = []
    for (const event of ['session:open', 'session:close', 'reject', 'overflow'] as const) {
      server.on(event, (payload) => {
        told.push([event, payload])
        throw new Error('canary')
      })
    }
    server.addTool({
      name: 'chatty',
      async handler(_args, ctx) {
        for (let line = 0; line < 50; line++) {
          ctx.log.info('x'.repeat(1_000))
          await new Promise<void>((resolve) => setImmediate(resolve))
        }
        return 'done'
      },
    })
    const { input, handle, next } = await stdio(server)
    input.write(`not json\n${frame(callOf('chatty', 7))}\n[]\n${frame({ ...INITIALIZE, params: {} })}\n`)
    for (const code of [-32700, -32600, -32600, -32602])
      expect(await next()).toMatchObject({ error: { code } })
    const reasons = ['parseError', 'missingSession', 'missingSession', 'initializeRefused']
    const refusals = { parseError: 1, missingSession: 2, initializeRefused: 1 }
    expect(handle.stats()).toMatchObject({ sessions: 0, refusals })
    expect(told).toEqual(reasons.map((reason) => ['reject', { route: 'duplex', status: undefined, reason }]))
    input.write(`${frame(INITIALIZE)}\n`)
    expect(await next()).toMatchObject({ id: 1, result: { protocolVersion: '2025-06-18' } })
    expect(told.at(-1)).toMatchObject(['session:open', { client: 'test', revision: '2025-06-18' }])
    expect(handle.stats()).toMatchObject({ sessions: 1, queuedBytes: 0, draining: false })

    input.write(`${frame(callOf('chatty', 8))}\n`)
    await vi.waitFor(() => expect(told.map(([event]) => event)).toContain('overflow'))
    expect(handle.stats().queuedBytes).toBeGreaterThanOrEqual(1_000)
    const dropped = told.find(([event]) => event === 'overflow')?.[1] as Overflowed
    expect(dropped).toMatchObject({ queue: 'connection', action: 'drop', sessionId: expect.any(String) })
    expect(dropped.bytes).toBeGreaterThan(1_000)
    for (let message = await next(); ; message = await next())
      if ((message as { id?: number }).id === 8) break
    expect(handle.stats()).toMatchObject({ callsInFlight: 0 })

    input.end()
    await handle.closed
    expect(told.at(-1)?.[0]).toBe('session:close')
    expect(server.stats()).toMatchObject({ mounts: 0, sessions: 0, refusals })
  })

  it("refuses and counts requests beyond its limit while it waits for the client's roots", async () => {
    const server = create({ limits: { running: 1, inFlight: 1 } })
    const rejected: Rejected[] = []
    server.on('reject', (event) => rejected.push(event))
    server.addTool({ name: 'asks', handler: async (_args, ctx) => `${(await ctx.listRoots()).length} roots` })
    const { input, handle, next } = await stdio(server)
    const params = { ...INITIALIZE.params, capabilities: { roots: {} } }
    input.write(`${frame({ ...INITIALIZE, params })}\n`)
    await next()
    input.write(`${frame(callOf('asks'))}\n`)
    const question = (await next()) as { id: unknown; method: string }
    expect(question.method).toBe('roots/list')
    input.write(`${frame(callOf('asks', 3))}\n`)
    expect(await next()).toMatchObject({ id: 3, error: { code: -32603 } })
    expect(handle.stats()).toMatchObject({ callsInFlight: 1, refusals: { busy: 1 } })
    expect(rejected).toEqual([{ route: 'duplex', status: undefined, reason: 'busy' }])
    input.write(`${frame({ id: question.id, result: { roots: [] } })}\n`)
    expect(JSON.stringify(await next())).toContain('0 roots')
  })
})

it('a Fastify mount accepts responses while the app closes if `return503OnClosing` is off', async () => {
  const server = create()
  server.addTool({
    name: 'ask',
    asks: { sure: () => elicit('Sure?', z.object({ ok: z.boolean() })) },
    handler: (_args, { answers }) => (answers.sure.ok ? 'yes' : 'no'),
  })
  const app = Fastify({ return503OnClosing: false })
  onTestFinished(() => app.close())
  await app.register(fastifyMcp, { server })
  const url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/mcp`
  const session = await openedSession(url, { elicitation: {} })
  const { body } = await postTo(url, callFrame('ask'), session)
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  let received = ''
  while (!received.includes('elicitation/create')) received += (await reader?.read())?.value
  const question = JSON.parse(/data: (.*elicitation.*)/.exec(received)?.[1] ?? '') as { id: unknown }
  const closed = app.close()
  expect((await postTo(url, callFrame('ask'), session)).status).toBe(503)
  const answer = { jsonrpc: '2.0', id: question.id, result: { action: 'accept', content: { ok: true } } }
  expect((await postTo(url, JSON.stringify(answer), session)).status).toBe(202)
  while (!received.includes('"yes"')) received += (await reader?.read())?.value
  await closed
})
