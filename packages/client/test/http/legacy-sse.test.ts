import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Client } from '../../src/client/client.ts'
import { ConnectionClosedError, TransportError } from '../../src/errors.ts'
import { sse } from '../../src/http/http.ts'
import { LegacySseTransport } from '../../src/http/legacy-sse.ts'
import { type Fetch, type HttpOptions, resolveHttpOptions } from '../../src/http/options.ts'
import type { ClientTransportHandlers, TransportClose } from '../../src/transport/client-transport.ts'
import { type Asked, scripted } from './support/scripted.ts'
import { listener } from '../support/scripted.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  vi.useRealTimers()
  for (const each of open.splice(0)) await each.close()
})

/** Returns handlers that record their calls. */
function listening(): ClientTransportHandlers & {
  readonly messages: unknown[]
  readonly malformed: ReturnType<typeof vi.fn<(reason: string) => void>>
  readonly closed: TransportClose[]
} {
  const messages: unknown[] = []
  const closed: TransportClose[] = []
  return {
    messages,
    closed,
    message: (value) => void messages.push(value),
    malformed: vi.fn<(reason: string) => void>(),
    requestFailed: () => {},
    close: (reason) => void closed.push(reason),
  }
}

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' } as const
const CONTEXT = { revision: undefined }

interface Served {
  readonly url: string
  /** Resolves when the client has opened the stream. */
  readonly stream: Promise<ServerResponse>
  readonly posts: IncomingMessage[]
}

/** Starts an HTTP+SSE server whose script replies to POST requests. */
async function serve(
  post: (asked: Asked) => void = ({ response }) => response.writeHead(202).end(),
): Promise<Served> {
  let opened!: (stream: ServerResponse) => void
  const stream = new Promise<ServerResponse>((resolve) => (opened = resolve))
  const posts: IncomingMessage[] = []
  const url = await scripted((asked) => {
    if (asked.method === 'GET') {
      asked.stream()
      asked.response.flushHeaders()
      opened(asked.response)
    } else {
      posts.push(asked.response.req)
      post(asked)
    }
  })
  return { url, stream, posts }
}

function transportTo(url: string, options: HttpOptions = {}): LegacySseTransport {
  const transport = new LegacySseTransport(resolveHttpOptions(url, options))
  open.push(transport)
  return transport
}

/**
 * Opens a transport to a server that sends this endpoint. ORIGIN in the endpoint is replaced by the server's
 * origin.
 */
async function openedAt(
  post?: (asked: Asked) => void,
  options: HttpOptions = {},
  endpoint = '/message?s=1',
): Promise<
  Served & { readonly transport: LegacySseTransport; readonly handlers: ReturnType<typeof listening> }
> {
  const served = await serve(post)
  const transport = transportTo(`${served.url}?token=1`, options)
  const handlers = listening()
  const starting = transport.start(handlers)
  const named = endpoint.replace('ORIGIN', new URL(served.url).origin)
  ;(await served.stream).write(`event: endpoint\ndata: ${named}\n\n`)
  await starting
  return { ...served, transport, handlers }
}

describe('opening HTTP+SSE, https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse', () => {
  it('waits for the endpoint event before it sends any message', async () => {
    const { url, stream, posts } = await serve()
    const transport = transportTo(url)
    let started = false
    const starting = transport.start(listening()).then(() => (started = true))
    const response = await stream
    expect(response.req.headers).toMatchObject({ accept: 'text/event-stream' })
    response.write(': not yet\n\n')
    await expect(transport.send(PING, CONTEXT)).rejects.toThrow(TransportError)
    expect([started, posts.length]).toEqual([false, 0])
    response.write('event: endpoint\ndata: /message\n\n')
    await starting
    await transport.send(PING, CONTEXT)
    expect(posts.map((request) => request.url)).toEqual(['/message'])
  })

  it('times out after 30 s, and aborts the request', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    let signal: AbortSignal | null | undefined
    const fetch: Fetch = (_, init) => {
      signal = init.signal
      const body = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array()) })
      return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }))
    }
    const starting = transportTo('http://127.0.0.1/sse', { fetch }).start(listening())
    const outcome = starting.catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(29_999)
    expect(signal?.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(await outcome).toMatchObject({ message: 'No endpoint event within 30000 ms' })
    expect(signal?.aborted).toBe(true)
  })

  it.for([404, 405, 500])('fails with status %i', async (status) => {
    const url = await scripted(({ response }) => response.writeHead(status).end('no'))
    await expect(transportTo(url).start(listening())).rejects.toMatchObject({ status })
  })

  it('fails if the stream ends first', async () => {
    const { url, stream } = await serve()
    const handlers = listening()
    const starting = transportTo(url).start(handlers)
    const response = await stream
    response.end('data: {}\n\n')
    await expect(starting).rejects.toThrow('The stream has ended')
    expect(handlers.closed).toEqual([])
  })
})

