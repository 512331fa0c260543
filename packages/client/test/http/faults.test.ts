import { REVISIONS } from '@jetway/core/protocol'
import { describe, expect, it, vi } from 'vitest'
import { ConnectionClosedError, SessionLostError } from '../../src/errors.ts'
import { type Asked, connect, DONE, event, handshake, scripted } from './support/scripted.ts'

const answer = (id: number | undefined, result: object = DONE): object => ({ jsonrpc: '2.0', id, result })

/** A server whose script answers calls. */
const calls = (script: (asked: Asked) => void, headers?: Record<string, string>): Promise<string> =>
  scripted((asked) => {
    if (!handshake(asked, headers)) script(asked)
  })

const replyJson = (response: Asked['response'], value: object, status = 200): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

const NONE = 'The reply has no response to the request'

describe('a call over HTTP fails with a named error when its response cannot arrive', () => {
  it.for<[string, (asked: Asked) => void, string | RegExp]>([
    [
      'a status',
      ({ response }) => response.writeHead(502).end('Bad gateway'),
      /HTTP status 502: Bad gateway/,
    ],
    [
      'a page',
      ({ response }) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
      /text\/html/,
    ],
    ['no content', ({ response }) => response.writeHead(200).end(), /no content type/],
    ['202', ({ response }) => response.writeHead(202).end(), /as if it were a notification/],
    ['a connection that is cut', ({ response }) => response.destroy(), /cannot be reached/],
    [
      'a body that is cut',
      ({ response }) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
        response.write('{"jsonrpc"', () => response.destroy())
      },
      /was cut/,
    ],
    [
      'what is no JSON',
      ({ response }) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"a"'),
      /not valid JSON/,
    ],
    [
      'another shape',
      ({ response }) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}'),
      /malformed/,
    ],
    ['the response to another request', ({ response }) => replyJson(response, answer(99)), NONE],
    ['a batch without the response', ({ response }) => replyJson(response, []), NONE],
    [
      'a notification',
      ({ response }) => replyJson(response, { jsonrpc: '2.0', method: 'notifications/message' }),
      NONE,
    ],
    [
      'an error for another request',
      ({ response }) =>
        replyJson(response, { jsonrpc: '2.0', id: 99, error: { code: 1, message: 'x' } }, 400),
      NONE,
    ],
    [
      'what must be a string',
      ({ response }) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(Buffer.from([0xff, 0xfe])),
      /not UTF-8/,
    ],
    ['a stream that ends', ({ stream, response }) => (stream(), response.end()), /ended before the response/],
    [
      'a stream that is cut',
      ({ stream, response }) => (
        stream()('data: {'),
        response.flushHeaders(),
        setImmediate(() => response.destroy())
      ),
      /ended before the response/,
    ],
    ['an event that is no message', ({ stream }) => stream()('data: hello\n\n'), /not valid JSON/],
  ])('%s', async ([, script, message]) => {
    const client = await connect(await calls(script))
    await expect(client.callTool('x')).rejects.toThrow(message)
    expect(client.stats().pending).toBe(0)
  })

  it('a response, and an event, beyond the limit', async () => {
    const long = 'x'.repeat(2_000)
    for (const script of [
      ({ result }: Asked) => result({ content: [{ type: 'text', text: long }] }),
      ({ stream }: Asked) => stream()(`data: ${long}\n\n`),
    ]) {
      const client = await connect(await calls(script), { maxMessageBytes: 1_000 })
      await expect(client.callTool('x')).rejects.toThrow(/longer than 1000|ended before the response/)
    }
  })

  it('a JSON-RPC error with any status', async () => {
    const client = await connect(
      await calls(({ response, message }) => {
        response.writeHead(503, { 'content-type': 'application/json' })
        response.end(
          JSON.stringify({ jsonrpc: '2.0', id: message.id, error: { code: -32603, message: 'busy' } }),
        )
      }),
    )
    await expect(client.callTool('x')).rejects.toMatchObject({ code: -32603, message: 'busy' })
  })
})

