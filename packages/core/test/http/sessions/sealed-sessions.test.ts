import { request, settled } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { toFetch } from '../../../src/http/fetch.ts'
import type { EndpointOptions } from '../../../src/http/options.ts'
import { McpServer } from '../../../src/index.ts'
import { type Answer, createHarness, type Harness, initializeMessage } from '../support/harness.ts'

const KEY = new Uint8Array(32).fill(7)
const NEW_KEY = new Uint8Array(32).fill(8)
const ping = { jsonrpc: '2.0', id: 9, method: 'ping' }
const alice = { auth: { principal: 'alice' } }
const bob = { auth: { principal: 'bob' } }
const bytes = ({ status, headers, text }: Answer): string => JSON.stringify([status, headers, text])

interface ProcessOptions {
  readonly keys?: readonly (Uint8Array | string)[]
  readonly endpoint?: EndpointOptions
  readonly maxAgeMs?: number
}

/** Starts one process of a deployment. All processes define the same server, and by default have the same keys. */
function start({ keys = [KEY], endpoint, maxAgeMs }: ProcessOptions = {}): Harness {
  const seal = { keys, ...(maxAgeMs === undefined ? {} : { maxAgeMs }) }
  return createHarness({
    endpoint: { ...endpoint, sessions: { ...endpoint?.sessions, seal } },
    setUp: (server) =>
      void server.addTool({
        name: 'who',
        handler: (_args, { client, session }) =>
          JSON.stringify([client.info, client.capabilities, session?.id]),
      }),
  })
}

const described = (capabilities: object, clientInfo: object): object =>
  request('initialize', { protocolVersion: '2025-06-18', capabilities, clientInfo })

const status = async (process: Harness, headers: Record<string, string>): Promise<number> =>
  (await process.post(ping, headers)).status

describe('a session with a sealed id', () => {
  it('continues in another process that has the same keys', async () => {
    const one = start()
    const session = await one.open()
    expect(session.id).toMatch(/^[A-Za-z0-9_-]{100,300}$/)
    await one.endpoint.close()
    const two = start()
    const called = await two.post(
      { jsonrpc: '2.0', id: 4, method: 'tools/call', params: { name: 'who' } },
      session.headers,
    )
    expect(called.status).toBe(200)
    expect(JSON.parse((called.json.result as { content: [{ text: string }] }).content[0].text)).toEqual([
      { name: 'test', version: '1.0.0' },
      {},
      session.id,
    ])
    expect((await two.post(initializeMessage(), session.headers)).status).toBe(400)
  })

  it("keeps the client's capabilities, and still sends change notifications for lists", async () => {
    const capabilities = { roots: { listChanged: true }, elicitation: {}, experimental: { x: { y: 1 } } }
    const info = { name: 'Grüße 😀', version: '2', title: 'T', websiteUrl: 'https://example.com' }
    const one = start()
    const opened = await one.post(described(capabilities, info))
    const headers = { 'mcp-session-id': opened.headers['mcp-session-id'] as string }
    const two = start()
    const stream = await two.send({ method: 'GET', headers })
    expect(stream.status).toBe(200)
    two.server.addTool({ name: 'more', handler: () => 'x' })
    await settled()
    expect(stream.sink.messages.map(({ method }) => method)).toEqual(['notifications/tools/list_changed'])
    const called = await two.post(
      { jsonrpc: '2.0', id: 4, method: 'tools/call', params: { name: 'who' } },
      headers,
    )
    const { text } = (called.json.result as { content: [{ text: string }] }).content[0]
    expect(JSON.parse(text).slice(0, 2)).toEqual([
      { name: 'Grüße 😀', version: '2', title: 'T' },
      capabilities,
    ])
  })

  it('survives key rotation until its own key is removed', async () => {
    const session = await start().open()
    expect(await status(start({ keys: [NEW_KEY, KEY] }), session.headers)).toBe(200)
    expect(await status(start({ keys: [NEW_KEY] }), session.headers)).toBe(404)
  })

  it('emits session:open with `resumed` only once, even for concurrent requests', async () => {
    const session = await start().open()
    const two = start()
    const heard: unknown[] = []
    two.server.on('session:open', ({ sessionId, resumed }) => heard.push([sessionId, resumed]))
    const answers = await Promise.all(Array.from({ length: 10 }, () => two.post(ping, session.headers)))
    expect(answers.map((answer) => answer.status)).toEqual(Array.from({ length: 10 }, () => 200))
    expect(heard).toEqual([[session.id, true]])
  })

  it('has the time to live of an initialized session', async () => {
    const session = await start().open()
    const two = start()
    expect(await status(two, session.headers)).toBe(200)
    await two.clock.advance(29 * 60_000)
    expect(await status(two, session.headers)).toBe(200)
    await two.clock.advance(31 * 60_000)
    expect(await status(two, session.headers)).toBe(404)
  })
})

