import { deferred, settled, silent } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { toFetch } from '../../../src/http/fetch.ts'
import { McpServer, tasks } from '../../../src/index.ts'
import type { EndpointOptions } from '../../../src/http/options.ts'
import { MODERN, requestMeta } from '../../support/modern-calls.ts'
import {
  type Answer,
  createHarness as harnessOf,
  FakeRequest,
  type Harness,
  initializeMessage,
} from '../support/harness.ts'

const SESSIONS = '2025-11-25'
const META = requestMeta()

const createHarness = (endpoint: EndpointOptions = {}): Harness =>
  harnessOf({ endpoint, setUp: (server) => server.addTool({ name: 'a', handler: () => 'done' }) })

const HEADERS = { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/list' }
const list = (id: unknown = 7, meta: object = META): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/list',
  params: { _meta: meta },
})
const sendAlone = (
  { post }: Harness,
  headers: Record<string, string> = {},
  id: unknown = 7,
): Promise<Answer> => post(list(id), { ...HEADERS, ...headers })
const discover = ({ post }: Harness, headers: Record<string, string> = {}): Promise<Answer> =>
  post({ ...list(), method: 'server/discover' }, { ...HEADERS, 'mcp-method': 'server/discover', ...headers })

describe('stateless requests and sessions at one URL (https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning)', () => {
  it.each([{}, { stateless: true }])(
    'are served alternately, with the mount options %j',
    async (endpoint) => {
      const harness = createHarness(endpoint)
      const opened = await harness.post(initializeMessage(SESSIONS))
      const session = opened.headers['mcp-session-id']
      const headers = { 'mcp-protocol-version': SESSIONS, 'mcp-session-id': session }
      for (let round = 0; round < 2; round++) {
        expect((await discover(harness)).json).toMatchObject({ id: 7, result: { resultType: 'complete' } })
        const own = await harness.post({ jsonrpc: '2.0', id: 7, method: 'tools/list' }, headers)
        expect(own.json.result).toMatchObject({ tools: [{ name: 'a' }] })
        expect(own.json.result).not.toHaveProperty('resultType')
      }
    },
  )

  it('can be mixed, because stateless requests ignore session headers', async () => {
    const harness = createHarness()
    const session = await harness.open()
    const before = harness.endpoint.stats().sessions
    for (const id of [session.id, 'unknown', undefined]) {
      const { status, headers } = await sendAlone(harness, {
        'last-event-id': 'x',
        ...(id !== undefined && { 'mcp-session-id': id }),
      })
      expect([status, headers['mcp-session-id']]).toEqual([200, undefined])
    }
    expect(harness.endpoint.stats().sessions).toBe(before)
  })

  it('have the same list of supported versions in server/discover and in errors', async () => {
    const harness = createHarness()
    const unknown = list(1, { ...META, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' })
    const { json } = await harness.post(unknown, { ...HEADERS, 'mcp-protocol-version': '2099-01-01' })
    const { result } = (await discover(harness)).json
    expect(json.error?.data).toEqual({ supported: result?.['supportedVersions'], requested: '2099-01-01' })
  })

  it('are counted by reason and reported as events if they are refused', async () => {
    const harness = createHarness()
    const told: unknown[] = []
    harness.server.on('reject', ({ reason, status }) => told.push([reason, status]))
    await harness.post(list(1, {}), HEADERS)
    await sendAlone(harness, { 'mcp-method': 'x' })
    await harness.post(list(1, { ...META, 'io.modelcontextprotocol/protocolVersion': 'x' }), {
      ...HEADERS,
      'mcp-protocol-version': 'x',
    })
    expect(told).toEqual([
      ['badMetadata', 400],
      ['headerMismatch', 400],
      ['unsupportedVersion', 400],
    ])
    expect(harness.endpoint.stats().refusals).toEqual({
      badMetadata: 1,
      headerMismatch: 1,
      unsupportedVersion: 1,
    })
  })
})

describe('a request with several errors', () => {
  const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
  /** The possible errors, in the order in which they are checked. */
  const FAULTS: readonly [name: string, code: number, status: number, says: RegExp][] = [
    ['shape', -32600, 400, /jsonrpc/],
    ['metadata', -32602, 400, /clientCapabilities/],
    ['version header', -32020, 400, /MCP-Protocol-Version/],
    ['version', -32022, 400, /Unsupported protocol version/],
    ['method header', -32020, 400, /Mcp-Method/],
    ['name header', -32020, 400, /Mcp-Name/],
    ['method', -32601, 404, /not found/],
    ['params', -32602, 200, /Unknown tool/],
    ['capability', -32021, 400, /tasks/],
    ['parameter header', -32020, 400, /Mcp-Param-Region/],
  ]
  const pairs = FAULTS.flatMap((first, index) =>
    FAULTS.slice(index + 1).map((second) => [first, second] as const),
  ).filter(([[first], [second]]) => first !== 'name header' || second !== 'method')

  const harness = harnessOf({
    server: { extensions: [tasks()] },
    setUp: (server) =>
      server.addTool({
        name: 'must',
        taskSupport: 'required',
        inputSchema: {
          type: 'object',
          properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
        },
        handler: () => 'done',
      }),
  })
  const call = (has: (fault: string) => boolean): Promise<Answer> => {
    const version = has('version') ? '2099-01-01' : MODERN
    const method = has('method') ? 'x/y' : 'tools/call'
    const name = has('params') ? 'unknown' : 'must'
    const capabilities = has('capability') ? {} : TASKS
    const meta = {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientCapabilities': has('metadata') ? 5 : capabilities,
    }
    return harness.post(
      {
        jsonrpc: has('shape') ? '1.0' : '2.0',
        id: 7,
        method,
        params: { name, arguments: { region: 'eu' }, _meta: meta },
      },
      {
        'mcp-protocol-version': has('version header') ? SESSIONS : version,
        'mcp-method': has('method header') ? 'other' : method,
        'mcp-name': has('name header') ? 'other' : name,
        'mcp-param-region': has('parameter header') ? 'us' : 'eu',
      },
    )
  }

  it.each(pairs.map(([first, second]) => [first[0], second[0], first] as const))(
    'is refused because of the error in the %s, not the error in the %s',
    async (first, second, [, code, status, says]) => {
      const answer = await call((fault) => fault === first || fault === second)
      expect(answer).toMatchObject({ status, json: { id: 7, error: { code } } })
      expect(answer.json.error?.message).toMatch(says)
    },
  )

  it('is refused until all errors have been corrected', async () => {
    const answer = await call((fault) => fault === 'parameter header')
    expect(answer).toMatchObject({ status: 400, json: { error: { code: -32020 } } })
    expect(await call(() => false)).toMatchObject({ status: 200, json: { result: { resultType: 'task' } } })
  })
})

describe('a mount without revisions that use sessions', () => {
  const narrowed = { revisions: [MODERN] } as const

  it('ignores session headers, even malformed ones', async () => {
    const harness = createHarness(narrowed)
    for (const id of ['unknown', 'with a space']) {
      expect((await sendAlone(harness, { 'mcp-session-id': id, 'last-event-id': 'x' })).status).toBe(200)
    }
  })

  it.each([
    ['a batch', [list()]],
    ['a response', { jsonrpc: '2.0', id: 1, result: {} }],
  ])('refuses %s, regardless of its session id', async (_what, body) => {
    const { post } = createHarness(narrowed)
    for (const headers of [{}, HEADERS, { ...HEADERS, 'mcp-session-id': 'unknown' }]) {
      expect(await post(body, headers)).toMatchObject({
        status: 400,
        json: { error: { code: -32600, message: expect.stringContaining('one request') as string } },
      })
    }
  })

  it.each(['GET', 'DELETE'])('refuses the method %s', async (method) => {
    const { send } = createHarness(narrowed)
    expect(await send({ method, headers: { 'mcp-session-id': 'a' } })).toMatchObject({ status: 405 })
  })

  it('rejects the `legacySse` option', () => {
    expect(() => createHarness({ ...narrowed, legacySse: true })).toThrow(
      expect.objectContaining({
        code: 'ERR_MCP_OPTION',
        message: expect.stringContaining('legacySse') as string,
      }),
    )
  })

  it('sends the same replies if it is created with toFetch', async () => {
    const server = new McpServer({ name: 'a', version: '1' }, { logger: silent })
    server.addTool({ name: 'a', handler: () => 'done' })
    const handler = toFetch(server, { revisions: [MODERN] })
    const ask = (headers: Record<string, string>, body?: object): Promise<Response> =>
      handler(
        new Request('http://localhost/mcp', {
          method: body === undefined ? 'GET' : 'POST',
          headers: {
            accept: 'application/json, text/event-stream',
            'content-type': 'application/json',
            ...headers,
          },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        }),
      )
    expect((await ask({})).status).toBe(405)
    expect((await ask(HEADERS, list())).status).toBe(200)
    const refused = await ask({}, initializeMessage(SESSIONS))
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { error: { code: -32022, data: { supported: [MODERN] } } },
    ])
  })
})

