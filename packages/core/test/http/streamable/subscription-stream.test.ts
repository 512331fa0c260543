import { deferred, notification, settled } from '@jetway-apps/test-support'
import { describe, expect, it, vi } from 'vitest'
import { McpServer } from '../../../src/index.ts'
import { type Bus, CHANGES_TOPIC, MemoryBus } from '../../../src/stores/bus.ts'
import { MODERN, requestMeta } from '../../support/modern-calls.ts'
import {
  type Answer,
  createHarness as harnessOf,
  FakeRequest,
  type Harness,
  type HarnessOptions,
  type Message,
  type Sent,
} from '../support/harness.ts'

const ID = 'io.modelcontextprotocol/subscriptionId'
const META = requestMeta()
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged'
const UPDATED = 'notifications/resources/updated'

const createHarness = (options: HarnessOptions = {}): Harness =>
  harnessOf({
    ...options,
    setUp: (server) => {
      server.addTool({ name: 'a', handler: () => 'done' })
      server.addResource({ uri: 'note://1', name: 'one', handler: () => '1' })
      server.addResource({ uri: 'note://2', name: 'two', handler: () => '2' })
      options.setUp?.(server)
    },
  })

/** A mount with a resource whose visibility the test decides later. */
function undecided(onSubscribe?: () => void): {
  readonly harness: Harness
  readonly decide: (visible: boolean) => void
} {
  const { promise, resolve: decide } = deferred<boolean>()
  const harness = createHarness({
    setUp: (server) =>
      server.addResource({
        uri: 'note://w',
        name: 'w',
        visible: () => promise,
        handler: () => '',
        ...(onSubscribe && { onSubscribe }),
      }),
  })
  return { harness, decide }
}

interface Ask {
  readonly id?: string | number
  readonly meta?: object
  readonly more?: Sent
}

function listen(
  { post }: Harness,
  notifications: unknown,
  { id = 7, meta = {}, more }: Ask = {},
): Promise<Answer> {
  const params = { notifications, _meta: { ...META, ...meta } }
  return post(
    { jsonrpc: '2.0', id, method: 'subscriptions/listen', params },
    { 'mcp-protocol-version': MODERN, 'mcp-method': 'subscriptions/listen' },
    more,
  )
}

const tagged = (id: string | number, method: string, params: object = {}): object =>
  notification(method, { _meta: { [ID]: id }, ...params })
/** The registry publishes its changes once per round of microtasks. */
const methodsOf = ({ sink }: Answer): (string | undefined)[] => sink.messages.map(({ method }) => method)

it('a server acknowledges subscriptions/listen only when the bus is ready', async () => {
  const memory = new MemoryBus()
  const { promise: ready, resolve } = deferred()
  const bus: Bus = {
    publish: (topic, message) => memory.publish(topic, message),
    subscribe: (topic, listener) => memory.subscribe(topic, listener),
    ready: () => ready,
  }
  const pending = listen(createHarness({ server: { bus } }), { toolsListChanged: true })
  const answered = vi.fn()
  void pending.then(answered)
  await settled()
  expect(answered).not.toHaveBeenCalled()
  resolve()
  const answer = await pending
  memory.publish(CHANGES_TOPIC, { kind: 'tools' })
  await settled()
  expect(methodsOf(answer)).toEqual([ACKNOWLEDGED, 'notifications/tools/list_changed'])
})

