import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Client } from '../../src/client/client.ts'
import { ConnectionClosedError } from '../../src/errors.ts'
import { http } from '../../src/http/http.ts'
import type { Fetch } from '../../src/http/options.ts'
import { type Asked, connect, DONE, event, handshake, scripted } from './support/scripted.ts'
import { listener } from '../support/scripted.ts'

const SESSION = { 'mcp-session-id': 'session-1' }
/** Starts a stream that stays open, and returns a function that writes to it. */
const listening = ({ stream, response }: Asked): ((events: string) => void) => {
  const write = stream()
  response.flushHeaders()
  return write
}

/** Starts a server with sessions. `script` receives all requests except the POST requests of the handshake. */
async function serve(
  script: (asked: Asked) => void,
): Promise<{ readonly url: string; readonly seen: Asked[] }> {
  const seen: Asked[] = []
  const url = await scripted((asked) => {
    seen.push(asked)
    if (asked.method === 'GET' || asked.method === 'DELETE' || !handshake(asked, SESSION)) script(asked)
  })
  return { url, seen }
}

/** Like {@link serve}, but `script` receives only POST requests. */
const servePosts = (script: (asked: Asked) => void): ReturnType<typeof serve> =>
  serve((asked) => {
    if (asked.method === 'POST') script(asked)
    else asked.response.writeHead(405).end()
  })

const of = (seen: readonly Asked[], name: string): Asked[] =>
  seen.filter(({ method, message }) => method === name || message.method === name)

describe('the Streamable HTTP transport', () => {
  it('sends no request before the first message', async () => {
    const fetch = vi.fn<Fetch>(() => Promise.reject(new Error('no network')))
    const target = http('http://127.0.0.1:1/mcp', { fetch })
    const transport = await target()
    await transport.start({
      message: () => {},
      malformed: () => {},
      requestFailed: () => {},
      close: () => {},
    })
    expect(fetch).not.toHaveBeenCalled()
    await transport.close()
    expect(fetch).not.toHaveBeenCalled()
  })

  it('sends only the specified headers, and no credentials', async () => {
    const { url, seen } = await serve((asked) => {
      if (asked.method === 'POST') asked.result(DONE)
      else if (asked.method === 'GET') listening(asked)
      else asked.response.writeHead(204).end()
    })
    const client = await connect(`${url}?token=in-the-address`)
    await client.callTool('x')
    await vi.waitFor(() => expect(of(seen, 'GET')).toHaveLength(1))
    await client.close()
    const [initialize] = of(seen, 'initialize')
    expect(initialize?.headers).toMatchObject({
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    })
    expect(initialize?.headers).not.toHaveProperty('mcp-session-id')
    for (const name of ['notifications/initialized', 'tools/call', 'GET', 'DELETE']) {
      const [asked] = of(seen, name)
      expect(asked?.headers).toMatchObject({ ...SESSION, 'mcp-protocol-version': '2025-06-18' })
    }
    expect(of(seen, 'GET')[0]?.headers).toMatchObject({ accept: 'text/event-stream' })
    for (const { headers, response } of seen) {
      expect(headers).not.toHaveProperty('authorization')
      expect(response.req.url).toBe('/mcp?token=in-the-address')
    }
  })

  it('negotiates first, and then sends initialized', async () => {
    const { url, seen } = await serve(({ response }) => response.writeHead(405).end())
    await connect(url)
    const messages = seen.filter(({ method }) => method === 'POST').map(({ message }) => message)
    expect(messages).toMatchObject([
      { id: 1, method: 'server/discover' },
      {
        id: 2,
        method: 'initialize',
        params: {
          protocolVersion: '2025-11-25',
          capabilities: {},
          clientInfo: { name: 'wire', version: '1' },
        },
      },
      { method: 'notifications/initialized' },
    ])
    expect(messages[2]).not.toHaveProperty('id')
  })

  it.for([
    ['with a charset', 'application/json; charset=utf-8', (answer: object) => JSON.stringify(answer)],
    ['in capitals', 'Application/JSON', (answer: object) => JSON.stringify(answer)],
    ['as a batch', 'application/json', (answer: object) => JSON.stringify([answer])],
    [
      'with its id as a string',
      'application/json',
      (answer: object) => JSON.stringify({ ...answer, id: '3' }),
    ],
    [
      'with its id as a string on a stream',
      'text/event-stream',
      (answer: object) => event({ ...answer, id: '3' }, 'one'),
    ],
  ] as const)('accepts a response %s', async ([, type, write]) => {
    const { url, seen } = await servePosts(({ message, response }) => {
      response.writeHead(200, { 'content-type': type })
      response.end(write({ jsonrpc: '2.0', id: message.id, result: DONE }))
    })
    const client = await connect(url)
    expect(await client.callTool('x')).toEqual(DONE)
    expect(seen.filter(({ headers }) => 'last-event-id' in headers)).toEqual([])
  })

  it('delivers messages that precede the response on the same stream, in order', async () => {
    const { url } = await servePosts(({ message, response, stream }) => {
      const write = stream()
      const progressToken = message.id
      for (const progress of [1, 2])
        write(
          event({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress } }),
        )
      write(event({ jsonrpc: '2.0', id: message.id, result: DONE }))
      response.end()
    })
    const client = await connect(url)
    const heard: unknown[] = []
    const onProgress = ({ progress }: { readonly progress: number }): void => void heard.push(progress)
    heard.push(await client.callTool('x', {}, { onProgress }))
    expect(heard).toEqual([1, 2, DONE])
  })

  it("calls the host's fetch and headers functions for each request, even if they are slow", async () => {
    const { url, seen } = await servePosts(({ result }) => result(DONE))
    const methods: unknown[] = []
    const client = await connect(url, {
      fetch: (input, init) => {
        methods.push(init.method)
        return fetch(input, init)
      },
      headers: async ({ method }) => {
        await Promise.resolve()
        return { 'x-signed': `${method} signed` }
      },
    })
    await client.callTool('x')
    await client.close()
    expect(methods).toHaveLength(seen.length)
    for (const { method, headers } of seen) expect(headers['x-signed']).toBe(`${method} signed`)
  })

  it('fails the request if the headers function throws', async () => {
    let broken = false
    const { url } = await serve(({ result }) => result(DONE))
    const client = await connect(url, {
      headers: () => {
        if (broken) throw new Error('The vault is closed')
        return {}
      },
    })
    broken = true
    await expect(client.callTool('x')).rejects.toThrow('The vault is closed')
  })
})