describe('a cut stream is resumed, https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery', () => {
  it('at any byte, until the response has arrived', async () => {
    const log = [
      event({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: '1' } }, 'a'),
      event({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: '2' } }, 'b'),
    ]
    const asked: unknown[] = []
    const [first = '', second = ''] = log
    for (let cut = 0; cut <= second.length; cut += cut + 7 < second.length ? 7 : 1) {
      let id: number | undefined
      let gets = 0
      const url = await scripted((request) => {
        if (request.method === 'GET' && request.headers['last-event-id'] !== undefined) {
          asked.push(request.headers['last-event-id'])
          const write = request.stream()
          if (gets++ === 0) {
            request.response.end()
            return
          }
          const from = request.headers['last-event-id'] === 'a' ? 1 : 2
          write(log.slice(from).join('') + event(answer(id), 'c'))
          request.response.end()
          return
        }
        if (handshake(request)) return
        id = request.message.id
        request.stream()(first + second.slice(0, cut))
        setImmediate(() => request.response.destroy())
      })
      const client = await connect(url)
      const heard: unknown[] = []
      client.on('log', ({ data }) => void heard.push(data))
      expect(await client.callTool('x')).toEqual(DONE)
      expect(heard).toEqual(['1', '2'])
      await client.close()
    }
    expect(new Set(asked)).toEqual(new Set(['a', 'b']))
  })

  it("after the server's delay, once the server is back", async () => {
    const times: number[] = []
    let id: number | undefined
    const url = await scripted((request) => {
      if (request.method === 'GET' && request.headers['last-event-id'] !== undefined) {
        times.push(performance.now())
        if (times.length === 2 || times.length === 3) {
          request.response.writeHead(times.length === 2 ? 503 : 429).end()
          return
        }
        if (times.length === 4) {
          request.response.destroy()
          return
        }
        request.stream()(event(answer(id)))
        return
      }
      if (handshake(request)) return
      id = request.message.id
      request.stream()('id: 1\nretry: 40\ndata:\n\n')
      times.push(performance.now())
      request.response.end()
    })
    const client = await connect(url)
    expect(await client.callTool('x')).toEqual(DONE)
    expect(times).toHaveLength(5)
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(39)
  })

  it('but not if the server no longer knows it', async () => {
    const url = await scripted((request) => {
      if (request.method === 'GET') {
        request.response.writeHead(400).end()
        return
      }
      if (handshake(request)) return
      request.stream()('id: 1\ndata:\n\n')
      request.response.end()
    })
    const client = await connect(url)
    await expect(client.callTool('x')).rejects.toThrow('Resuming a stream was answered with HTTP status 400')
  })
})

describe('other HTTP behaviour', () => {
  it('a lost session is a named error if no new one can be opened', async () => {
    let lost = false
    const url = await scripted((asked) => {
      if (lost && asked.method === 'POST') {
        asked.response.writeHead(404).end()
        return
      }
      if (!handshake(asked, { 'mcp-session-id': 'one' })) asked.result(DONE)
    })
    const client = await connect(url)
    await client.callTool('x')
    lost = true
    await expect(client.callTool('x')).rejects.toThrow(SessionLostError)
  })

  it('redirects are followed within the origin, with all headers', async () => {
    const url = await scripted((asked) => {
      const { response, headers } = asked
      if (!response.req.url?.endsWith('/')) {
        response.writeHead(307, { location: '/mcp/' }).end()
        return
      }
      if (!handshake(asked)) asked.result({ content: [{ type: 'text', text: String(headers['x-key']) }] })
    })
    const client = await connect(url, { headers: { 'x-key': 'secret' } })
    expect(await client.callTool('x')).toEqual({ content: [{ type: 'text', text: 'secret' }] })
  })

  it('but not to another origin', async () => {
    const visited = vi.fn<() => void>()
    const elsewhere = await scripted(visited)
    const url = await scripted(({ response }) => response.writeHead(307, { location: elsewhere }).end())
    await expect(connect(url, { headers: { authorization: 'Bearer secret' } })).rejects.toThrow(/redirects/)
    expect(visited).not.toHaveBeenCalled()
  })

  it('custom headers are requested each time, and replace none of the protocol', async () => {
    let asked = 0
    const seen: unknown[] = []
    const versions = new Set<unknown>()
    const url = await scripted((request) => {
      seen.push(request.headers['x-turn'])
      versions.add(request.headers['mcp-protocol-version'])
      if (!handshake(request)) request.result(DONE)
    })
    const client = await connect(url, {
      headers: () => ({ 'x-turn': String(++asked), 'mcp-protocol-version': 'mine' }),
    })
    await client.callTool('x')
    expect(seen.length).toBe(asked)
    expect(new Set(seen).size).toBe(asked)
    expect(versions).toEqual(new Set([REVISIONS[0]?.version, undefined, '2025-06-18']))
  })

  it('closing does not wait long for a silent server', async () => {
    const url = await scripted((asked) => {
      if (asked.method === 'DELETE') return
      handshake(asked, { 'mcp-session-id': 'one' })
    })
    const client = await connect(url, { closeTimeoutMs: 50 })
    const waiting = client.callTool('x')
    const closed = client.close()
    await expect(waiting).rejects.toThrow(ConnectionClosedError)
    await closed
  })
})