describe('an invalid sealed id', () => {
  it('causes the same reply as an unknown session, for every HTTP method', async () => {
    const mine = await start().open({ more: alice })
    const other = await start({ keys: [NEW_KEY] }).open({ more: alice })
    const old = start({ maxAgeMs: 1_000 })
    await old.clock.advance(1_001)
    const two = start()
    const forged = mine.id.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))
    for (const method of ['POST', 'GET', 'DELETE']) {
      const ask = (process: Harness, id: string, who: typeof alice | object): Promise<Answer> =>
        process.send({
          method,
          headers: { 'mcp-session-id': id },
          ...(method === 'POST' && { body: ping }),
          ...who,
        })
      const unknown = bytes(await ask(two, 'never-was', alice))
      expect(unknown).toContain('[404,')
      expect(bytes(await ask(two, forged, alice))).toBe(unknown)
      expect(bytes(await ask(two, other.id, alice))).toBe(unknown)
      expect(bytes(await ask(two, mine.id, bob))).toBe(unknown)
      expect(bytes(await ask(two, mine.id, {}))).toBe(unknown)
      expect(bytes(await ask(old, mine.id, alice))).toBe(unknown)
      expect(bytes(await ask(two, mine.id.repeat(8).slice(0, 1_024), alice))).toBe(unknown)
    }
    expect((await two.post(ping, mine.headers, alice)).status).toBe(200)
  })

  it('is refused if it was created by another server with the same keys', async () => {
    const session = await start().open()
    const handler = toFetch(new McpServer({ name: 'another', version: '1' }), {
      sessions: { seal: { keys: [KEY] } },
    })
    const answer = await handler(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-session-id': session.id,
        },
        body: JSON.stringify(ping),
      }),
    )
    expect(answer.status).toBe(404)
    await handler.close()
  })

  it('is refused by another process after `maxAgeMs`, but not by the process that issued it', async () => {
    const one = start({ maxAgeMs: 60_000 })
    const session = await one.open()
    const two = start({ maxAgeMs: 60_000 })
    for (const { clock } of [one, two]) await clock.advance(59_000)
    const stays = start({ maxAgeMs: 60_000 })
    await stays.clock.advance(59_999)
    expect(await status(stays, session.headers)).toBe(200)
    await two.clock.advance(1_000)
    expect(await status(two, session.headers)).toBe(404)
    await stays.clock.advance(60_000)
    expect(await status(stays, session.headers)).toBe(200)
    expect(await status(one, session.headers)).toBe(200)
  })

  it('is refused if its revision is no longer served', async () => {
    const session = await start().open({ version: '2025-03-26' })
    expect(await status(start({ endpoint: { revisions: ['2025-11-25'] } }), session.headers)).toBe(404)
  })
})

describe('ending a session with a sealed id', () => {
  it('is permanent in the process that opened the session, after DELETE, expiry or eviction', async () => {
    const one = start({ endpoint: { sessions: { max: 1 } } })
    const deleted = await one.open()
    await deleted.delete()
    expect(await status(one, deleted.headers)).toBe(404)
    const expired = await one.open()
    await one.clock.advance(31 * 60_000)
    expect(await status(one, expired.headers)).toBe(404)
    const evicted = await one.open()
    await one.open()
    expect(await status(one, evicted.headers)).toBe(404)
  })

  it('is permanent in a process that has restored the session', async () => {
    const one = start()
    const [deleted, expired] = [await one.open(), await one.open()]
    const two = start()
    expect(await status(two, deleted.headers)).toBe(200)
    expect((await two.send({ method: 'DELETE', headers: deleted.headers })).status).toBe(204)
    expect(await status(two, deleted.headers)).toBe(404)
    expect(await status(two, expired.headers)).toBe(200)
    await two.clock.advance(31 * 60_000)
    expect(await status(two, expired.headers)).toBe(404)
  })

  it('is not undone by concurrent requests', async () => {
    const session = await start().open()
    const two = start()
    await two.post(ping, session.headers)
    const ended = two.send({ method: 'DELETE', headers: session.headers })
    const late = Array.from({ length: 20 }, () => two.post(ping, session.headers))
    await ended
    await Promise.all(late)
    expect(await status(two, session.headers)).toBe(404)
  })

  it('is remembered for up to `sessions.max` of the most recently restored sessions', async () => {
    const one = start()
    const sessions = [await one.open(), await one.open(), await one.open()]
    const two = start({ endpoint: { sessions: { max: 2 } } })
    for (const { headers } of sessions) {
      await two.post(ping, headers)
      await two.send({ method: 'DELETE', headers })
    }
    const statuses = await Promise.all(sessions.map(({ headers }) => status(two, headers)))
    expect(statuses).toEqual([200, 404, 404])
  })

  it('happens if restoring the session would exceed `maxPerPrincipal`', async () => {
    const one = start()
    const sessions = [await one.open({ more: alice }), await one.open({ more: alice })]
    const two = start({ endpoint: { sessions: { maxPerPrincipal: 1 } } })
    const listening = await two.send({ method: 'GET', headers: sessions[0]?.headers ?? {}, ...alice })
    expect(listening.status).toBe(200)
    expect((await two.post(ping, sessions[1]?.headers, alice)).status).toBe(404)
  })
})

it('a server issues an unsealed id to a client with large capabilities', async () => {
  const process = start()
  const opened = await process.post(
    described({ experimental: { x: { y: 'z'.repeat(800) } } }, { name: 'n', version: '1' }),
  )
  const id = opened.headers['mcp-session-id'] as string
  expect(id).toMatch(/^[A-Za-z0-9_-]{45}$/)
  expect(await status(process, { 'mcp-session-id': id })).toBe(200)
  expect(await status(start(), { 'mcp-session-id': id })).toBe(404)
  const fits = await process.post(
    described({ experimental: { x: { y: 'z'.repeat(550) } } }, { name: 'n', version: '1' }),
  )
  expect(fits.headers['mcp-session-id']?.length).toBeLessThanOrEqual(1_024)
  expect(await status(start(), { 'mcp-session-id': fits.headers['mcp-session-id'] as string })).toBe(200)
})
