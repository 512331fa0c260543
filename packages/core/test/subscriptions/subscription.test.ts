import { initialize, request, requestMeta, settled } from '@jetway-apps/test-support'
import { describe, expect, it, vi } from 'vitest'
import { McpServer } from '../../src/server/mcp-server.ts'
import type { ServerOptions } from '../../src/server/options.ts'
import type { Connection } from '../../src/duplex/connection.ts'
import { ScriptedTransport } from '../support/transport.ts'

const ID = 'io.modelcontextprotocol/subscriptionId'
const META = requestMeta()
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged'
const UPDATED = 'notifications/resources/updated'

interface Frame {
  readonly id?: unknown
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number }
}

/** A transport whose peer stops reading on request. */
class StallingTransport extends ScriptedTransport {
  #stalled: Promise<void> | undefined
  drain = (): void => {}

  stall(): void {
    this.#stalled = new Promise((resolve) => {
      this.drain = () => {
        this.#stalled = undefined
        resolve()
      }
    })
  }
  override send(message: string): void | Promise<void> {
    void super.send(message)
    return this.#stalled
  }
  get frames(): Frame[] {
    return this.sent as Frame[]
  }
}

interface Served {
  readonly server: McpServer
  readonly transport: StallingTransport
  readonly connection: Connection
  readonly overflows: object[]
  readonly ask: (id: string | number, method: string, params?: object, meta?: object) => void
  readonly listen: (id: string | number, notifications: object, meta?: object) => Promise<void>
  readonly cancel: (requestId: string | number) => void
}

function serve(options: ServerOptions = {}, setUp?: (server: McpServer) => void): Served {
  const server = new McpServer({ name: 'test', version: '1' }, options)
  server.addTool({ name: 'a', handler: () => '' })
  server.addResource({ uri: 'note://1', name: 'one', handler: () => '' })
  server.addResource({ uri: 'note://2', name: 'two', handler: () => '' })
  setUp?.(server)
  const overflows: object[] = []
  server.on('overflow', ({ queue, action }) => overflows.push({ queue, action }))
  const transport = new StallingTransport()
  const connection = server.connect(transport)
  const ask: Served['ask'] = (id, method, params = {}, meta = {}) =>
    void transport.receive(request(method, { ...params, _meta: { ...META, ...meta } }, id))
  return {
    server,
    transport,
    connection,
    overflows,
    ask,
    listen: async (id, notifications, meta) => {
      ask(id, 'subscriptions/listen', { notifications }, meta)
      await settled()
    },
    cancel: (requestId) =>
      void transport.receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }),
  }
}

const said = ({ id, method, params, result }: Frame): unknown[] => {
  const meta = (params ?? result)?.['_meta'] as Readonly<Record<string, unknown>> | undefined
  return [method ?? `answer ${String(id)}`, meta?.[ID]]
}

describe('subscriptions/listen on a duplex transport (https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions)', () => {
  it('distinguishes subscriptions by id, including the type of the id', async () => {
    const { server, transport, listen } = serve()
    await listen('', { resourceSubscriptions: ['note://1'] })
    await listen(0, { resourceSubscriptions: ['note://1', 'note://2'] })
    await listen('0', { toolsListChanged: true })
    server.notify.resourceUpdated('note://1')
    server.notify.resourceUpdated('note://2')
    server.addTool({ name: 'b', handler: () => '' })
    await settled()
    expect(transport.frames.map(said)).toEqual([
      [ACKNOWLEDGED, ''],
      [ACKNOWLEDGED, 0],
      [ACKNOWLEDGED, '0'],
      [UPDATED, ''],
      [UPDATED, 0],
      [UPDATED, 0],
      ['notifications/tools/list_changed', '0'],
    ])
  })

  it('ends a cancelled subscription without a response', async () => {
    const { server, transport, listen, cancel } = serve()
    await listen(0, { resourceSubscriptions: ['note://1'] })
    await listen(1, { resourceSubscriptions: ['note://1'] })
    cancel(0)
    server.notify.resourceUpdated('note://1')
    expect(transport.frames.map(said)).toEqual([
      [ACKNOWLEDGED, 0],
      [ACKNOWLEDGED, 1],
      [UPDATED, 1],
    ])
  })

  it('accepts the id of an earlier subscription only after that subscription has ended', async () => {
    const { transport, listen, cancel } = serve()
    await listen(5, {})
    await listen(5, {})
    cancel(5)
    await listen(5, {})
    expect(transport.frames.map(({ method, error }) => error?.code ?? method)).toEqual([
      ACKNOWLEDGED,
      -32600,
      ACKNOWLEDGED,
    ])
  })

  it('responds to each subscription that the server ends, while calls continue', async () => {
    let release = (): void => {}
    const { transport, connection, listen, ask } = serve({}, (server) =>
      server.addTool({
        name: 'slow',
        handler: () => new Promise<string>((done) => (release = () => done('x'))),
      }),
    )
    await listen(1, { toolsListChanged: true })
    await listen(2, {})
    ask(3, 'tools/call', { name: 'slow' })
    const closed = connection.close()
    expect(transport.frames.slice(2)).toMatchObject([
      { id: 1, result: { resultType: 'complete', _meta: { [ID]: 1 } } },
      { method: 'notifications/cancelled', params: { requestId: 1, _meta: { [ID]: 1 } } },
      { id: 2, result: { resultType: 'complete', _meta: { [ID]: 2 } } },
      { method: 'notifications/cancelled', params: { requestId: 2, _meta: { [ID]: 2 } } },
    ])
    release()
    await closed
    expect(transport.frames.at(-1)).toMatchObject({ id: 3, result: { resultType: 'complete' } })
  })

  it('delivers each notification exactly once to a slow client, after the acknowledgement', async () => {
    const { server, transport, listen } = serve()
    transport.stall()
    await listen(1, { resourceSubscriptions: ['note://1'] })
    await listen(2, { resourceSubscriptions: ['note://1', 'note://2'] })
    for (let round = 0; round < 500; round++) {
      server.notify.resourceUpdated('note://1')
      server.notify.resourceUpdated('note://2')
    }
    expect(transport.frames).toHaveLength(1)
    transport.drain()
    await settled()
    expect(transport.frames.map(said)).toEqual([
      [ACKNOWLEDGED, 1],
      [ACKNOWLEDGED, 2],
      [UPDATED, 1],
      [UPDATED, 2],
      [UPDATED, 2],
    ])
  })

  it('ends a subscription whose queue is full, and sends nothing after the final response', async () => {
    const { server, transport, listen } = serve()
    await listen(1, { resourceSubscriptions: ['note://1'] })
    await listen(2, { resourceSubscriptions: ['note://2'] })
    transport.stall()
    for (let part = 0; part < 1_000; part++)
      server.notify.resourceUpdated(`note://1#${part}${'x'.repeat(2_000)}`, { within: 'note://1' })
    server.notify.resourceUpdated('note://2')
    const ended = transport.frames.findIndex(({ id }) => id === 1)
    expect(transport.frames[ended + 1]).toMatchObject({ method: 'notifications/cancelled' })
    transport.drain()
    await settled()
    expect(transport.frames.slice(ended + 2).map(said)).toEqual([[UPDATED, 2]])
  })

  it("keeps a session's notifications separate from a subscription's", async () => {
    const { server, transport, listen } = serve()
    await transport.receive(initialize('2025-11-25', { id: 'i' }))
    await transport.receive(request('resources/subscribe', { uri: 'note://2' }, 's'))
    await listen(1, { resourceSubscriptions: ['note://1'] })
    transport.sent.length = 0
    server.notify.resourceUpdated('note://1')
    server.notify.resourceUpdated('note://2')
    expect(transport.frames.map(said)).toEqual(
      [
        [UPDATED, undefined],
        [UPDATED, 1],
      ].toReversed(),
    )
  })

  it('is not supported by server.handleMessage', async () => {
    const { server } = serve()
    const answer = await server.handleMessage(
      request('subscriptions/listen', { notifications: {}, _meta: META }),
    )
    expect(JSON.parse(answer ?? '')).toMatchObject({ id: 1, error: { code: -32601 } })
  })
})