describe("a session's stream", () => {
  it.for([
    ['405', ({ response }: Asked) => response.writeHead(405).end()],
    ['404', ({ response }: Asked) => response.writeHead(404).end()],
    ['JSON', ({ result }: Asked) => result({})],
  ] as const)('is not requested again after %s', async ([, refuse]) => {
    const { url, seen } = await serve((asked) => {
      if (asked.method === 'POST') asked.result(DONE)
      else refuse(asked)
    })
    const client = await connect(url)
    await vi.waitFor(() => expect(of(seen, 'GET')).toHaveLength(1))
    for (let i = 0; i < 10; i++) await client.callTool('x')
    expect(of(seen, 'GET')).toHaveLength(1)
  })

  it('resumes after its last event, even after failed attempts', async () => {
    const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }
    let gets = 0
    const { url, seen } = await serve((asked) => {
      const { method, response, result } = asked
      if (method !== 'GET') {
        result(DONE)
        return
      }
      gets++
      if (gets === 2) response.writeHead(503).end()
      else if (gets === 3) response.destroy()
      else {
        listening(asked)(event(changed, `event-${gets}`))
        if (gets === 1) response.end()
      }
    })
    const client = new Client({ name: 'wire', version: '1' }, { eras: false })
    onTestFinished(() => client.close())
    const heard = listener(client, 'toolsChanged')
    await client.connect(http(url, { reconnect: { initialDelayMs: 1, maxDelayMs: 20 } }))
    await vi.waitFor(() => expect(heard).toHaveBeenCalledTimes(2))
    expect(of(seen, 'GET').map(({ headers }) => headers['last-event-id'])).toEqual([
      undefined,
      'event-1',
      'event-1',
      'event-1',
    ])
  })
})

describe('close', () => {
  it.for([
    ['does not support ending sessions', ({ response }: Asked) => response.writeHead(405).end()],
    ['fails', ({ response }: Asked) => response.writeHead(500).end('no')],
    ['goes away', ({ response }: Asked) => response.destroy()],
  ] as const)('succeeds if the server %s', async ([, end]) => {
    const { url, seen } = await serve((asked) => {
      if (asked.method === 'DELETE') end(asked)
      else asked.response.writeHead(405).end()
    })
    const client = await connect(url)
    await client.close()
    expect(of(seen, 'DELETE').map(({ headers }) => headers['mcp-session-id'])).toEqual(['session-1'])
  })

  // A server that closes waits for unused connections: https://nodejs.org/api/http.html#serverclosecallback.
  it('does not open a connection only to close it', async () => {
    const accepted: Socket[] = []
    const onSocket = (message: unknown): void => void accepted.push((message as { socket: Socket }).socket)
    subscribe('net.server.socket', onSocket)
    onTestFinished(() => void unsubscribe('net.server.socket', onSocket))
    const streams: Asked[] = []
    const { url, seen } = await serve((asked) => {
      if (asked.method === 'GET') {
        streams.push(asked)
        listening(asked)
      } else {
        asked.response.writeHead(204).end()
        for (const { response } of streams) response.end()
      }
    })
    const client = await connect(url)
    await vi.waitFor(() => expect(of(seen, 'GET')).toHaveLength(1))
    await client.close()
    // If the client had opened a connection when it closed, the server would have accepted it before this one.
    await fetch(url, { method: 'DELETE' })
    expect(accepted.map(({ bytesRead }) => bytesRead)).not.toContain(0)
  })

  it('aborts notifications that are being sent', async () => {
    const left = vi.fn<() => void>()
    let asked = false
    const url = await scripted((request) => {
      if (request.message.method === 'notifications/example') {
        asked = true
        request.response.once('close', left)
      } else handshake(request, SESSION)
    })
    const client = await connect(url)
    void client.notify('notifications/example').catch(() => {})
    await vi.waitFor(() => expect(asked).toBe(true))
    await client.close()
    await vi.waitFor(() => expect(left).toHaveBeenCalledOnce())
  })

  it('rejects pending calls and closes all streams', async () => {
    const left = vi.fn<(method: string) => void>()
    const { url, seen } = await serve((asked) => {
      if (asked.method === 'DELETE') {
        asked.response.writeHead(204).end()
        return
      }
      asked.response.once('close', () => left(asked.method))
      listening(asked)
    })
    const client = await connect(url)
    const call = client.callTool('x').catch((error: unknown) => error)
    await vi.waitFor(() => {
      expect(of(seen, 'GET')).toHaveLength(1)
      expect(of(seen, 'tools/call')).toHaveLength(1)
    })
    await client.close()
    expect(await call).toBeInstanceOf(ConnectionClosedError)
    await vi.waitFor(() => expect(left.mock.calls.flat().toSorted()).toEqual(['GET', 'POST']))
  })
})
