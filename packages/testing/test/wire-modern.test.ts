import { requestMeta } from '@jetway-apps/test-support'
import { createMemoryTransportPair, type Transport } from '@jetway/core/transport'
import { describe, expect, it, onTestFinished } from 'vitest'
import { HttpTransport } from '../src/http-transport.ts'
import { connectPeer, type RawResponse } from '../src/peer.ts'
import { recordTransport } from '../src/record-transport.ts'
import { fastify, hono } from './support/adapters.ts'
import { createTellingServer, exerciseModern, faults } from './support/telling-server.ts'
import { validateWire } from './support/wire.ts'

const REVISION = '2026-07-28'

type Telling = ReturnType<typeof createTellingServer>

const sockets =
  (subject: typeof fastify) =>
  async (server: Telling): Promise<{ dial: () => Transport; url: string }> => {
    const { url, release } = await subject.serve(server, {}, {})
    onTestFinished(release)
    return { dial: () => new HttpTransport({ url }), url }
  }

const TRANSPORTS = {
  memory: (server: Telling): { dial: () => Transport } => ({
    dial: () => {
      const [client, end] = createMemoryTransportPair()
      server.connect(end)
      return client
    },
  }),
  Fastify: sockets(fastify),
  Hono: sockets(hono),
}
const SERVERS = { 'with the session revisions': {}, alone: { revisions: [REVISION] } } as const
const CELLS = Object.keys(TRANSPORTS).flatMap((over) =>
  Object.keys(SERVERS).map(
    (kind) => [over as keyof typeof TRANSPORTS, kind as keyof typeof SERVERS] as const,
  ),
)

async function run(over: keyof typeof TRANSPORTS, kind: keyof typeof SERVERS) {
  const server = createTellingServer(SERVERS[kind])
  onTestFinished(() => server.close({ deadline: 0 }))
  const { dial } = await TRANSPORTS[over](server)
  const { transport, frames } = recordTransport(dial())
  const peer = await connectPeer(transport, { revision: REVISION })
  const answers = await exerciseModern(peer)
  await peer.close()
  return { answers, frames, strays: peer.strays }
}

// https://modelcontextprotocol.io/specification/2026-07-28/schema
describe.each(CELLS)('all messages from a server without sessions, over %s, %s', (over, kind) => {
  it("match the revision's schema, with exactly one response to every request", async () => {
    const { answers, frames, strays } = await run(over, kind)
    const received = frames.filter(({ direction }) => direction === 'received')
    expect(received.length).toBeGreaterThan(answers.size + 12)
    expect(faults(REVISION, frames)).toEqual([])
    expect(JSON.stringify(frames)).not.toContain('canary')
    for (const [name, answer] of answers)
      expect(Number('result' in answer) + Number('error' in answer), name).toBe(1)
    expect(strays.map((stray) => (stray as RawResponse).error?.code)).toEqual([-32700, -32600, -32600])
  })

  it('preserve structured values of every JSON type, and include resultType and serverInfo', async () => {
    const { answers } = await run(over, kind)
    const structured = (name: string): unknown => answers.get(name)?.result?.['structuredContent']
    expect(['object', 'list', 'date', 'either', 'bare', 'number'].map(structured)).toEqual([
      { a: 1 },
      [1, 2],
      '1970-01-01T00:00:00.000Z',
      null,
      { a: 1 },
      5,
    ])
    for (const [name, { result }] of answers)
      if (result !== undefined)
        expect(result, name).toMatchObject({
          resultType: 'complete',
          _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'wire' } },
        })
  })

  it("use the revision's error codes", async () => {
    const { answers } = await run(over, kind)
    const code = (name: string): unknown => answers.get(name)?.error?.code
    for (const name of ['gone', 'refused', 'unknown']) expect([name, code(name)]).toEqual([name, -32602])
    for (const name of ['ping', 'logging/setLevel', 'resources/subscribe', 'initialize', 'tasks/list'])
      expect([name, code(name)]).toEqual([name, -32601])
  })
})

describe.each(['Fastify', 'Hono'] as const)('an error response without a session on %s', (over) => {
  it('is a JSON-RPC error, regardless of what is wrong with the request', async () => {
    const server = createTellingServer({ revisions: [REVISION] })
    onTestFinished(() => server.close({ deadline: 0 }))
    const { url } = await TRANSPORTS[over](server)
    const _meta = requestMeta({}, REVISION)
    const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/list', params: { _meta } })
    const bare = '{"jsonrpc":"2.0","id":7,"method":"tools/list"}'
    const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const full = { ...json, 'mcp-protocol-version': REVISION, 'mcp-method': 'tools/list' }
    const post = (headers: Record<string, string>, text: string): RequestInit => ({
      method: 'POST',
      headers,
      body: text,
    })
    const cases: readonly [status: number, code: number, init: RequestInit, id?: number][] = [
      [400, -32020, post(json, body), 7],
      [400, -32020, post({ ...full, 'mcp-method': 'tools/call' }, body), 7],
      [400, -32020, post({ ...full, 'mcp-protocol-version': '2025-11-25' }, body), 7],
      [400, -32602, post(full, bare), 7],
      [
        400,
        -32022,
        post({ ...full, 'mcp-protocol-version': '1999-01-01' }, body.replace(REVISION, '1999-01-01')),
        7,
      ],
      [400, -32700, post(full, '{')],
      [400, -32600, post(full, '{"jsonrpc":"2.0"}')],
      [400, -32600, post(full, '[]')],
      [415, -32600, post({ ...full, 'content-type': 'text/plain' }, body)],
      [406, -32600, post({ ...full, accept: 'text/html' }, body)],
      [403, -32600, post({ ...full, origin: 'https://evil.example.com' }, body)],
      [405, -32600, { method: 'GET', headers: { accept: 'text/event-stream' } }],
      [405, -32600, { method: 'DELETE' }],
      [405, -32600, { method: 'PUT', headers: full, body }],
    ]
    for (const [status, code, init, id] of cases) {
      const response = await fetch(url, init)
      const message = (await response.json()) as { id?: number; error?: { code?: number } }
      const subject = [init.method, init.headers, init.body]
      expect([...subject, response.status, message.error?.code, message.id]).toEqual([
        ...subject,
        status,
        code,
        id,
      ])
      expect(validateWire(REVISION, message, { direction: 'server' })).toEqual([])
    }
  })
})
