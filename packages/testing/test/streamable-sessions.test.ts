import { initialize } from '@jetway-apps/test-support'
import { McpServer } from '@jetway/core'
import type { EndpointOptions } from '@jetway/core/http'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  AdapterClient,
  type Sent,
  type SentHeaders,
  type WholeReply,
} from '../src/contracts/adapter/client.ts'
import { fastify, hono } from './support/adapters.ts'

/**
 * Tests sessions over Streamable HTTP, as bytes on a socket. See
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */

const frame = (id: number | string | undefined, method: string, params?: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })
const PING = frame(7, 'ping')
const hold = (id: number | string): string => frame(id, 'tools/call', { name: 'hold' })

async function openSession(client: AdapterClient, version = '2025-11-25') {
  const { headers } = await client.send({ body: JSON.stringify(initialize(version)) })
  const session = { 'mcp-session-id': String(headers['mcp-session-id']), 'mcp-protocol-version': version }
  await client.send({ headers: session, body: frame(undefined, 'notifications/initialized') })
  return session
}

/** Returns the status with which the server replies to each method in a session. */
const verbs = async (client: AdapterClient, headers: SentHeaders): Promise<number[]> => {
  const sent: Sent[] = [{ body: PING }, { method: 'GET' }, { method: 'DELETE' }]
  const replies: WholeReply[] = []
  for (const one of sent) replies.push(await client.send({ ...one, headers }))
  return replies.map(({ status }) => status)
}

describe.each([
  ['Fastify', fastify],
  ['Hono', hono],
])('a session on %s', (_name, subject) => {
  async function serve(options: EndpointOptions = {}) {
    const logger = { debug() {}, info() {}, warn() {}, error() {} }
    const server = new McpServer({ name: 'rows', version: '1.0.0' }, { logger })
    const holding: { readonly go: () => void; readonly signal: AbortSignal }[] = []
    server.addTool({
      name: 'hold',
      handler: (_args, { signal }) =>
        new Promise((resolve) => holding.push({ go: () => resolve('held'), signal })),
    })
    for (const name of ['b', 'a', 'c']) {
      server.addTool({
        name,
        async handler(_args, ctx) {
          await ctx.progress(1)
          return name
        },
      })
    }
    const served = await subject.serve(server, options, {})
    const client = new AdapterClient(served.url, 15_000)
    onTestFinished(() => served.release())
    onTestFinished(() => server.close({ deadline: 0 }))
    onTestFinished(() => client.close())
    return { server, client, holding }
  }

  it.each([
    ['2024-11-05', ['2025-06-18', undefined]],
    ['2025-03-26', ['2025-03-26', undefined]],
    ['2025-06-18', ['2025-06-18', undefined]],
    ['2025-11-25', ['2025-11-25', undefined]],
  ])(
    'in revision %s, accepts a supported or missing version header, and refuses others with 400',
    async (version, taken) => {
      const { client } = await serve()
      const { 'mcp-session-id': id } = await openSession(client, version)
      const status = async (header: string | undefined): Promise<number> => {
        // A header whose list of values is empty is not sent.
        const headers = { 'mcp-session-id': id, 'mcp-protocol-version': header ?? [] }
        return (await client.send({ headers, body: PING })).status
      }
      for (const header of taken) expect([header, await status(header)]).toEqual([header, 200])
      for (const header of ['1999-01-01', '2026-07-28', 'x'])
        expect([header, await status(header)]).toEqual([header, 400])
    },
  )

  it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
    'in revision %s, opens streams with event ids and, since 2025-11-25, with a priming event',
    async (version) => {
      const { client } = await serve({ streams: { retryMs: 1_234 } })
      const headers = await openSession(client, version)
      const call = frame(5, 'tools/call', { name: 'a', _meta: { progressToken: 't' } })
      const { body } = await client.send({ headers, body: call })
      const events = body.split('\n\n').filter((text) => text !== '')
      const primed = version === '2025-11-25'
      expect(events.filter((text) => /^data: ?$/m.test(text))).toHaveLength(primed ? 1 : 0)
      expect(/^retry: 1234$/m.test(body)).toBe(primed)
      if (primed) expect(events[0]).toMatch(/^data: ?$/m)
      const ids = events.map((text) => /^id: (\S+)$/m.exec(text)?.[1])
      expect(ids).not.toContain(undefined)
      expect(new Set(ids).size).toBe(events.length)
      expect(events.slice(-2).map((text) => /"progress":1/.test(text) || /"id":5/.test(text))).toEqual([
        true,
        true,
      ])
    },
  )

  it('ends its streams and calls on DELETE, and responds to later requests with 404', async () => {
    const { client, holding } = await serve({ streams: { upgradeAfterMs: 1 } })
    const headers = await openSession(client)
    const stream = await client.open({ method: 'GET', headers })
    const call = await client.open({ headers, body: hold(5) })
    expect((await client.send({ method: 'DELETE', headers })).status).toBe(204)
    await stream.whole()
    await call.whole()
    expect(holding.map(({ signal }) => signal.aborted)).toEqual([true])
    expect(call.text()).toContain('"id":5,"error":{"code":-32603,"message":"The server ended the call"}')
    expect(await verbs(client, headers)).toEqual([404, 404, 404])
  })

  it("still receives notifications after another session's stream has closed", async () => {
    const { server, client } = await serve()
    const sessions = [await openSession(client), await openSession(client), await openSession(client)]
    const [a, broken, c] = await Promise.all(
      sessions.map((headers) => client.open({ method: 'GET', headers })),
    )
    broken?.leave()
    server.addTool({ name: 'late', handler: () => 'x' })
    for (const stream of [a, c]) await stream?.until('notifications/tools/list_changed')
    server.removeTool('late')
    for (const stream of [a, c]) {
      await vi.waitFor(() => expect(stream?.text().match(/list_changed/g)).toHaveLength(2))
      stream?.leave()
    }
  })

  it('limits concurrent calls, but not pings', async () => {
    const { client, holding } = await serve()
    const headers = await openSession(client)
    const ids = Array.from({ length: 257 }, (_, n) => n + 1_000)
    const calls = ids.map((id) => client.send({ headers, body: hold(id) }))
    await vi.waitFor(() => expect(holding).toHaveLength(64))
    // The server does not read connections in order, so the refused call shows that all calls have arrived.
    const more = await Promise.race(calls)
    expect([more.status, JSON.parse(more.body)]).toMatchObject([503, { error: { code: -32603 } }])
    expect((await client.send({ headers, body: PING })).status).toBe(200)
    let released = 0
    await vi.waitFor(() => {
      for (; released < holding.length; released++) holding[released]?.go()
      expect(released).toBe(256)
    })
    expect((await Promise.all(calls)).filter(({ body }) => body.includes('held'))).toHaveLength(256)
  })
})
