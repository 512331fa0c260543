import { elicit, McpServer } from '@jetway/core'
import type { EndpointOptions } from '@jetway/core/http'
import { systemClock } from '@jetway/core/stores'
import Fastify from 'fastify'
import { mcp } from '@jetway/fastify'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { fastify, hono } from './support/adapters.ts'

// The life of a session as its client sees it, over real sockets.

const VERSION = '2025-06-18'
const ping = { id: 9, method: 'ping' }
const ask = { id: 5, method: 'tools/call', params: { name: 'ask' } }
const VERBS = ['POST', 'GET', 'DELETE'] as const

class Client {
  readonly #url: string
  readonly headers: Record<string, string>

  constructor(url: string, headers: Record<string, string>) {
    this.#url = url
    this.headers = headers
  }

  send(method: string, message?: object): Promise<Response> {
    const body = message === undefined ? {} : { body: JSON.stringify({ jsonrpc: '2.0', ...message }) }
    const accept = method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream'
    const headers = { accept, 'content-type': 'application/json', ...this.headers }
    return fetch(this.#url, { method, headers, ...body })
  }

  /** The status of a request. Does not read the body. */
  async status(method: string): Promise<number> {
    const answer = await this.send(method, method === 'POST' ? ping : undefined)
    await answer.body?.cancel()
    return answer.status
  }

  /** Opens the GET stream. */
  async listen(): Promise<Stream> {
    return new Stream(await this.send('GET'))
  }
}

/** Reads a stream step by step. */
class Stream {
  readonly status: number
  text = ''
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #decoder = new TextDecoder()

  constructor(response: Response) {
    this.status = response.status
    this.#reader = (response.body as ReadableStream<Uint8Array>).getReader()
  }

