import { AsyncLocalStorage } from 'node:async_hooks'
import type { ServerResponse } from 'node:http'
import { McpServer } from '@jetway/core'
import type * as Http from '@jetway/core/http'
import type {
  Endpoint,
  EndpointOptions,
  FrameSink,
  HttpReply,
  HttpRequest,
  RequestBody,
} from '@jetway/core/http'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { mcp } from '../src/index.ts'
import { deferred } from '@jetway-apps/test-support'
import { bytesOf, post, raw, until } from '@jetway-apps/test-support/http'
import { listen } from './support.ts'

type Handle = (request: HttpRequest, body: RequestBody | Error) => HttpReply | Promise<HttpReply>

const endpoint = vi.hoisted(() => ({
  handle: undefined as unknown,
  refusal: undefined as HttpReply | undefined,
  options: undefined as unknown,
  closing: undefined as (() => void) | undefined,
  /** If true, authentication is asynchronous. */
  later: false,
}))

vi.mock('@jetway/core/http', async (original) => ({
  ...(await original<typeof Http>()),
  createEndpoint: (
    _server: unknown,
    options: EndpointOptions,
  ): Pick<Endpoint, 'accept' | 'probes' | 'close' | 'hold' | 'limitRest'> => {
    endpoint.options = options
    return {
      probes: new Map(),
      hold: () => () => {},
      limitRest: () => () => {},
      accept: (request) => {
        const accepted = endpoint.refusal ?? {
          bodyLimit: 100,
          reading: { begin: () => {}, add: () => undefined, end: () => {} },
          answer: (body: RequestBody | Error) => (endpoint.handle as Handle)(request, body),
        }
        return endpoint.later ? Promise.resolve(accepted) : accepted
      },
      close: async () => endpoint.closing?.(),
    }
  },
}))

afterEach(() => {
  endpoint.closing = undefined
  endpoint.refusal = undefined
  endpoint.later = false
})

async function mounted(handle: Handle, app: FastifyInstance = Fastify()): Promise<string> {
  endpoint.handle = handle
  app.register(mcp, { server: new McpServer({ name: 'seam', version: '1' }), limits: { bodyBytes: 100 } })
  return `${await listen(app)}/mcp`
}

const SSE = { 'content-type': 'text/event-stream' }
const OK = { status: 200, headers: { 'content-type': 'application/json' }, body: '{}' } as const

it.each([
  ['at once', false],
  ['after authentication', true],
])('a request accepted %s runs in its own async context', async (_when, later) => {
  endpoint.later = later
  const kept = new AsyncLocalStorage<string>()
  const app = Fastify()
  app.addHook('preHandler', (request, _reply, done) => kept.run(request.id, done))
  const url = await mounted(() => ({ ...OK, body: String(kept.getStore()) }), app)
  expect(await (await post(url, 'x'.repeat(10))).text()).toBe('req-1')
  expect(await (await post(url, 'x'.repeat(10))).text()).toBe('req-2')
})

/**
 * Writes more bytes than a connection can buffer to a peer that does not read. Returns the promise that
 * `write` has returned.
 */
function fill(sink: FrameSink): Promise<void> {
  const frame = `data: ${'x'.repeat(1024 * 1024)}\n\n`
  let behind = sink.write('')
  for (let count = 0; count < 32; count++) behind = sink.write(frame)
  if (behind) return behind
  throw new Error('The peer counts as reading')
}

describe('app.close', () => {
  it.each([
    ['was refused before it arrived', { status: 403, headers: {}, body: '{}' }],
    ['was too large', undefined],
  ])('does not wait for the rest of a body that %s', async (_why, refusal) => {
    endpoint.refusal = refusal
    const app = Fastify({ keepAliveTimeout: 60_000 })
    const url = await mounted(() => ({ status: 413, headers: {}, body: '{}' }), app)
    const socket = await raw(
      url,
      `${bytesOf('/mcp', '', { 'transfer-encoding': 'chunked' })}c8\r\n${'x'.repeat(200)}\r\n`,
    )
    await until(socket, '{}')
    const began = performance.now()
    await app.close()
    expect(performance.now() - began).toBeLessThan(30_000)
  })

  it.each(['reads', 'does not read'])('closes an open stream whose client %s', async (how) => {
    const opened = deferred<FrameSink>()
    const app = Fastify({ forceCloseConnections: false, keepAliveTimeout: 60_000 })
    const url = await mounted(() => ({ status: 200, headers: SSE, open: opened.resolve }), app)
    const socket = await raw(url, bytesOf('/mcp', '', { 'content-length': '0' }))
    const sink = await opened.promise
    if (how === 'does not read') {
      socket.pause()
      void fill(sink)
    } else socket.resume()
    endpoint.closing = () => sink.close()
    const began = performance.now()
    await app.close()
    expect(performance.now() - began).toBeLessThan(30_000)
  })
})

it('the plugin passes its other options and the app’s logger to the endpoint', async () => {
  const app = Fastify({ logger: { level: 'silent' } })
  endpoint.handle = () => OK
  app.register(mcp, { server: new McpServer({ name: 'seam', version: '1' }), stateless: true })
  await listen(app)
  expect(endpoint.options).toMatchObject({
    stateless: true,
    limits: { bodyBytes: 4 * 1024 * 1024 },
    logger: app.log,
  })
})

it('the plugin leaves no listeners on a connection that serves many calls', async () => {
  const responses: ServerResponse[] = []
  const app = Fastify()
  app.addHook('onRequest', async (_request, reply) => void responses.push(reply.raw))
  const url = await mounted(() => OK, app)
  for (let count = 0; count < 20; count++) await (await post(url, '{}')).text()
  expect(responses).toHaveLength(20)
  expect(responses.at(-1)?.listenerCount('close')).toBe(responses[0]?.listenerCount('close'))
})
