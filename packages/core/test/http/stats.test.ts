import { settled, silent } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { McpServer } from '../../src/index.ts'
import { createEndpoint } from '../../src/http/endpoint.ts'
import type { ServerSelector } from '../../src/http/servers/served-servers.ts'
import { NOTHING_HELD } from '../../src/session/stats.ts'
import type { EventStore } from '../../src/stores/event-store.ts'
import { openPeer } from '../support/peer.ts'
import { createHarness, FakeRequest, initializeMessage, TestSink } from './support/harness.ts'

const LINE = 'x'.repeat(1_000)

/** `waits` runs until the test ends it. `talks` sends a lot of data before it waits. */
function slowTools(): { readonly setUp: (server: McpServer) => void; readonly finish: () => void } {
  const ends: (() => void)[] = []
  const ended = (): Promise<string> => new Promise((resolve) => ends.push(() => resolve('done')))
  return {
    setUp(server) {
      server.addTool({ name: 'waits', handler: ended })
      server.addTool({
        name: 'talks',
        async handler(_args, ctx) {
          for (let line = 0; line < 10; line++) {
            ctx.log.info(LINE)
            if (line === 0) await settled()
          }
          return ended()
        },
      })
    },
    finish() {
      for (const end of ends.splice(0)) end()
    },
  }
}