  async until(text: string): Promise<void> {
    while (!this.text.includes(text)) {
      if (!(await this.#read())) throw new Error(`The stream ended without ${text}: ${this.text}`)
    }
  }
  async ended(): Promise<void> {
    while (await this.#read());
  }
  leave(): Promise<void> {
    return this.#reader.cancel()
  }

  async #read(): Promise<boolean> {
    const { done, value } = await this.#reader.read()
    if (value !== undefined) this.text += this.#decoder.decode(value, { stream: true })
    return !done
  }
}

describe.each([
  ['fastify', fastify],
  ['hono', hono],
] as const)('sessions on %s', (_name, subject) => {
  async function start(options: EndpointOptions = {}) {
    let ahead = 0
    const server = new McpServer(
      { name: 'lifecycle', version: '1' },
      { clock: { ...systemClock, now: () => Date.now() + ahead } },
    )
    server.addTool({
      name: 'ask',
      handler: async (_args, ctx) =>
        (await ctx.elicit('Sure?', z.object({ ok: z.boolean() }))).ok ? 'yes' : 'no',
    })
    const mount = await subject.serve(
      server,
      {
        ...options,
        authenticate: (request) => {
          const principal = request.header('x-user')
          return principal === undefined ? undefined : { principal }
        },
      },
      {},
    )
    onTestFinished(async () => {
      await server.close({ deadline: 0 })
      await mount.release()
    })
    const open = async (user = 'ada'): Promise<Client> => {
      const params = {
        protocolVersion: VERSION,
        capabilities: { elicitation: {} },
        clientInfo: { name: 'raw', version: '1' },
      }
      const stranger = new Client(mount.url, { 'x-user': user })
      const opened = await stranger.send('POST', { id: 0, method: 'initialize', params })
      await opened.text()
      if (opened.status !== 200) throw new Error(`Refused with ${opened.status}`)
      const client = new Client(mount.url, {
        'x-user': user,
        'mcp-session-id': opened.headers.get('mcp-session-id') ?? '',
        'mcp-protocol-version': VERSION,
      })
      await (await client.send('POST', { method: 'notifications/initialized' })).text()
      return client
    }
    const skip = (ms: number): void => void (ahead += ms)
    return { server, url: mount.url, close: mount.close, skip, open }
  }

  const statuses = async (client: Client): Promise<readonly number[]> => {
    const all: number[] = []
    for (const verb of VERBS) all.push(await client.status(verb))
    return all
  }

  it('end with DELETE, with their streams, for every method', async () => {
    const { server, open } = await start()
    const heard: string[] = []
    server.on('session:open', ({ principal }) => heard.push(`open ${principal}`))
    server.on('session:close', ({ principal }) => heard.push(`close ${principal}`))
    const client = await open()
    const stream = await client.listen()
    expect((await client.send('DELETE')).status).toBe(204)
    await stream.ended()
    expect(await statuses(client)).toEqual([404, 404, 404])
    expect(heard).toEqual(['open ada', 'close ada'])
  })

  it('remain if the mount does not allow DELETE, which gets 405 and Allow', async () => {
    const { open } = await start({ sessions: { allowDelete: false } })
    const client = await open()
    const refused = await client.send('DELETE')
    await refused.text()
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, POST, OPTIONS'])
    expect(await client.status('POST')).toBe(200)
  })

  it('expire when idle, but not while their stream is open', async () => {
    const { open, skip } = await start()
    const [idle, listening] = [await open(), await open()]
    const stream = await listening.listen()
    expect(stream.status).toBe(200)
    skip(30 * 60_000 + 1)
    expect(await statuses(idle)).toEqual([404, 404, 404])
    expect(await listening.status('POST')).toBe(200)
    await stream.leave()
  })

  it('are limited per principal: idle ones are evicted, active ones are not', async () => {
    const { open } = await start({ sessions: { maxPerPrincipal: 2 } })
    const [first, second] = [await open(), await open()]
    const streams = [await first.listen()]
    const third = await open()
    expect(await statuses(second)).toEqual([404, 404, 404])
    streams.push(await third.listen())
    await expect(open()).rejects.toThrow('503')
    await open('bob')
    expect(await first.status('POST')).toBe(200)
    for (const stream of streams) await stream.leave()
  })

  it('are limited per node', async () => {
    const { open } = await start({ sessions: { max: 2 } })
    const clients = [await open('a'), await open('b')]
    const streams = [await clients[0]?.listen(), await clients[1]?.listen()]
    await expect(open('c')).rejects.toThrow('503')
    for (const stream of streams) await stream?.leave()
  })

  it('get notifications even if other sessions are gone', async () => {
    const { server, open } = await start()
    const clients = [await open('a'), await open('b'), await open('c')]
    const streams: Stream[] = []
    for (const client of clients) streams.push(await client.listen())
    await streams[1]?.leave()
    server.addTool({ name: 'more', handler: () => 'x' })
    await streams[0]?.until('tools/list_changed')
    await streams[2]?.until('tools/list_changed')
    for (const stream of streams) await stream.leave()
  })

  it('accept no new requests while the server drains, but responses that a call waits for', async () => {
    const { server, open, url } = await start()
    const client = await open()
    const call = new Stream(await client.send('POST', ask))
    await call.until('elicitation/create')
    const question = JSON.parse(/data: (.*elicitation.*)/.exec(call.text)?.[1] ?? '') as { id: unknown }
    const closed = server.close()
    const refused = await client.send('POST', ping)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await refused.json()).toMatchObject({ jsonrpc: '2.0', error: { code: -32603 } })
    expect([await client.status('GET'), await client.status('DELETE')]).toEqual([503, 503])
    await expect(open()).rejects.toThrow('503')
    expect(await new Client(url, {}).status('POST')).toBe(503)
    const answer = { id: question.id, result: { action: 'accept', content: { ok: true } } }
    expect((await client.send('POST', answer)).status).toBe(202)
    await call.until('"yes"')
    await call.ended()
    await closed
    expect(await client.status('POST')).toBe(503)
  })

  it('continue in another process with sealed ids, for their own principal only', async () => {
    const sessions = { seal: { keys: [new Uint8Array(32).fill(3)] } }
    const one = await start({ sessions })
    const client = await one.open()
    const two = await start({ sessions })
    const moved = new Client(two.url, client.headers)
    expect(await moved.status('POST')).toBe(200)
    const stolen = new Client(two.url, { ...client.headers, 'x-user': 'bob' })
    expect(await statuses(stolen)).toEqual([404, 404, 404])
    expect(await moved.status('DELETE')).toBe(204)
    expect(await statuses(moved)).toEqual([404, 404, 404])
  })

  it("get the mount's deadline when the host closes", async () => {
    const { server, open, close } = await start({ limits: { closeDeadlineMs: 50 } })
    let aborted = false
    server.addTool({
      name: 'hang',
      handler: (_args, { signal }) => {
        signal.addEventListener('abort', () => (aborted = true))
        return new Promise<string>(() => {})
      },
    })
    const client = await open()
    const call = client.send('POST', {
      id: 3,
      method: 'tools/call',
      params: { name: 'hang', _meta: { progressToken: 1 } },
    })
    const running = new Promise<void>((resolve) => server.on('session:close', () => resolve()))
    await (await client.send('POST', ping)).text()
    const began = performance.now()
    await close()
    await running
    expect(aborted).toBe(true)
    expect(performance.now() - began).toBeLessThan(9_000)
    await (await call).text().catch(() => {})
  })
})

it('Fastify accepts responses while the app closes, with return503OnClosing off', async () => {
  const server = new McpServer({ name: 'closing', version: '1' })
  server.addTool({
    name: 'ask',
    asks: { sure: () => elicit('Sure?', z.object({ ok: z.boolean() })) },
    handler: (_args, { answers }) => (answers.sure.ok ? 'yes' : 'no'),
  })
  const app = Fastify({ return503OnClosing: false })
  await app.register(mcp, { server })
  const url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/mcp`
  const params = {
    protocolVersion: VERSION,
    capabilities: { elicitation: {} },
    clientInfo: { name: 'raw', version: '1' },
  }
  const opened = await new Client(url, {}).send('POST', { id: 0, method: 'initialize', params })
  await opened.text()
  const client = new Client(url, { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' })
  const call = new Stream(await client.send('POST', ask))
  await call.until('elicitation/create')
  const question = JSON.parse(/data: (.*elicitation.*)/.exec(call.text)?.[1] ?? '') as { id: unknown }
  const closed = app.close()
  expect(await client.status('POST')).toBe(503)
  const answer = { id: question.id, result: { action: 'accept', content: { ok: true } } }
  expect((await client.send('POST', answer)).status).toBe(202)
  await call.until('"yes"')
  await closed
})