describe('subscriptions/listen over HTTP (https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions)', () => {
  it('sends an acknowledgement first, and then only the requested notifications', async () => {
    const harness = createHarness()
    const answer = await listen(harness, { toolsListChanged: true, resourceSubscriptions: ['note://1'] })
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' },
    })
    harness.server.addTool({ name: 'b', handler: () => '' })
    harness.server.addResource({ uri: 'note://3', name: 'three', handler: () => '' })
    harness.server.addPrompt({ name: 'p', handler: () => '' })
    await settled()
    harness.server.notify.resourceUpdated('note://1')
    harness.server.notify.resourceUpdated('note://2')
    expect(answer.sink.messages).toEqual([
      tagged(7, ACKNOWLEDGED, {
        notifications: { toolsListChanged: true, resourceSubscriptions: ['note://1'] },
      }),
      tagged(7, 'notifications/tools/list_changed'),
      tagged(7, UPDATED, { uri: 'note://1' }),
    ])
    expect(answer.sink.closed).toBe(false)
  })

  it('does not take notifications away from open sessions', async () => {
    const harness = createHarness()
    const [ending, lasting] = [await harness.open(), await harness.open()]
    const { sink } = await lasting.get()
    await listen(harness, { toolsListChanged: true })
    await ending.delete()
    harness.server.notify.toolsChanged()
    await settled()
    expect(sink.messages.map(({ method }) => method)).toEqual(['notifications/tools/list_changed'])
  })

  it.each([0, '', '7', 7])('repeats the request id unchanged in every message: %j', async (id) => {
    const harness = createHarness()
    const { sink } = await listen(harness, { resourceSubscriptions: ['note://1'] }, { id })
    harness.server.notify.resourceUpdated('note://1')
    await harness.endpoint.close()
    const ids = sink.messages.map(
      ({ params, result }) => (params ?? result)?.['_meta'] as Record<string, unknown>,
    )
    expect(ids.map((meta) => meta[ID])).toEqual([id, id, id])
    expect(sink.messages.at(-1)?.id).toBe(id)
  })

  it('acknowledges only notifications that the server offers and the client has requested', async () => {
    const { sink } = await listen(createHarness(), {
      toolsListChanged: false,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: ['note://none', 'note://2', 'note://2'],
      other: ['x'],
    })
    expect(sink.messages[0]?.params?.['notifications']).toEqual({
      resourcesListChanged: true,
      resourceSubscriptions: ['note://2'],
    })
  })

  it('does not acknowledge resource subscriptions if the server has no resources', async () => {
    const { sink } = await listen(
      harnessOf({ setUp: (server) => void server.addTool({ name: 'a', handler: () => '' }) }),
      {
        toolsListChanged: true,
        resourceSubscriptions: [],
      },
    )
    expect(sink.messages[0]?.params?.['notifications']).toEqual({ toolsListChanged: true })
  })

  it('treats a hidden resource as if it did not exist', async () => {
    const harness = createHarness({
      setUp: (server) =>
        server.addResource({
          uri: 'note://secret',
          name: 'secret',
          visible: async (ctx) => ctx.auth?.principal === 'ada',
          handler: () => '',
        }),
    })
    const filter = { resourceSubscriptions: ['note://secret'] }
    const [stranger, ada] = await Promise.all([
      listen(harness, filter),
      listen(harness, filter, { more: { auth: { principal: 'ada' } } }),
    ])
    harness.server.notify.resourceUpdated('note://secret')
    expect(stranger.sink.messages).toEqual([
      tagged(7, ACKNOWLEDGED, { notifications: { resourceSubscriptions: [] } }),
    ])
    expect(methodsOf(ada)).toEqual([ACKNOWLEDGED, UPDATED])
  })

  it("notifies a resource's subscribers of changes to its sub-resources", async () => {
    const harness = createHarness()
    const watching = await listen(harness, { resourceSubscriptions: ['note://1'] })
    const other = await listen(harness, { resourceSubscriptions: ['note://2'] }, { id: 8 })
    harness.server.notify.resourceUpdated('note://1#part', { within: 'note://1' })
    expect(watching.sink.messages.at(-1)).toEqual(tagged(7, UPDATED, { uri: 'note://1#part' }))
    expect(methodsOf(other)).toEqual([ACKNOWLEDGED])
  })

  it.each<[string, unknown]>([
    ['a missing filter', undefined],
    ['a filter that is an array', []],
    ['a member that is not a boolean', { toolsListChanged: 'yes' }],
    ['URIs that are not an array', { resourceSubscriptions: 'note://1' }],
    ['a URI that is not a string', { resourceSubscriptions: [1] }],
    ['a URI longer than 8192 characters', { resourceSubscriptions: [`note://${'a'.repeat(8192)}`] }],
    [
      'more than 1024 URIs',
      { resourceSubscriptions: Array.from({ length: 1025 }, (_, at) => `note://${at}`) },
    ],
    [
      'URIs of more than 65,536 characters together',
      { resourceSubscriptions: Array.from({ length: 9 }, (_, at) => `note://${at}${'a'.repeat(8_000)}`) },
    ],
  ])('rejects %s', async (_what, filter) => {
    expect(await listen(createHarness(), filter)).toMatchObject({ json: { id: 7, error: { code: -32602 } } })
  })

  it('accepts 1024 URIs', async () => {
    const uris = Array.from({ length: 1024 }, (_, at) => `many://${at}`)
    const harness = createHarness({
      setUp: (server) =>
        server.addResourceTemplate({ uriTemplate: 'many://{n}', name: 'many', handler: ({ n }) => n }),
    })
    const { sink } = await listen(harness, { resourceSubscriptions: uris })
    expect(sink.messages[0]?.params?.['notifications']).toEqual({ resourceSubscriptions: uris })
  })

  it('never sends progress or log messages, even if they are requested', async () => {
    const meta = { progressToken: 1, 'io.modelcontextprotocol/logLevel': 'debug' }
    const harness = createHarness()
    harness.server.use('subscriptions/listen', async (ctx, next) => {
      ctx.log.error('loud')
      await ctx.progress(1)
      return next()
    })
    const answer = await listen(harness, { toolsListChanged: true }, { meta })
    expect(methodsOf(answer)).toEqual([ACKNOWLEDGED])
  })

  it('opens a stream even if the mount sends only JSON replies and has no sessions', async () => {
    const harness = createHarness({ endpoint: { response: 'json', stateless: true } })
    const answer = await listen(harness, { resourceSubscriptions: ['note://1'] })
    harness.server.notify.resourceUpdated('note://1')
    expect(methodsOf(answer)).toEqual([ACKNOWLEDGED, UPDATED])
  })

  it('keeps the stream alive with comments', async () => {
    const harness = createHarness()
    const { sink } = await listen(harness, { toolsListChanged: true })
    await harness.clock.advance(15_000)
    expect(sink.text.endsWith('\n\n: keep-alive\n\n')).toBe(true)
  })
})

