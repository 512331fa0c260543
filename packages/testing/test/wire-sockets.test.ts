import { callTool } from '@jetway-apps/test-support'
import type { RevisionDate } from '@jetway/core/protocol'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { HttpMount } from '../src/matrix-transports.ts'
import { HttpTransport } from '../src/http-transport.ts'
import { connectPeer } from '../src/peer.ts'
import { type RecordedExchange, recordFetch } from '../src/record-fetch.ts'
import { parse, recordTransport } from '../src/record-transport.ts'
import { fastify, hono } from './support/adapters.ts'
import { createTellingServer, exercise, faults } from './support/telling-server.ts'
import { validateWire } from './support/wire.ts'

const REVISIONS: readonly RevisionDate[] = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']
const NEWEST = '2025-11-25'
const SUBJECTS = { Fastify: fastify, Hono: hono }
const CELLS = Object.keys(SUBJECTS).flatMap((name) => REVISIONS.map((revision) => [name, revision] as const))

type Telling = ReturnType<typeof createTellingServer>

async function serve(
  name: string,
  revision: RevisionDate,
): Promise<{ readonly server: Telling; readonly url: string }> {
  const server = createTellingServer({ revisions: [revision] })
  const served: HttpMount & { release(): Promise<void> | void } = await SUBJECTS[
    name as keyof typeof SUBJECTS
  ].serve(server, {}, {})
  onTestFinished(() => served.release())
  onTestFinished(() => server.close({ deadline: 0 }))
  return { server, url: served.url }
}

/** Returns every frame in a reply, from its body or its events. */
const frames = ({ message, events }: RecordedExchange): unknown[] =>
  events.length === 0
    ? [message].filter((one) => one !== undefined)
    : events
        .map(({ data }) => data)
        .filter((data) => data !== '')
        .map(parse)

describe.each(CELLS)('a server on %s that supports only %s', (name, revision) => {
  it('negotiates its own revision with a newer client, and sends only what the revision defines', async () => {
    const { server, url } = await serve(name, revision)
    const { transport, frames: heard } = recordTransport(new HttpTransport({ url }))
    const peer = await connectPeer(transport, { revision: NEWEST })
    expect(peer.initialized['protocolVersion']).toBe(revision)
    const answers = await exercise(peer, server)
    await peer.close()
    expect(heard.filter(({ direction }) => direction === 'received').length).toBeGreaterThan(answers.size + 9)
    expect(faults(revision, heard)).toEqual([])
  })

  it('responds to a batch if the revision has batches, and otherwise refuses it with 400', async () => {
    const { url } = await serve(name, revision)
    const { fetch, exchanges } = recordFetch(globalThis.fetch)
    const transport = new HttpTransport({ url, fetch, listen: false })
    const peer = await connectPeer(transport, { revision: NEWEST })
    const call = (id: number, tool: string): object =>
      callTool(tool, { n: 1 }, { id, meta: { progressToken: id } })
    const batches = [
      [call(1, 'contents'), { jsonrpc: '2.0', id: 'p', method: 'ping' }, call(3, 'unknown')],
      [call(4, 'busy'), { jsonrpc: '2.0', method: 'notifications/roots/list_changed' }, call(5, 'object')],
      [{ jsonrpc: '2.0', method: 'notifications/roots/list_changed' }],
    ]
    const from = exchanges.length
    for (const batch of batches) await peer.raw(JSON.stringify(batch))
    const posts = exchanges.slice(from)
    const said = (): unknown[][] => posts.map((exchange) => frames(exchange).flat())
    if (revision === '2025-03-26') {
      const ids = (): unknown[][] =>
        said().map((all) => all.map((one) => (one as { id?: unknown }).id).filter((id) => id !== undefined))
      await vi.waitFor(() => expect(ids()).toEqual([[1, 'p', 3], expect.arrayContaining([4, 5]), []]))
      expect(posts.map(({ status }) => status)).toEqual([200, 200, 202])
    } else {
      expect(posts.map(({ status }) => status)).toEqual([400, 400, 400])
      for (const [refusal] of said()) {
        expect(refusal).toMatchObject({ error: { code: -32600 } })
        expect(refusal).not.toHaveProperty('id')
      }
    }
    expect(
      said()
        .flat()
        .flatMap((frame) => validateWire(revision, frame, { direction: 'server' })),
    ).toEqual([])
    await peer.close()
  })

  it('refuses an invalid request with a JSON-RPC error, regardless of what is wrong with the request', async () => {
    const { url } = await serve(name, revision)
    const transport = new HttpTransport({ url, listen: false })
    const peer = await connectPeer(transport, { revision: NEWEST })
    const session = { 'mcp-session-id': transport.sessionId ?? '' }
    const ping = '{"jsonrpc":"2.0","id":7,"method":"ping"}'
    const accept = 'application/json, text/event-stream'
    const json = { 'content-type': 'application/json', accept }
    const stream = { accept: 'text/event-stream' }
    const cases: readonly [status: number, init: RequestInit, id?: number][] = [
      [400, { method: 'POST', headers: json, body: ping }, 7],
      [404, { method: 'POST', headers: { ...json, 'mcp-session-id': 'unknown' }, body: ping }],
      [
        400,
        {
          method: 'POST',
          headers: { ...json, ...session, 'mcp-protocol-version': '1999-01-01' },
          body: ping,
        },
        7,
      ],
      [400, { method: 'POST', headers: { ...json, ...session }, body: '{' }],
      [400, { method: 'POST', headers: { ...json, ...session }, body: '{"jsonrpc":"2.0"}' }],
      [415, { method: 'POST', headers: { ...json, ...session, 'content-type': 'text/plain' }, body: ping }],
      [406, { method: 'POST', headers: { ...json, ...session, accept: 'text/html' }, body: ping }],
      [
        403,
        { method: 'POST', headers: { ...json, ...session, origin: 'https://evil.example.com' }, body: ping },
      ],
      [400, { method: 'GET', headers: stream }],
      [404, { method: 'GET', headers: { ...stream, 'mcp-session-id': 'unknown' } }],
      [400, { method: 'GET', headers: { ...stream, ...session, 'last-event-id': 'forged' } }],
      [406, { method: 'GET', headers: { ...session, accept: 'application/json' } }],
      [405, { method: 'PUT', headers: json, body: ping }],
    ]
    for (const [status, init, id] of cases) {
      const response = await fetch(url, init)
      const message = (await response.json()) as unknown
      expect([init.method, init.headers, response.status]).toEqual([init.method, init.headers, status])
      expect(validateWire(revision, message, { direction: 'server' })).toEqual([])
      expect(message).toMatchObject({ error: { code: expect.any(Number), message: expect.any(String) } })
      expect((message as { id?: number }).id).toBe(id)
    }
    await peer.close()
  })
})
