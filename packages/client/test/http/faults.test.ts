import { REVISIONS } from '@jetway/core/protocol'
import { describe, expect, it, vi } from 'vitest'
import { ConnectionClosedError, SessionLostError } from '../../src/errors.ts'
import { listener } from '../support/scripted.ts'
import { type Asked, connect, DONE, event, handshake, scripted } from './support/scripted.ts'

const answer = (id: number | undefined, result: object = DONE): object => ({ jsonrpc: '2.0', id, result })

/** Starts a server whose script responds to everything after the handshake. */
const calls = (script: (asked: Asked) => void, headers?: Record<string, string>): Promise<string> =>
  scripted((asked) => {
    if (!handshake(asked, headers)) script(asked)
  })

it('a client rejects a call with the JSON-RPC error, regardless of the HTTP status', async () => {
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

it.for([404, 405])(
  'a client rejects with the HTTP status if the reply to initialize is a JSON-RPC error with status %i',
  async (status) => {
    const url = await scripted(({ method, message, response }) => {
      const refused = method === 'POST' && message.method === 'initialize' ? status : 400
      response.writeHead(refused, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'no' } }))
    })
    await expect(connect(url)).rejects.toMatchObject({ status })
  },
)

it('a client emits an error if the server refuses one of its responses', async () => {
  const client = await connect(
    await calls((asked) => {
      if (asked.message.method === undefined) asked.response.writeHead(400).end()
      else {
        asked.stream()(event({ jsonrpc: '2.0', id: 'p', method: 'ping' }))
      }
    }),
  )
  const errors = listener(client, 'error')
  void client.callTool('x').catch(() => {})
  await vi.waitFor(() =>
    expect(errors.mock.calls.flat().map(String)).toContainEqual(
      expect.stringContaining('A response was answered with HTTP status 400'),
    ),
  )
})

describe('resuming a broken stream, https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery', () => {
  it('succeeds wherever the stream breaks before the response', async () => {
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

  it('waits as long as the server requests, and retries until the server is available', async () => {
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

  it('fails if the server has forgotten the stream', async () => {
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

describe('a client over Streamable HTTP', () => {
  it('rejects with SessionLostError if no new session can be opened', async () => {
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

  it('follows redirects within the origin, and repeats all headers', async () => {
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

  it('does not follow a redirect to another origin', async () => {
    const visited = vi.fn<() => void>()
    const elsewhere = await scripted(visited)
    const url = await scripted(({ response }) => response.writeHead(307, { location: elsewhere }).end())
    await expect(connect(url, { headers: { authorization: 'Bearer secret' } })).rejects.toThrow(/redirects/)
    expect(visited).not.toHaveBeenCalled()
  })

  it('calls the headers function for each request, but its headers never replace protocol headers', async () => {
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

  it('closes after `closeTimeoutMs` if the server does not respond', async () => {
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
