import { AsyncLocalStorage } from 'node:async_hooks'
import { McpServer } from '@jetway/core'
import type * as Http from '@jetway/core/http'
import type { BodyError, Endpoint, FrameSink, HttpReply, HttpRequest, RequestBody } from '@jetway/core/http'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { mcp } from '../src/index.ts'
import { post } from '@jetway-apps/test-support/http'
import { listen } from './support.ts'

type Handle = (request: HttpRequest, body: RequestBody | Error) => HttpReply | Promise<HttpReply>

const endpoint = vi.hoisted(() => ({
  handle: undefined as unknown,
  refusal: undefined as HttpReply | undefined,
  /** If true, authentication is asynchronous. */
  later: false,
}))

vi.mock('@jetway/core/http', async (original) => ({
  ...(await original<typeof Http>()),
  createEndpoint: (): Pick<Endpoint, 'accept' | 'probes' | 'hold' | 'limitRest'> => ({
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
  }),
}))

afterEach(() => {
  endpoint.refusal = undefined
  endpoint.later = false
})

function mounted(handle: Handle, app: Hono = new Hono()): Hono {
  endpoint.handle = handle
  app.use(mcp({ server: new McpServer({ name: 'seam', version: '1' }) }))
  return app
}

async function served(handle: Handle, app?: Hono): Promise<string> {
  return `${await listen(mounted(handle, app))}/mcp`
}

const SSE = { 'content-type': 'text/event-stream' }
const OK = { status: 200, headers: { 'content-type': 'application/json' }, body: '{}' } as const

/** Replies with the length of the body, or the status of the error. */
const measured: Handle = (_request, body) =>
  body instanceof Error
    ? { status: (body as BodyError).status, headers: {} }
    : { ...OK, body: String((body as Uint8Array).byteLength) }

describe.each([
  ['at once', false],
  ['after authentication', true],
])('the body of a request accepted %s', (_when, later) => {
  beforeEach(() => {
    endpoint.later = later
  })

  it('is empty if the request has none', async () => {
    expect(await (await mounted(measured).request('/mcp', { method: 'POST' })).text()).toBe('0')
  })

  const large = 'x'.repeat(101)
  const chunked = (): ReadableStream => new Blob(['x'.repeat(60), 'x'.repeat(60)]).stream()

  it('is limited by its actual length on a runtime without sockets', async () => {
    const app = mounted(measured)
    const send = (body: BodyInit, headers: HeadersInit = {}): Promise<Response> =>
      Promise.resolve(app.request('/mcp', { method: 'POST', body, headers, duplex: 'half' } as RequestInit))
    expect((await send(large)).status).toBe(413)
    expect((await send(large, { 'content-length': '101' })).status).toBe(413)
    expect((await send(large, { 'content-length': '5' })).status).toBe(413)
    expect((await send(chunked())).status).toBe(413)
    expect(await (await send('x'.repeat(100))).text()).toBe('100')
    expect(await (await send('x'.repeat(100), { 'content-length': '100' })).text()).toBe('100')
  })

  it('is read no further than the limit if no length is declared', async () => {
    let pulled = 0
    const body = new ReadableStream({
      pull: (controller) => {
        pulled++
        controller.enqueue(new Uint8Array(60))
      },
    })
    const response = await mounted(measured).request('/mcp', {
      method: 'POST',
      body,
      duplex: 'half',
    } as RequestInit)
    expect(response.status).toBe(413)
    expect(pulled).toBeLessThan(6)
  })

  it.each([
    ['c.req.json()', (app: Hono) => app.use(async (c, next) => (await c.req.json(), next()))],
    ['c.req.text()', (app: Hono) => app.use(async (c, next) => (await c.req.text(), next()))],
    ['c.req.arrayBuffer()', (app: Hono) => app.use(async (c, next) => (await c.req.arrayBuffer(), next()))],
  ])('is limited, even if it is chunked, after middleware that uses %s', async (_what, use) => {
    const json = (length: number): string[] => ['{"text":"', 'ä'.repeat(length), '"}']
    for (const [parts, status] of [
      [json(44), 200],
      [json(45), 413],
    ] as const)
      for (const body of [parts.join(''), new Blob([...parts]).stream()]) {
        const app = new Hono()
        use(app)
        expect((await post(await served(measured, app), body)).status).toBe(status)
      }
  })

  it.each([
    ['c.req.json()', '12', (app: Hono) => app.use(async (c, next) => (await c.req.json(), next()))],
    ['c.req.text()', '12', (app: Hono) => app.use(async (c, next) => (await c.req.text(), next()))],
    [
      'c.req.arrayBuffer()',
      '12',
      (app: Hono) => app.use(async (c, next) => (await c.req.arrayBuffer(), next())),
    ],
    ['Hono’s bodyLimit', '12', (app: Hono) => app.use(bodyLimit({ maxSize: 50 }))],
    [
      'a replaced request',
      '2',
      (app: Hono) =>
        app.use(async (c, next) => {
          c.req.raw = new Request(c.req.raw, { method: 'POST', body: '{}', headers: {} })
          return next()
        }),
    ],
  ])('is available after middleware that uses %s', async (_what, length, use) => {
    for (const body of ['{"text":"x"}', new Blob(['{"text":', '"x"}']).stream()]) {
      const app = new Hono()
      use(app)
      expect(await (await post(await served(measured, app), body)).text()).toBe(length)
    }
  })

  it('is refused with 400 if middleware has already consumed it', async () => {
    const app = new Hono()
    app.use(async (c, next) => (await c.req.raw.text(), next()))
    expect((await post(await served(measured, app))).status).toBe(400)
  })

  it('is handled in the async context of the request', async () => {
    const kept = new AsyncLocalStorage<string>()
    const app = new Hono()
    app.use((c, next) => kept.run(c.req.query('n') ?? '', next))
    const url = await served(() => ({ ...OK, body: String(kept.getStore()) }), app)
    expect(await (await post(`${url}?n=1`, 'x'.repeat(10))).text()).toBe('1')
    expect(await (await post(`${url}?n=2`, 'x'.repeat(10))).text()).toBe('2')
  })
})