describe('endpoint.stats', () => {
  it("returns zeros at first, and is part of the server's stats", () => {
    const { endpoint, server } = createHarness()
    expect(endpoint.stats()).toEqual({ ...NOTHING_HELD, draining: false, refusals: {} })
    expect(server.stats()).toEqual({ ...NOTHING_HELD, draining: false, mounts: 1, refusals: {} })
  })

  it('counts sessions, running and queued calls, streams, queued bytes and stored events', async () => {
    const { setUp, finish } = slowTools()
    const { endpoint, open, server } = createHarness({
      setUp,
      server: { limits: { running: 2, inFlight: 4 } },
    })
    const session = await open({ version: '2025-11-25' })
    await open()
    expect(endpoint.stats()).toMatchObject({ sessions: 2, callsInFlight: 0, openStreams: 0 })

    const stream = await session.get()
    expect(endpoint.stats().openStreams).toBe(1)
    stream.request.leave()
    expect(endpoint.stats().openStreams).toBe(0)

    const body = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'talks' } }
    const request = new FakeRequest({ body, headers: session.headers })
    const reply = await endpoint.handle(request, request.body)
    const sink = new TestSink()
    sink.stall()
    reply.open?.(sink)
    await settled()
    const calls = [session.call('waits', {}, { id: 3 }), session.call('waits', {}, { id: 4 })]
    await settled()
    const held = endpoint.stats()
    expect(held).toMatchObject({ sessions: 2, callsInFlight: 3, openStreams: 1, replayEvents: 10 })
    expect(held.queuedBytes).toBeGreaterThan(8 * LINE.length)
    expect(held.replayBytes).toBeGreaterThan(10 * LINE.length)
    expect(server.stats()).toMatchObject({ ...NOTHING_HELD, ...held, mounts: 1 })
    expect(JSON.parse(JSON.stringify(server.stats()))).toEqual(server.stats())

    sink.drain()
    finish()
    await settled()
    finish()
    await Promise.all(calls)
    await sink.ended()
    expect(endpoint.stats()).toMatchObject({ callsInFlight: 0, openStreams: 0, queuedBytes: 0 })
    await session.delete()
    expect(endpoint.stats()).toMatchObject({ sessions: 1, replayEvents: 0, replayBytes: 0 })
  })

  it('counts calls that run outside sessions', async () => {
    const { setUp, finish } = slowTools()
    const { endpoint, post } = createHarness({
      setUp,
      endpoint: { stateless: true },
      server: { limits: { anonymous: { running: 1, inFlight: 2 } } },
    })
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'waits' } }
    const answers = [post(call), post(call)]
    await settled()
    expect(endpoint.stats()).toMatchObject({ sessions: 0, callsInFlight: 2 })
    expect((await post(call)).status).toBe(503)
    expect(endpoint.stats().refusals).toEqual({ busy: 1 })
    finish()
    await settled()
    finish()
    await Promise.all(answers)
    expect(endpoint.stats().callsInFlight).toBe(0)
  })

  it('counts refusals by reason, and server.stats keeps them even after the mount has closed', async () => {
    const { endpoint, server, send, post } = createHarness({
      server: { limits: { running: 1, inFlight: 1 } },
    })
    const other = createEndpoint(server, { allowedHosts: ['mcp.example.com'] })
    for (const origin of ['https://evil.example', 'https://other.example'])
      await post(initializeMessage(), { origin })
    await send({ method: 'PUT' })
    await post({ jsonrpc: '2.0', id: 1, method: 'ping' })
    const request = new FakeRequest({ body: {}, headers: { host: 'localhost' } })
    await other.handle(request, request.body)
    expect(endpoint.stats().refusals).toEqual({ forbiddenOrigin: 2, wrongMethod: 1, missingSession: 1 })
    expect(other.stats().refusals).toEqual({ forbiddenHost: 1 })
    await other.close()
    expect(server.stats()).toMatchObject({
      mounts: 1,
      refusals: { forbiddenOrigin: 2, wrongMethod: 1, missingSession: 1, forbiddenHost: 1 },
    })
  })

  it('counts calls that are refused as busy, even on a stream or in a batch', async () => {
    for (const response of ['auto', 'sse'] as const) {
      const { setUp, finish } = slowTools()
      const { endpoint, open, server } = createHarness({
        setUp,
        endpoint: { response },
        server: { limits: { running: 1, inFlight: 1 } },
      })
      const heard: unknown[] = []
      server.on('reject', (rejected) => heard.push(rejected))
      const session = await open({ version: '2025-03-26' })
      const running = session.call('waits')
      await session.call('waits', {}, { id: 3 })
      await session.post([{ jsonrpc: '2.0', id: 4, method: 'tools/call', params: { name: 'waits' } }])
      expect(endpoint.stats().refusals).toEqual({ busy: 2 })
      const busy = { route: 'mcp', status: 503, reason: 'busy' }
      expect(heard).toEqual([busy, busy])
      finish()
      await running
    }
  })

  it('reports that the mount is draining, and returns zeros after the mount has closed', async () => {
    const { setUp, finish } = slowTools()
    const { endpoint, open, server, clock } = createHarness({ setUp })
    const session = await open()
    const running = session.call('waits')
    await settled()
    const closing = server.close()
    expect(endpoint.stats()).toMatchObject({ draining: true, sessions: 1, callsInFlight: 1 })
    expect(server.stats()).toMatchObject({ draining: true, mounts: 1 })
    finish()
    await running
    await closing
    expect(endpoint.stats()).toMatchObject({ ...NOTHING_HELD, draining: true })
    expect(server.stats()).toMatchObject({ ...NOTHING_HELD, mounts: 0 })
    expect(clock.pending).toBe(0)
  })

  it('returns zeros for an event store that does not report its size', async () => {
    const eventStore: EventStore = {
      open: () => ({ epoch: 'e', fence: 1 }),
      append: () => ({ state: 'kept' }),
      read: () => undefined,
      complete: () => ({ epoch: '', fence: 1 }),
      seize: () => undefined,
      delete: () => {},
    }
    const { endpoint, open } = createHarness({ endpoint: { streams: { eventStore } } })
    await (await open()).get()
    expect(endpoint.stats()).toMatchObject({ openStreams: 1, replayStreams: 0, replayBytes: 0 })
  })
})

