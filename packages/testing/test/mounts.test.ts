import { PassThrough } from 'node:stream'
import { createServer, McpServer } from '@jetway/core'
import { createEndpoint, type HttpRequest, toFetch } from '@jetway/core/http'
import { mcp as fastifyMcp } from '@jetway/fastify'
import { mcp as honoMcp } from '@jetway/hono'
import { serveStdio } from '@jetway/stdio'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { describe, expect, it, onTestFinished } from 'vitest'

interface Mounted {
  readonly user: string
}

const info = { name: 'mounts', version: '1' }
const POST = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const call = (name: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } })

function typed(): McpServer<Mounted> {
  const server = new McpServer<Mounted>(info)
  server.addTool({ name: 'user', handler: (_args, ctx) => ctx.locals.user })
  return server
}

function tenant(name: string): McpServer<Mounted> {
  const server = typed()
  server.addTool({ name: 'tenant', handler: () => name })
  return server
}

const textIn = async (response: { json(): unknown }): Promise<unknown> =>
  ((await response.json()) as { result?: { content: readonly { text: string }[] } }).result?.content[0]?.text

describe("a mount's types", () => {
  it('require locals in every package if the server declares them', async () => {
    const server = typed()
    const input = new PassThrough()
    const app = Fastify()
    const never = async (): Promise<void> => {
      const request = {} as HttpRequest
      const body = () => new Uint8Array()
      // @ts-expect-error no mount
      await createEndpoint(server).handle(request, body)
      await createEndpoint(server).handle({ ...request, locals: { user: 'ada' } }, body)
      // @ts-expect-error another mount
      await createEndpoint(server).handle({ ...request, locals: { id: 1 } }, body)
      // @ts-expect-error no context
      toFetch(server)
      toFetch(server, { locals: () => ({ user: 'ada' }) })
      // @ts-expect-error another context
      toFetch(server, { locals: () => ({ id: 1 }) })
      // @ts-expect-error no context
      honoMcp({ server })
      honoMcp({ server, locals: () => ({ user: 'ada' }) })
      // @ts-expect-error no context
      await app.register(fastifyMcp, { server })
      await app.register(fastifyMcp, { server, locals: () => ({ user: 'ada' }) })
      // @ts-expect-error no mount
      await serveStdio(server)
      // @ts-expect-error no mount
      await serveStdio(server, { input })
      await serveStdio(server, { input, locals: { user: 'ada' } })
      // @ts-expect-error another mount
      await serveStdio(server, { input, locals: { id: 1 } })
      // @ts-expect-error no mount
      await server.handleMessage('{}')
      await server.handleMessage('{}', { locals: { user: 'ada' } })
      // @ts-expect-error a function that chooses servers needs them too
      toFetch(() => server)
      toFetch(() => server, { locals: () => ({ user: 'ada' }) })
      // @ts-expect-error a server that declares locals is not assignable to one without
      const plain: McpServer = server
      await plain.close()
    }
    expect(never).toBeTypeOf('function')
    await app.close()
  })

  it('do not require locals if the server does not declare any', () => {
    const server = new McpServer(info)
    expect(toFetch(server)).toBeTypeOf('function')
    expect(honoMcp({ server })).toBeTypeOf('function')
    expect(createEndpoint(server)).toBeDefined()
  })

  it('infer the type of ctx.app from the lifespan passed to createServer', async () => {
    const server = createServer<Mounted>()(info, { lifespan: async () => ({ rows: 5 }) })
    server.addTool({ name: 'both', handler: (_args, ctx) => `${ctx.locals.user} ${ctx.app.rows.toFixed(1)}` })
    // @ts-expect-error the lifespan opens no such thing
    server.addTool({ name: 'neither', handler: (_args, ctx) => String(ctx.app.columns) })
    const answer = await server.handleMessage(call('both'), { locals: { user: 'ada' } })
    expect(answer).toContain('ada 5.0')
  })
})

describe('a function in place of a server', () => {
  const [a, b] = [tenant('a'), tenant('b')]
  const choose = (name: string | undefined): McpServer<Mounted> | undefined =>
    name === 'a' ? a : name === 'b' ? b : undefined

  it('can select a server based on the Fastify request', async () => {
    const app = Fastify()
    onTestFinished(() => app.close())
    await app.register(fastifyMcp, {
      server: (request) => choose(request.headers['x-tenant'] as string | undefined),
      locals: (request) => ({ user: String(request.headers['x-user']) }),
      stateless: true,
    })
    const ask = async (headers: Record<string, string>, tool: string): Promise<Response> => {
      const url = await app.listen({ port: 0, host: '127.0.0.1' }).catch(() => app.listeningOrigin)
      return fetch(`${url}/mcp`, { method: 'POST', headers: { ...POST, ...headers }, body: call(tool) })
    }
    expect(await textIn(await ask({ 'x-tenant': 'a' }, 'tenant'))).toBe('a')
    expect(await textIn(await ask({ 'x-tenant': 'b', 'x-user': 'ada' }, 'user'))).toBe('ada')
    expect((await ask({ 'x-tenant': 'c' }, 'tenant')).status).toBe(404)
  })

  it('can select a server based on the Hono context or the fetch Request', async () => {
    const app = new Hono()
    app.use(
      honoMcp({
        server: async (c) => choose(c.req.header('x-tenant')),
        locals: () => ({ user: 'ada' }),
        stateless: true,
      }),
    )
    const web = toFetch((request) => choose(request.headers.get('x-tenant') ?? undefined), {
      locals: () => ({ user: 'ada' }),
      stateless: true,
    })
    const request = (name: string): Request =>
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: { ...POST, 'x-tenant': name },
        body: call('tenant'),
      })
    for (const handle of [(asked: Request) => app.fetch(asked), web]) {
      expect(await textIn(await handle(request('a')))).toBe('a')
      expect(await textIn(await handle(request('b')))).toBe('b')
      expect((await handle(request('c'))).status).toBe(404)
    }
  })
})

describe('a mount', () => {
  it('passes its handle to `onMount` on Fastify, so that the mount can be closed before the app', async () => {
    const app = Fastify()
    onTestFinished(() => app.close())
    let close: (() => PromiseLike<void>) | undefined
    let closed: Promise<void> | undefined
    await app.register(fastifyMcp, {
      server: new McpServer(info),
      onMount: (mount) => {
        close = () => mount[Symbol.asyncDispose]()
        closed = mount.closed
      },
    })
    await close?.()
    await closed
    const refused = await app.inject({
      method: 'POST',
      url: '/mcp',
      headers: { ...POST, host: 'localhost' },
      body: call('x'),
    })
    expect(refused.statusCode).toBe(503)
  })

  it("registers work that outlasts a call with Hono's execution context", async () => {
    const server = new McpServer(info)
    server.addTool({
      name: 'leave',
      handler: (_args, ctx) => {
        ctx.waitUntil(Promise.resolve('left'))
        return 'answered'
      },
    })
    const app = new Hono()
    app.use(honoMcp({ server, stateless: true }))
    const kept: Promise<unknown>[] = []
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: POST,
      body: call('leave'),
    })
    const response = await app.fetch(
      request,
      {},
      {
        waitUntil: (work: Promise<unknown>) => void kept.push(work),
        passThroughOnException: () => {},
        props: {},
      },
    )
    expect(await textIn(response)).toBe('answered')
    expect(kept).toHaveLength(1)
  })
})