describe('the endpoint event', () => {
  it.for([
    ['/message?sessionId=1', '/message?sessionId=1'],
    ['message?sessionId=1', '/message?sessionId=1'],
    ['?sessionId=1', '/mcp?sessionId=1'],
    ['/a/../message', '/message'],
    ['ORIGIN/one\n\nevent: endpoint\ndata: /two', '/one'],
  ] as const)(
    'may contain a relative or absolute URL, and is ignored when repeated: %j',
    async ([endpoint, path]) => {
      const { transport, posts } = await openedAt(undefined, {}, endpoint)
      await transport.send(PING, CONTEXT)
      expect(posts.map((request) => request.url)).toEqual([path])
    },
  )

  it.for([
    'http://example.com/message',
    '//example.com/message',
    'http://127.0.0.1:1/message',
    'https://127.0.0.1/message',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'http://[',
  ])('must not contain a URL with another origin: %s', async (endpoint) => {
    const post = vi.fn<() => void>()
    await expect(openedAt(post, { headers: { authorization: 'Bearer secret' } }, endpoint)).rejects.toThrow(
      "The server's endpoint has another origin",
    )
    expect(post).not.toHaveBeenCalled()
  })
})

describe('messages over HTTP+SSE', () => {
  it.for([
    [200, ''],
    [202, 'Accepted'],
    [202, ''],
    [204, ''],
  ] as const)('are sent by POST, and may be accepted with status %i', async ([status, body]) => {
    const { transport } = await openedAt(({ response }) => {
      response.writeHead(status).end(body)
    })
    await transport.send(PING, CONTEXT)
  })

  it.for([400, 404, 500])('fail with status %i', async (status) => {
    const { transport } = await openedAt(({ response }) => response.writeHead(status).end('No session'))
    await expect(transport.send(PING, CONTEXT)).rejects.toMatchObject({ status })
  })

  it('are received only in message events', async () => {
    const { stream, handlers } = await openedAt()
    const response = await stream
    response.write(': comment\r\n\r\nevent: ping\ndata: {"a":1}\n\nevent: message\ndata:\n\n')
    response.write('event: message\r\ndata: {"jsonrpc":\r\ndata: "2.0"}\r\n\r\ndata: {"b":2}\n\n')
    response.write('event: message\ndata: {\n\n')
    await vi.waitFor(() => expect(handlers.malformed).toHaveBeenCalledTimes(1))
    expect(handlers.messages).toEqual([{ jsonrpc: '2.0' }, { b: 2 }])
  })

  it('carry the custom headers that the headers function creates for each request', async () => {
    let asked = 0
    const { transport, stream, posts } = await openedAt(undefined, {
      headers: async ({ method }) => ({ 'x-key': `${method} ${++asked}` }),
    })
    await transport.send(PING, CONTEXT)
    const { req } = await stream
    expect(req.url).toBe('/mcp?token=1')
    expect(req.headers).toMatchObject({ 'x-key': 'GET 1' })
    expect(req.headers).not.toHaveProperty('authorization')
    expect(posts[0]?.headers).toMatchObject({ 'x-key': 'POST 2', 'content-type': 'application/json' })
  })
})

describe('the end of an HTTP+SSE connection', () => {
  const answering = ({ message, response }: Asked, stream: ServerResponse): void => {
    response.writeHead(202).end()
    const { id, method } = message
    const result = { protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo: {} }
    if (id === undefined || method === 'tools/call') return
    const answer = method === 'initialize' ? { result } : { error: { code: -32601, message: 'no' } }
    stream.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n\n`)
  }

  async function connected(): Promise<{ readonly client: Client; readonly stream: ServerResponse }> {
    let stream: ServerResponse | undefined
    const served = await serve((asked) => answering(asked, stream as ServerResponse))
    const client = new Client({ name: 'sse', version: '1' }, { eras: false })
    open.push(client)
    const connecting = client.connect(sse(served.url))
    stream = await served.stream
    stream.write('event: endpoint\ndata: /message\n\n')
    await connecting
    return { client, stream }
  }

  it('is noticed by the server when the client closes, and is reported once', async () => {
    const { client, stream } = await connected()
    const gone = new Promise((resolve) => stream.once('close', resolve))
    const closed = listener(client, 'close')
    await Promise.all([client.close(), client.close(), client.close()])
    await gone
    expect(closed.mock.calls).toEqual([[{ kind: 'end' }]])
  })

  it.for<[string, (stream: ServerResponse) => void]>([
    ['ends', (stream) => stream.end()],
    ['is cut', (stream) => stream.destroy()],
  ])('rejects pending and later calls if the stream %s', async ([, end]) => {
    const { client, stream } = await connected()
    const call = client.callTool('x').catch((error: unknown) => error)
    end(stream)
    expect(await call).toBeInstanceOf(ConnectionClosedError)
    expect(await client.closed).toMatchObject({ kind: 'error', error: { message: 'The stream has ended' } })
    expect(client.isAlive).toBe(false)
    await expect(client.callTool('x')).rejects.toThrow(ConnectionClosedError)
  })
})
