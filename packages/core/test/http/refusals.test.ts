import { MODERN, request, requestMeta, settled } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import type { EndpointOptions } from '../../src/http/options.ts'
import { Rejection } from '../../src/http/authenticate.ts'
import { codeOf, type StatusKey, type StatusRow, STATUSES } from '../../src/http/refusals.ts'
import { MemorySessionStore } from '@jetway-apps/test-support/stores'
import { BodyError } from '../../src/http/types.ts'
import { openSse } from './support/sse-client.ts'
import {
  type Answer,
  createHarness,
  FakeRequest,
  type Harness,
  type HarnessOptions,
  initializeMessage,
} from './support/harness.ts'

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
const notification = { jsonrpc: '2.0', method: 'notifications/initialized' }

/** A stateless request, whose `_meta` contains the protocol version. */
const standing = (version: string): object => ({
  ...ping,
  method: 'tools/list',
  params: {
    _meta: requestMeta({}, version),
  },
})

interface Scenario {
  readonly endpoint?: EndpointOptions
  readonly select?: HarnessOptions['select']
  readonly run: (harness: Harness) => Promise<Answer>
}

/** At least one request for every row of the table of statuses. */
const scenarios: Record<StatusKey, readonly Scenario[]> = {
  notHere: (['sse', 'message'] as const).flatMap((route) =>
    ['POST', 'PUT'].map((method) => ({
      run: ({ send }: Harness) => send({ route, method, body: ping }),
    })),
  ),
  forbiddenHost: [
    { run: ({ send }) => send({ body: ping, localAddress: '127.0.0.1', headers: { host: 'evil.example' } }) },
    { run: ({ send }) => send({ body: ping, localAddress: '127.0.0.1' }) },
  ],
  forbiddenOrigin: ['GET', 'POST', 'DELETE', 'OPTIONS'].map((method) => ({
    run: ({ send }) => send({ method, headers: { origin: 'https://evil.example' } }),
  })),
  options: [{ run: ({ send }) => send({ method: 'OPTIONS' }) }],
  wrongMethod: [
    ...['PUT', 'PATCH', 'HEAD', 'TRACE', 'post'].map((method) => ({
      run: ({ send }: Harness) => send({ method, body: ping }),
    })),
    ...['GET', 'DELETE'].map((method) => ({
      endpoint: { stateless: true },
      run: ({ send }: Harness) => send({ method }),
    })),
    { endpoint: { sessions: { allowDelete: false } }, run: ({ send }) => send({ method: 'DELETE' }) },
    ...(['POST', 'HEAD', 'DELETE', 'PUT'] as const).map((method) => ({
      endpoint: { legacySse: true },
      run: ({ send }: Harness) => send({ route: 'sse', method, body: ping }),
    })),
    ...(['GET', 'HEAD', 'DELETE', 'PUT'] as const).map((method) => ({
      endpoint: { legacySse: true },
      run: ({ send }: Harness) => send({ route: 'message', method, body: ping }),
    })),
  ],
  repeatedHeader: [
    'authorization',
    'content-type',
    'host',
    'origin',
    'mcp-session-id',
    'mcp-protocol-version',
    'last-event-id',
  ].map((name) => ({
    run: ({ send }) => send({ body: ping, headers: { [name]: ['http://localhost', 'http://localhost'] } }),
  })),
  unsupportedMediaType: [
    'text/plain',
    'application/json-seq',
    '',
    'application/json;charset=latin1',
    undefined,
  ].map((type) => ({
    run: ({ send }) => send({ body: ping, headers: { 'content-type': type } }),
  })),
  unsupportedMessageType: ['text/plain', '', undefined].map((type) => ({
    endpoint: { legacySse: true },
    run: ({ send }) => send({ route: 'message', body: ping, headers: { 'content-type': type } }),
  })),
  notAcceptable: ['application/json', 'text/event-stream', 'text/html', ''].map((accept) => ({
    run: ({ send }) => send({ body: ping, headers: { accept } }),
  })),
  notAcceptableStream: [
    { run: ({ send }) => send({ method: 'GET', headers: { accept: 'application/json' } }) },
    {
      endpoint: { legacySse: true },
      run: ({ send }) => send({ route: 'sse', method: 'GET', headers: { accept: 'application/json' } }),
    },
  ],
  pipelined: [
    { run: ({ send }) => send({ method: 'GET', isQueued: true }) },
    {
      endpoint: { legacySse: true },
      run: ({ send }) => send({ route: 'sse', method: 'GET', isQueued: true }),
    },
    {
      run: ({ send }) =>
        send({
          body: {
            jsonrpc: '2.0',
            id: 1,
            method: 'subscriptions/listen',
            params: { notifications: { toolsListChanged: true }, _meta: requestMeta() },
          },
          headers: { 'mcp-protocol-version': MODERN, 'mcp-method': 'subscriptions/listen' },
          isQueued: true,
        }),
    },
  ],
  malformedSessionId: ['', 'a b', 'a\u0001', 'é', 'x'.repeat(1_025), 'x'.repeat(16_384)].map((id) => ({
    run: ({ send }) => send({ body: ping, headers: { 'mcp-session-id': id } }),
  })),
  draining: [
    {
      run: async ({ post, endpoint }) => {
        await endpoint.close()
        return post(initializeMessage())
      },
    },
  ],
  unauthorized: [
    { endpoint: { authenticate: () => undefined }, run: ({ post }) => post(initializeMessage()) },
  ],
  authorizationUnavailable: [
    {
      endpoint: {
        authenticate: () =>
          new Rejection(503, STATUSES.authorizationUnavailable.message, {
            reason: 'authorizationUnavailable',
          }),
      },
      run: ({ post }) => post(initializeMessage()),
    },
  ],
  insufficientScope: [
    {
      endpoint: {
        authenticate: () => new Rejection(403, 'Needs the scope a', { reason: 'insufficientScope' }),
      },
      run: ({ post }) => post(initializeMessage()),
    },
    {
      run: async ({ open, server }) => {
        server.addTool({ name: 'scoped', scopes: ['a'], handler: () => 'ran' })
        return (await open()).call('scoped')
      },
    },
  ],
  missingSession: [
    { run: ({ post }) => post(ping) },
    { run: ({ post }) => post(notification) },
    { run: ({ post }) => post({ jsonrpc: '2.0', id: 1, result: {} }) },
    { run: ({ post }) => post([ping]) },
    { run: ({ send }) => send({ method: 'GET' }) },
    { run: ({ send }) => send({ method: 'DELETE' }) },
  ],
  unknownSession: [
    { run: ({ post }) => post(ping, { 'mcp-session-id': 'unknown' }) },
    { run: ({ post }) => post([ping], { 'mcp-session-id': 'unknown' }) },
    { run: ({ post }) => post(notification, { 'mcp-session-id': 'unknown' }) },
    { run: ({ send }) => send({ method: 'GET', headers: { 'mcp-session-id': 'unknown' } }) },
    { run: ({ send }) => send({ method: 'DELETE', headers: { 'mcp-session-id': 'unknown' } }) },
  ],
  noServer: [
    { select: () => undefined, run: ({ post }) => post(initializeMessage()) },
    { select: async () => undefined, endpoint: { stateless: true }, run: ({ post }) => post(ping) },
  ],
  unsupportedVersion: ['1999-01-01', 'x', '', '2025-06-18, 2025-06-18'].flatMap((version) => [
    {
      run: async ({ open }: Harness) => (await open()).post(ping, { 'mcp-protocol-version': version }),
    },
    {
      run: async ({ open }: Harness) => (await open()).get({ 'mcp-protocol-version': version }),
    },
  ]),
  badMetadata: [
    { run: ({ post }) => post(ping, { 'mcp-protocol-version': '2026-07-28' }) },
    { endpoint: { revisions: ['2026-07-28'] }, run: ({ post }) => post(ping) },
  ],
  headerMismatch: [undefined, '2025-11-25', '2099-01-01'].map((version) => ({
    run: ({ post }) => post(standing('2026-07-28'), { 'mcp-protocol-version': version }),
  })),
  unreadableBody: [{ run: ({ post }) => post(ping, {}, { bodyError: new BodyError(400, 'cut off') }) }],
  encodedBody: [
    {
      run: ({ post }) => post(ping, {}, { bodyError: BodyError.encoded('gzip') as BodyError }),
    },
  ],
  bodyTimeout: [{ run: ({ post }) => post(ping, {}, { bodyError: BodyError.tooSlow(9) }) }],
  tooManyBodies: [{ run: ({ post }) => post(ping, {}, { bodyError: BodyError.tooMany() }) }],
  bodyTooLarge: [
    { endpoint: { limits: { bodyBytes: 10 } }, run: ({ post }) => post(ping) },
    { run: ({ send }) => send({ raw: `"${'x'.repeat(4_194_304)}"` }) },
  ],
  parseError: ['', '{', '{"a":1,}', 'nul', '{"id":1,"id":1}', '{"__proto__":{}}', '['.repeat(200)].map(
    (raw) => ({
      run: ({ send }) => send({ raw }),
    }),
  ),
  unreadReplies: [initializeMessage(), standing('2026-07-28'), [notification, initializeMessage()]].map(
    (body) => ({
      run: async ({ endpoint, post }) => {
        endpoint.hold(new FakeRequest({}), 134_217_729)
        return post(body)
      },
    }),
  ),
  invalidMessage: ['1', '"x"', 'null', '{}', '{"jsonrpc":"2.0","id":null,"method":"ping"}'].map((raw) => ({
    run: ({ send }) => send({ raw }),
  })),
  batch: [
    { run: async ({ open }) => (await open()).post([ping]) },
    { run: async ({ open }) => (await open({ version: '2025-11-25' })).post([ping]) },
    { run: async ({ open }) => (await open({ version: '2025-03-26' })).post([]) },
    {
      run: async ({ open }) =>
        (await open({ version: '2025-03-26' })).post(Array.from({ length: 101 }, () => ping)),
    },
    { run: async ({ open }) => (await open({ version: '2025-03-26' })).post([ping, 5]) },
    { run: async ({ open }) => (await open({ version: '2025-03-26' })).post([[ping]]) },
    { run: async ({ open }) => (await open({ version: '2025-03-26' })).post([ping, initializeMessage()]) },
    {
      run: async ({ open }) =>
        (await open({ version: '2025-03-26' })).post([ping, { jsonrpc: '2.0', id: 3, result: {} }]),
    },
  ],
  initializedAlready: [{ run: async ({ open }) => (await open()).post(initializeMessage()) }],
  initializeRefused: [
    { run: ({ post }) => post({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }) },
  ],
  tooManySessions: [
    {
      endpoint: { sessions: { max: 1 } },
      run: async ({ open, post }) => {
        await (await open()).get()
        return post(initializeMessage())
      },
    },
  ],
  busy: [
    {
      run: async ({ open, server }) => {
        server.addTool({ name: 'hang', handler: () => new Promise<string>(() => {}) })
        const session = await open()
        for (let i = 0; i < 256; i++) void session.call('hang')
        return session.call('hang')
      },
    },
  ],
  unknownEvent: ['', 'x', '../..', 'a.b.1', 'a.b.18446744073709551616', 'x'.repeat(16_384)].map((id) => ({
    run: async ({ open }) => (await open()).get({ 'last-event-id': id }),
  })),
  unavailable: [
    { method: 'get', message: ping },
    { method: 'get', message: initializeMessage() },
    { method: 'create', message: initializeMessage() },
  ].map(({ method, message }) => ({
    endpoint: {
      sessions: {
        store: Object.assign(new MemorySessionStore(), {
          [method]: () => Promise.reject(new Error('canary')),
        }),
      },
    },
    run: ({ post }) => post(message, { 'mcp-session-id': 'somebody' }),
  })),
  callEnded: [
    {
      run: async ({ open, server }) => {
        server.addTool({ name: 'hang', handler: () => new Promise<string>(() => {}) })
        const session = await open()
        const running = session.call('hang')
        await settled()
        await session.delete()
        return running
      },
    },
  ],
  internal: [
    {
      endpoint: {
        authenticate: () => {
          throw new Error('canary')
        },
      },
      run: ({ post }) => post(initializeMessage()),
    },
  ],
  answered: [
    { run: ({ post }) => post(initializeMessage()) },
    { run: async ({ open }) => (await open()).post(ping) },
    { run: async ({ open }) => (await open()).post({ jsonrpc: '2.0', id: 1, method: 'no/such' }) },
    { run: async ({ open }) => (await open()).get() },
  ],
  accepted: [
    { run: async ({ open }) => (await open()).post(notification) },
    { run: async ({ open }) => (await open()).post({ jsonrpc: '2.0', method: 'notifications/unknown' }) },
  ],
  unmatchedResponse: [
    { run: async ({ open }) => (await open()).post({ jsonrpc: '2.0', id: 4, result: {} }) },
  ],
  noSessionId: [{}, { sessionId: '' }].map((query) => ({
    endpoint: { legacySse: true },
    run: ({ send }) => send({ route: 'message', query, body: ping }),
  })),
  noConnection: [
    {
      endpoint: { legacySse: true },
      run: ({ send }) => send({ route: 'message', query: { sessionId: 'canary' }, body: ping }),
    },
  ],
  taken: [{ endpoint: { legacySse: true }, run: async (harness) => (await openSse(harness)).post(ping) }],
  ended: [{ run: async ({ open }) => (await open()).delete() }],
}