describe('a mount that serves only revisions with sessions', () => {
  it.each([{}, { stateless: true }])(
    'refuses stateless requests, with the options %j, so that clients fall back to initialize',
    async (more) => {
      const harness = createHarness({ revisions: [SESSIONS, '2025-06-18'], ...more })
      for (const answer of [await sendAlone(harness), await discover(harness)]) {
        expect(answer.status).toBe(400)
        // After an error code from the newer era, the client would not fall back.
        expect(answer.json.error).toMatchObject({
          code: -32600,
          message: expect.stringContaining(SESSIONS) as string,
        })
      }
      expect((await harness.post(initializeMessage(SESSIONS))).status).toBe(200)
    },
  )
})

describe('servers with different revisions behind a single mount', () => {
  const servers = {
    modern: new McpServer({ name: 'modern', version: '1' }, { logger: silent, revisions: [MODERN] }),
    sessions: new McpServer({ name: 'sessions', version: '1' }, { logger: silent, revisions: [SESSIONS] }),
  }
  const harness = harnessOf({
    select: (request) => servers[request.header('x-server') as keyof typeof servers],
  })

  it('refuse unsupported revisions, and list only the revisions that they support', async () => {
    expect((await discover(harness, { 'x-server': 'modern' })).json.result).toMatchObject({
      supportedVersions: [MODERN],
    })
    expect(await discover(harness, { 'x-server': 'sessions' })).toMatchObject({
      status: 400,
      json: { error: { code: -32600, message: expect.stringContaining(SESSIONS) as string } },
    })
    const initialize = (server: string): Promise<Answer> =>
      harness.post(initializeMessage(SESSIONS), { 'x-server': server })
    expect((await initialize('sessions')).status).toBe(200)
    expect(await initialize('modern')).toMatchObject({
      status: 400,
      json: { id: 1, error: { code: -32022, data: { supported: [MODERN], requested: SESSIONS } } },
    })
    expect((await discover(harness, { 'x-server': 'none' })).status).toBe(404)
  })
})

