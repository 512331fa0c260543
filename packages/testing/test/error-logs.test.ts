import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'
import { callTool, initialize, INITIALIZED } from '@jetway-apps/test-support'
import { callFrame, listen, post } from '@jetway-apps/test-support/http'
import { listenForTest } from '@jetway-apps/test-support/mounts'
import { type Logger, McpServer, type ServerOptions } from '@jetway/core'
import { mcp as fastifyMcp } from '@jetway/fastify'
import { mcp as honoMcp } from '@jetway/hono'
import { mcp as nodeMcp } from '@jetway/node'
import { serveStdio } from '@jetway/stdio'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { requestId } from 'hono/request-id'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished, vi } from 'vitest'

type Line = Readonly<Record<string, unknown>> & { readonly err?: { readonly stack?: string } }

/** Collects the lines that pino writes with its default options. */
function pinoLines() {
  const lines: Line[] = []
  const stream = { write: (line: string): void => void lines.push(JSON.parse(line) as Line) }
  return { lines, stream, logger: pino({}, stream) }
}

const SECRET = 'canary-7f3a'

function failingServer(options: ServerOptions = {}): McpServer {
  const server = new McpServer({ name: 'failing', version: '1' }, options)
  onTestFinished(() => server.close({ deadline: 0 }))
  server.addTool({
    name: 'throws',
    handler: () => {
      throw new RangeError('the database is gone')
    },
  })
  server.addTool({ name: 'hangs', timeoutMs: 1, handler: () => new Promise(() => {}) })
  server.addTool({
    name: 'wrong',
    outputSchema: { type: 'object', properties: { days: { type: 'array', items: { type: 'number' } } } },
    handler: () => ({ days: [1, 'two'] }),
  })
  server.addTool({
    name: 'rejects_later',
    handler: (_args, ctx) => {
      ctx.waitUntil(Promise.reject(new RangeError('the database is gone')))
      return 'done'
    },
  })
  return server
}

const errorLines = (lines: readonly Line[]): Line[] => lines.filter(({ level }) => (level as number) >= 40)

const FAILED =
  'A handler failed. The client received only the reference in correlationId. Throw a ToolError if the model should read the message'
const PROBLEMS: readonly [tool: string, line: object, stack: RegExp | undefined][] = [
  ['throws', { msg: FAILED, correlationId: expect.any(String) }, /RangeError: the database is gone\n +at /],
  [
    'hangs',
    {
      msg: expect.stringMatching(/no progress for 1 ms\. .* raise timeoutMs of the definition\.$/),
      limitMs: 1,
    },
    undefined,
  ],
  ['wrong', { msg: FAILED }, /"wrong" returned what its outputSchema does not allow:\ndays\[1\]: .*number/],
  [
    'rejects_later',
    { msg: 'Work passed to ctx.waitUntil failed' },
    /RangeError: the database is gone\n +at /,
  ],
]

interface Served {
  readonly lines: readonly Line[]
  readonly call: (tool: string, secret: object) => Promise<unknown>
  readonly requestId: unknown
  /** Fields that the host adds to each line. */
  readonly fields: object
}

const overHttp = (url: string) => (tool: string, secret: object) =>
  post(url, callFrame(tool, secret), { authorization: `Bearer ${SECRET}` }).then((response) =>
    response.text(),
  )