const table: Readonly<Record<StatusKey, StatusRow>> = STATUSES
const rows = (Object.keys(STATUSES) as StatusKey[]).flatMap((key) =>
  scenarios[key].map((scenario, index) => ({ key, index, scenario })),
)

describe('the status table', () => {
  it.each(rows)('defines the status of each reply: $key ($index)', async ({ key, scenario }) => {
    const row = table[key]
    const harness = createHarness(scenario)
    const answer = await scenario.run(harness)
    expect(answer.status).toBe(row.status)
    if (row.text !== undefined) {
      expect([answer.headers['content-type'], answer.text]).toEqual(['text/plain; charset=utf-8', row.text])
    }
    expect(answer.headers['retry-after']).toBe(row.status === 503 ? '1' : undefined)
    if (row.message === undefined) return
    expect(answer.headers['content-type']).toBe('application/json')
    expect(answer.json).toMatchObject({ jsonrpc: '2.0', error: { code: codeOf(row) } })
  })

  it.each(rows.filter(({ key }) => table[key].status !== 200))(
    'contains no reply that echoes client input: $key ($index)',
    async ({ scenario }) => {
      const harness = createHarness(scenario)
      const { text, headers } = await scenario.run(harness)
      expect(JSON.stringify([text, headers])).not.toMatch(/evil|canary|cut off|x{100}/)
    },
  )

  it.each(rows.filter(({ key }) => key !== 'unsupportedVersion' && table[key].message !== undefined))(
    'defines the message of each reply: $key ($index)',
    async ({ key, scenario }) => {
      const variable: readonly StatusKey[] = [
        'parseError',
        'invalidMessage',
        'batch',
        'initializeRefused',
        'headerMismatch',
        'insufficientScope',
      ]
      const harness = createHarness(scenario)
      const { json } = await scenario.run(harness)
      if (variable.includes(key)) expect(json.error?.message).not.toBe('')
      else expect(json.error?.message).toBe(table[key].message)
    },
  )

  it.each([
    'forbiddenHost',
    'forbiddenOrigin',
    'wrongMethod',
    'repeatedHeader',
    'unsupportedMediaType',
    'unsupportedMessageType',
    'notAcceptable',
    'malformedSessionId',
    'unauthorized',
    'draining',
  ] as const)('is applied before the mount reads the body: %s', async (key) => {
    for (const { endpoint, run } of scenarios[key]) {
      const answer = await run(createHarness({ ...(endpoint && { endpoint }) }))
      expect(answer.request.bodyReads).toBe(0)
    }
  })

  it.each([
    [{}, 'GET, POST, DELETE, OPTIONS'],
    [{ stateless: true }, 'POST, OPTIONS'],
    [{ sessions: { allowDelete: false } }, 'GET, POST, OPTIONS'],
    [{ legacySse: true }, 'GET, POST, DELETE, OPTIONS'],
  ])('defines the allowed methods for the mount options %j', async (endpoint, allow) => {
    const { send } = createHarness({ endpoint })
    expect((await send({ method: 'PUT' })).headers['allow']).toBe(allow)
    expect((await send({ method: 'OPTIONS' })).headers['allow']).toBe(allow)
  })

  it('makes clients fall back from server/discover to initialize if the mount serves only sessions', async () => {
    const { post } = createHarness({ endpoint: { revisions: ['2025-11-25', '2025-06-18'] } })
    const probe = request(
      'server/discover',
      { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } },
      'server-discover-probe-1',
    )
    for (const headers of [{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'server/discover' }, {}]) {
      const answer = await post(probe, headers)
      expect(answer.status).toBe(400)
      expect(answer.json).toMatchObject({ id: probe.id, error: { code: -32600 } })
    }
  })
})