describe('anonymous clients without sessions', () => {
  const CLIENTS = 200

  function waitingRoom(limits?: { readonly running: number; readonly inFlight: number }) {
    let waiting = 0
    const { promise: gate, resolve: open } = deferred()
    const harness = harnessOf({
      ...(limits && { server: { limits: { anonymous: limits } } }),
      setUp: (server) =>
        server.addTool({
          name: 'waits',
          // Every call waits until all calls have started.
          handler: async () => {
            if (++waiting === CLIENTS) open()
            await gate
            return 'met'
          },
        }),
    })
    const call = (more = {}): Promise<Answer> =>
      harness.post(
        { ...list(), method: 'tools/call', params: { name: 'waits', _meta: META } },
        { ...HEADERS, 'mcp-method': 'tools/call', 'mcp-name': 'waits' },
        more,
      )
    return { harness, call, waiting: () => waiting }
  }

  it('do not block each other: two hundred calls that wait for each other all run', async () => {
    const { call } = waitingRoom()
    const answers = await Promise.all(Array.from({ length: CLIENTS }, () => call()))
    expect(answers.filter(({ status, text }) => status === 200 && text.includes('met'))).toHaveLength(CLIENTS)
  })

  it('share their own limits, while each authenticated caller has the limits of a session', async () => {
    const { call, waiting } = waitingRoom({ running: 2, inFlight: 3 })
    const calls = [call(), call(), call()]
    await settled()
    expect(waiting()).toBe(2)
    expect(await call()).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
    const alice = { auth: { principal: 'alice' } }
    for (let index = 0; index < 64; index++) void call(alice)
    await settled()
    expect(waiting()).toBe(66)
    void call(alice)
    await settled()
    expect(waiting()).toBe(66)
    void calls
  })

  it('lose their queued calls when they disconnect', async () => {
    const started: unknown[] = []
    const { endpoint } = harnessOf({
      server: { limits: { anonymous: { running: 1, inFlight: 3 } } },
      setUp: (server) =>
        server.addTool({
          name: 'hangs',
          handler: (_args, ctx) => {
            started.push(ctx.requestId)
            return new Promise<string>(() => {})
          },
        }),
    })
    const call = (id: number): FakeRequest => {
      const request = new FakeRequest({
        headers: { ...HEADERS, 'mcp-method': 'tools/call', 'mcp-name': 'hangs' },
        body: { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'hangs', _meta: META } },
      })
      void endpoint.handle(request, request.body)
      return request
    }
    const [first, second] = [call(1), call(2), call(3)]
    await settled()
    second.leave()
    first.leave()
    await settled()
    expect([started, endpoint.stats().callsInFlight]).toEqual([[1, 3], 1])
  })
})