describe('a stateless call on a duplex transport', () => {
  it('is aborted without a response when it is cancelled (https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation)', async () => {
    const aborted = vi.fn()
    const { transport, ask, cancel } = serve({}, (server) =>
      server.addTool({
        name: 'slow',
        handler: async (_args, ctx) => {
          await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve()))
          aborted()
          await ctx.progress(1)
          ctx.log.error('late')
          return 'late'
        },
      }),
    )
    ask(0, 'tools/call', { name: 'slow' }, { progressToken: 1, 'io.modelcontextprotocol/logLevel': 'debug' })
    await settled()
    cancel(0)
    await settled()
    expect(aborted).toHaveBeenCalledTimes(1)
    expect(transport.frames).toEqual([])
  })

  it('never reaches its handler if it is cancelled while queued', async () => {
    const started: unknown[] = []
    let release = (): void => {}
    const { transport, ask, cancel } = serve({ limits: { running: 1 } }, (server) =>
      server.addTool({
        name: 'slow',
        handler: (_args, ctx) => {
          started.push(ctx.requestId)
          return new Promise<string>((done) => (release = () => done('x')))
        },
      }),
    )
    for (const id of [1, 2, 3]) ask(id, 'tools/call', { name: 'slow' })
    cancel(2)
    for (const _ of [1, 3]) {
      await settled()
      release()
    }
    await settled()
    expect(started).toEqual([1, 3])
    expect(transport.frames.map(({ id }) => id)).toEqual([1, 3])
  })

  it('receives log messages only at or above the level that it requests, and none by default', async () => {
    const { transport, ask } = serve({}, (server) =>
      server.addTool({
        name: 'talks',
        handler: (_args, ctx) => {
          ctx.log.info('quiet')
          ctx.log.warning('loud')
          return ''
        },
      }),
    )
    ask(1, 'tools/call', { name: 'talks' })
    ask(2, 'tools/call', { name: 'talks' }, { 'io.modelcontextprotocol/logLevel': 'warning' })
    await settled()
    expect(transport.frames.map(({ id, params }) => id ?? params?.['data'])).toEqual([1, 'loud', 2])
  })
})

describe('ctx.trace', () => {
  it("contains the request's trace context in both eras", async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01'
    const seen: unknown[] = []
    const { server, ask } = serve({}, (traced) =>
      traced.addTool({
        name: 'traced',
        handler: (_args, ctx) => {
          seen.push(ctx.trace?.traceId)
          return ''
        },
      }),
    )
    ask(1, 'tools/call', { name: 'traced' }, { traceparent })
    ask(2, 'tools/call', { name: 'traced' }, { traceparent: 'wrong' })
    const params = { name: 'traced', _meta: { traceparent } }
    await server.handleMessage({ jsonrpc: '2.0', id: 3, method: 'tools/call', params })
    expect(seen).toEqual(['0af7651916cd43dd8448eb211c80319c', undefined, '0af7651916cd43dd8448eb211c80319c'])
  })
})