const HOSTS: Readonly<Record<string, () => Promise<Served>>> = {
  'of Fastify': async () => {
    const { lines, stream } = pinoLines()
    const app = Fastify({ logger: { stream } })
    onTestFinished(() => app.close())
    await app.register(fastifyMcp, { server: failingServer(), stateless: true })
    const call = overHttp(`${await app.listen({ port: 0, host: '127.0.0.1' })}/mcp`)
    return { lines, call, requestId: 1, fields: { reqId: 'req-1' } }
  },
  'of Fastify, with a logger for the mount': async () => {
    const { lines, logger } = pinoLines()
    const app = Fastify({ logger: { stream: pinoLines().stream } })
    onTestFinished(() => app.close())
    await app.register(fastifyMcp, { server: failingServer(), stateless: true, logger })
    const call = overHttp(`${await app.listen({ port: 0, host: '127.0.0.1' })}/mcp`)
    return { lines, call, requestId: 1, fields: { reqId: 'req-1' } }
  },
  'of the server, on Fastify without a logger': async () => {
    const { lines, logger } = pinoLines()
    const app = Fastify()
    onTestFinished(() => app.close())
    await app.register(fastifyMcp, { server: failingServer({ logger }), stateless: true })
    const call = overHttp(`${await app.listen({ port: 0, host: '127.0.0.1' })}/mcp`)
    return { lines, call, requestId: 1, fields: { reqId: 'req-1' } }
  },
  'of the server, on Hono': async () => {
    const { lines, logger } = pinoLines()
    const app = new Hono().use(requestId({ generator: () => 'from-hono' }))
    app.use(honoMcp({ server: failingServer({ logger }), stateless: true }))
    const origin = await listenForTest(app.fetch)
    return { lines, call: overHttp(`${origin}/mcp`), requestId: 1, fields: { reqId: 'from-hono' } }
  },
  'of the server, on node:http': async () => {
    const { lines, logger } = pinoLines()
    const mount = nodeMcp({ server: failingServer({ logger }), stateless: true })
    const serve = (request: IncomingMessage, response: ServerResponse): void =>
      mount(Object.assign(request, { id: 7 }), response)
    const { origin, release } = await listen(createServer(serve))
    onTestFinished(release)
    return { lines, call: overHttp(`${origin}/mcp`), requestId: 1, fields: { reqId: 7 } }
  },
  'of the server, over stdio': async () => {
    const { lines, logger } = pinoLines()
    const [input, output] = [new PassThrough(), new PassThrough()]
    const handle = await serveStdio(failingServer({ logger }), {
      input,
      output,
      exitOnEnd: false,
      handleSignals: false,
    })
    onTestFinished(() => handle.close())
    const send = (message: object): boolean => input.write(`${JSON.stringify(message)}\n`)
    send(initialize())
    send(INITIALIZED)
    const call = async (tool: string, secret: object): Promise<unknown> =>
      send(callTool(tool, secret, { id: 'x'.repeat(100) }))
    return { lines, call, requestId: 'x'.repeat(64), fields: {} }
  },
}

describe.each(Object.entries(HOSTS))('the logger %s', (_, serve) => {
  it.each(PROBLEMS)('receives the error of a tool that %s', async (tool, line, stack) => {
    const { lines, call, requestId: id, fields } = await serve()
    await call(tool, { secret: SECRET })
    const found = await vi.waitFor(() => {
      expect(errorLines(lines)).toHaveLength(1)
      return errorLines(lines)[0] as Line
    })
    expect(found).toMatchObject({ requestId: id, method: 'tools/call', name: tool })
    expect(found).toMatchObject(line)
    expect(found).toMatchObject(fields)
    if (stack !== undefined) expect(found.err?.stack).toMatch(stack)
    expect(JSON.stringify(lines)).not.toContain(SECRET)
  })
})

describe('a logger that throws', () => {
  it('does not affect a response', async () => {
    const broken = (): never => {
      throw new Error('full')
    }
    const logger: Logger = { debug: broken, info: broken, warn: broken, error: broken }
    const origin = await listenForTest(
      new Hono().use(honoMcp({ server: failingServer(), stateless: true, logger })).fetch,
    )
    const answer = await post(`${origin}/mcp`, callFrame('throws'))
    expect(await answer.text()).toContain('The tool failed (reference ')
  })
})

it("the request's logger receives errors that occur before the call", async () => {
  const { lines, stream } = pinoLines()
  const app = Fastify({ logger: { stream } })
  onTestFinished(() => app.close())
  const locals = (): never => {
    throw new RangeError('no tenant')
  }
  await app.register(fastifyMcp, { server: failingServer(), stateless: true, locals })
  const answer = await post(`${await app.listen({ port: 0, host: '127.0.0.1' })}/mcp`, callFrame('throws'))
  expect(answer.status).toBe(500)
  expect(errorLines(lines)).toMatchObject([{ reqId: 'req-1', err: { message: 'no tenant' } }])
})