describe('server.stats of a selected server', () => {
  const select =
    (servers: Record<string, McpServer>): ServerSelector =>
    (request) =>
      servers[request.header('x-tenant') ?? '']

  it('counts replies until they have been sent', async () => {
    const [a, b] = ['a', 'b'].map((name) => new McpServer({ name, version: '1' })) as [McpServer, McpServer]
    a.addTool({ name: 'talks', handler: () => LINE })
    const { endpoint, open } = createHarness({ select: select({ a, b }) })
    const { headers } = await open({ headers: { 'x-tenant': 'a' } })
    const body = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'talks' } }
    const request = new FakeRequest({ body, headers })
    expect(await endpoint.handle(request, request.body)).toMatchObject({ status: 200 })
    const released = endpoint.hold(request, 1_000)
    expect([a, b, endpoint].map((one) => one.stats().queuedBytes)).toEqual([1_000, 0, 1_000])
    released()
    expect([a, b, endpoint].map((one) => one.stats().queuedBytes)).toEqual([0, 0, 0])
  })

  it('counts only sessions, streams and calls on that server', async () => {
    const { setUp, finish } = slowTools()
    const [a, b] = ['a', 'b'].map((name) => new McpServer({ name, version: '1' })) as [McpServer, McpServer]
    setUp(a)
    const { endpoint, open } = createHarness({ select: select({ a, b }) })
    const first = await open({ headers: { 'x-tenant': 'a' } })
    const second = await open({ headers: { 'x-tenant': 'b' } })
    await second.get()
    const running = first.call('waits')
    await settled()
    expect(a.stats()).toMatchObject({ sessions: 1, callsInFlight: 1, openStreams: 0, mounts: 1 })
    expect(b.stats()).toMatchObject({ sessions: 1, callsInFlight: 0, openStreams: 1, mounts: 1 })
    expect(endpoint.stats()).toMatchObject({ sessions: 2, callsInFlight: 1, openStreams: 1 })
    finish()
    await running
  })

  it('counts only refusals after the selection, while the mount counts all refusals', async () => {
    const a = new McpServer({ name: 'a', version: '1' })
    const heard: unknown[] = []
    const told: unknown[] = []
    a.on('reject', ({ reason }) => heard.push(reason))
    const { endpoint, post, open, log } = createHarness({
      select: select({ a }),
      endpoint: {
        onReject: ({ reason }) => {
          told.push(reason)
          throw new Error('canary')
        },
        // A mount with a server selector needs its own logger.
        logger: silent,
      },
    })
    const tenant = { 'x-tenant': 'a' }
    await post(initializeMessage(), { ...tenant, origin: 'https://evil.example' })
    await post(initializeMessage(), { 'x-tenant': 'nobody' })
    await post({ ...initializeMessage(), params: {} }, tenant)
    const session = await open({ headers: tenant })
    await session.get({ 'last-event-id': 'x' })
    expect(told).toEqual(['forbiddenOrigin', 'noServer', 'initializeRefused', 'unknownEvent'])
    expect(heard).toEqual(['initializeRefused', 'unknownEvent'])
    expect(a.stats().refusals).toEqual({ initializeRefused: 1, unknownEvent: 1 })
    expect(endpoint.stats().refusals).toEqual({
      forbiddenOrigin: 1,
      noServer: 1,
      initializeRefused: 1,
      unknownEvent: 1,
    })
    expect(log).toEqual([])
  })
})

describe('connection.stats', () => {
  it('counts the session, calls and refusals', async () => {
    const { setUp, finish } = slowTools()
    const server = new McpServer({ name: 'test', version: '1' })
    setUp(server)
    const heard: unknown[] = []
    server.on('reject', (rejected) => heard.push(rejected))
    const peer = await openPeer(server)
    const running = peer.request('tools/call', { name: 'waits' })
    await settled()
    expect(server.stats()).toMatchObject({ sessions: 1, callsInFlight: 1, mounts: 1, refusals: {} })
    finish()
    await running
    await peer.request('initialize', {})
    expect(server.stats()).toMatchObject({ callsInFlight: 0, refusals: { initializedAlready: 1 } })
    expect(heard).toEqual([{ route: 'duplex', status: undefined, reason: 'initializedAlready' }])
    await server.close()
    expect(server.stats()).toMatchObject({ ...NOTHING_HELD, mounts: 0, refusals: { initializedAlready: 1 } })
  })
})

describe('server.stats for handleMessage', () => {
  it('counts running calls and refusals', async () => {
    const { setUp, finish } = slowTools()
    const server = new McpServer({ name: 'test', version: '1' })
    setUp(server)
    const heard: unknown[] = []
    server.on('reject', (rejected) => heard.push(rejected))
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'waits' } }
    const running = server.handleMessage(call)
    await settled()
    expect(server.stats()).toMatchObject({ callsInFlight: 1, mounts: 0 })
    finish()
    await running
    await server.handleMessage('{')
    await server.handleMessage([call])
    await server.handleMessage({ jsonrpc: '2.0', id: {} })
    await server.handleMessage(call, { protocolVersion: '1999-01-01' })
    await server.handleMessage({ ...call, method: 'initialize' })
    const reasons = ['parseError', 'batch', 'invalidMessage', 'unsupportedVersion', 'initializeRefused']
    expect(heard).toEqual(reasons.map((reason) => ({ route: 'raw', status: undefined, reason })))
    expect(server.stats().refusals).toEqual(Object.fromEntries(reasons.map((reason) => [reason, 1])))
  })
})