describe('the request passed to the endpoint', () => {
  it.each([
    [
      'whether it changes the request in place',
      (c: Context) => {
        c.req.raw.headers.delete('authorization')
        c.req.raw.headers.set('x-one', 'changed')
      },
    ],
    [
      'whether it replaces the request',
      (c: Context) => {
        const headers = new Headers(c.req.raw.headers)
        headers.delete('authorization')
        headers.set('x-one', 'changed')
        c.req.raw = new Request(c.req.raw, { headers })
      },
    ],
  ])('has the headers set by middleware, regardless of %s', async (_how, change) => {
    let seen: unknown
    const app = new Hono().use((c, next) => (change(c), next()))
    const url = await served((request, body) => {
      seen = [request.header('authorization'), request.header('x-one'), (body as Uint8Array).byteLength]
      return OK
    }, app)
    await post(url, '{}', { authorization: 'Bearer forged', 'x-one': 'one' })
    expect(seen).toEqual([undefined, 'changed', 2])
  })

  it('has no socket address if there is no socket', async () => {
    let seen: unknown
    await mounted((request) => ((seen = request.peer?.localAddress), OK)).request('/mcp')
    expect(seen).toBeUndefined()
  })

  it("uses the runtime's `waitUntil`, if any, for work that outlasts the reply", async () => {
    const work = Promise.resolve()
    const kept: unknown[] = []
    const app = mounted((request) => (request.waitUntil?.(work), OK))
    const runtime = {
      waitUntil: (promise: unknown) => kept.push(promise),
      passThroughOnException: () => {},
      props: {},
    }
    expect((await app.request('/mcp', {}, {}, runtime as never)).status).toBe(200)
    expect((await app.request('/mcp')).status).toBe(200)
    expect(kept).toEqual([work])
  })
})

describe('the reply to the client', () => {
  it('sends the head of a stream before the first frame', async () => {
    let sink: FrameSink | undefined
    const url = await served(() => ({ status: 200, headers: SSE, open: (opened) => void (sink = opened) }))
    const response = await post(url)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    void sink?.write('data: ä\n\n')
    sink?.close()
    expect(sink?.write('data: late\n\n')).toBeUndefined()
    expect(() => sink?.close()).not.toThrow()
    expect(await response.text()).toBe('data: ä\n\n')
  })
})

it("on a runtime other than Node.js, the request's signal aborts when the client cancels the reply's body", async () => {
  const requests: HttpRequest[] = []
  const app = mounted((request) => {
    requests.push(request)
    return { status: 200, headers: SSE, open: () => {} }
  })
  const early = await app.request('/mcp')
  const late = await app.request('/mcp')
  const signal = requests[0]?.signal
  await early.body?.cancel()
  await late.body?.cancel()
  expect(signal?.aborted).toBe(true)
  expect(requests[1]?.signal.aborted).toBe(true)
})