describe('a subscription over HTTP', () => {
  it('ends with a response when the server closes, even if calls are still running', async () => {
    let release = (): void => {}
    const harness = createHarness({
      setUp: (server) =>
        server.addTool({
          name: 'slow',
          handler: () => new Promise<string>((done) => (release = () => done('x'))),
        }),
    })
    const { sink } = await listen(harness, { toolsListChanged: true })
    const session = await harness.open()
    const call = session.call('slow')
    await settled()
    const closed = harness.endpoint.close()
    expect(sink.closed).toBe(true)
    expect(sink.messages.at(-1)).toEqual({
      jsonrpc: '2.0',
      id: 7,
      result: {
        resultType: 'complete',
        _meta: { [ID]: 7, 'io.modelcontextprotocol/serverInfo': { name: 'test', version: '1.0.0' } },
      },
    })
    expect(methodsOf({ sink } as Answer)).not.toContain('notifications/cancelled')
    expect((await listen(harness, {})).status).toBe(503)
    release()
    await Promise.all([call, closed])
  })

  it('is refused if the endpoint closes before the subscription starts', async () => {
    const { harness, decide } = undecided()
    const pending = listen(harness, { resourceSubscriptions: ['note://w'] })
    await settled()
    const closed = harness.endpoint.close()
    decide(true)
    expect(await pending).toMatchObject({ status: 503, json: { id: 7 } })
    await closed
  })

  it('ends without a response if the client closes the stream', async () => {
    const ended = vi.fn()
    const harness = createHarness({
      setUp: (server) =>
        server.addResource({ uri: 'note://w', name: 'w', onUnsubscribe: ended, handler: () => '' }),
    })
    const { sink, request } = await listen(harness, { resourceSubscriptions: ['note://w'] })
    expect(harness.endpoint.stats().openStreams).toBe(1)
    request.leave()
    harness.server.notify.resourceUpdated('note://w')
    await vi.waitFor(() => expect(ended).toHaveBeenCalledTimes(1))
    expect(sink.messages).toHaveLength(1)
    expect(harness.endpoint.stats()).toMatchObject({ openStreams: 0, callsInFlight: 0 })
  })

  it('never starts if the client has already disconnected', async () => {
    const watched = vi.fn()
    const { harness, decide } = undecided(watched)
    const body = {
      jsonrpc: '2.0',
      id: 7,
      method: 'subscriptions/listen',
      params: { notifications: { resourceSubscriptions: ['note://w'] }, _meta: META },
    }
    const headers = { 'mcp-protocol-version': MODERN, 'mcp-method': 'subscriptions/listen' }
    const request = new FakeRequest({ headers, body })
    const pending = harness.endpoint.handle(request, request.body)
    await settled()
    request.leave()
    decide(true)
    await pending
    await settled()
    expect(watched).not.toHaveBeenCalled()
  })

  it('is removed if the client disconnects before the stream has opened', async () => {
    const harness = createHarness({ endpoint: { limits: { subscriptions: { max: 1 } } } })
    const params = { notifications: { toolsListChanged: true }, _meta: META }
    const request = new FakeRequest({
      headers: { 'mcp-protocol-version': MODERN, 'mcp-method': 'subscriptions/listen' },
      body: { jsonrpc: '2.0', id: 7, method: 'subscriptions/listen', params },
    })
    await harness.endpoint.handle(request, request.body)
    expect((await listen(harness, { toolsListChanged: true })).status).toBe(503)
    request.leave()
    expect((await listen(harness, { toolsListChanged: true })).status).toBe(200)
  })

  it('ends without affecting other subscriptions', async () => {
    const harness = createHarness()
    const first = await listen(harness, { resourceSubscriptions: ['note://1'] })
    const second = await listen(harness, { resourceSubscriptions: ['note://1'] }, { id: 7 })
    first.request.leave()
    harness.server.notify.resourceUpdated('note://1')
    expect([methodsOf(first), methodsOf(second)]).toEqual([[ACKNOWLEDGED], [ACKNOWLEDGED, UPDATED]])
  })
})

describe('limits of subscriptions over HTTP', () => {
  it('cause further subscriptions to be refused until one has ended', async () => {
    const overflows: string[] = []
    const harness = createHarness({ endpoint: { limits: { subscriptions: { max: 2 } } } })
    harness.server.on('overflow', ({ queue }) => overflows.push(queue))
    const first = await listen(harness, {})
    await listen(harness, {})
    expect(await listen(harness, {}, { id: 9 })).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1' },
      json: { id: 9, error: { code: -32603 } },
    })
    expect(overflows).toEqual(['subscriptions'])
    first.request.leave()
    expect((await listen(harness, {})).status).toBe(200)
  })

  it('apply to each principal, but not to anonymous clients', async () => {
    const harness = createHarness({ endpoint: { limits: { subscriptions: { maxPerPrincipal: 1 } } } })
    const as = (principal?: string): Ask => (principal === undefined ? {} : { more: { auth: { principal } } })
    const statuses: number[] = []
    for (const principal of ['ada', 'ada', 'bob', undefined, undefined])
      statuses.push((await listen(harness, {}, as(principal))).status)
    expect(statuses).toEqual([200, 503, 200, 200, 200])
  })

  it('cause identical notifications to be merged for a client that reads slowly', async () => {
    const harness = createHarness()
    const { sink } = await listen(harness, {
      resourcesListChanged: true,
      resourceSubscriptions: ['note://1', 'note://2'],
    })
    sink.stall()
    for (let round = 0; round < 1_000; round++) {
      harness.server.notify.resourceUpdated('note://1')
      harness.server.notify.resourceUpdated('note://2')
    }
    sink.drain()
    await settled()
    const uris = sink.messages.flatMap(({ params }: Message) => params?.['uri'] ?? [])
    // The first notification was sent immediately.
    expect(uris).toEqual(['note://1', 'note://2', 'note://1'])
  })

  it('cause the stream to be cut when more than `outboundBytes` are queued', async () => {
    const overflows: object[] = []
    const harness = createHarness({ endpoint: { limits: { outboundBytes: 4096 } } })
    harness.server.on('overflow', ({ queue, action }) => overflows.push({ queue, action }))
    const { sink } = await listen(harness, { resourceSubscriptions: ['note://1'] })
    sink.stall()
    for (let part = 0; part < 100; part++)
      harness.server.notify.resourceUpdated(`note://1#${part}`, { within: 'note://1' })
    expect(sink.closed).toBe(true)
    expect(overflows).toEqual([{ queue: 'stream', action: 'cut' }])
    expect(sink.messages.some(({ result }) => result !== undefined)).toBe(false)
    expect(harness.endpoint.stats()).toMatchObject({ openStreams: 0, queuedBytes: 0 })
  })
})

describe('a subscription to a selected server', () => {
  it("receives only that server's changes, and ends when the server closes", async () => {
    const chosen = new McpServer({ name: 'chosen', version: '1' })
    chosen.addResource({ uri: 'note://1', name: 'one', handler: () => '1' })
    const harness = createHarness({ select: () => chosen })
    const { sink } = await listen(harness, { resourceSubscriptions: ['note://1'] })
    chosen.notify.resourceUpdated('note://1')
    await chosen.close()
    expect(sink.messages.map(({ method, id }) => method ?? id)).toEqual([ACKNOWLEDGED, UPDATED, 7])
    expect(sink.closed).toBe(true)
  })
})
