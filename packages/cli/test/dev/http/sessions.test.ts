/** Sessions that continue in one process after another. */
import { describe, expect, it, vi } from 'vitest'
import { openSession, post, request, TOOLS_CHANGED } from '../support/raw-http.ts'
import {
  CAPABILITIES,
  type Front,
  json,
  listenOn,
  openStream,
  relayHttp,
  type Reply,
  writeEvent,
} from '../support/relay-http.ts'

const tools = (...names: readonly string[]): { 'tools/list': Reply } => ({
  'tools/list': () => ({ tools: names.map((name) => ({ name })) }),
})

const LISTS = ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list']

const ping = (url: string, session: object, headers: object = {}) =>
  post(url, request(1, 'ping'), { ...session, ...headers })

describe('a session that moves to the next process', () => {
  it("is opened with the client's initialize request and settings", async () => {
    const { url, start } = await relayHttp()
    const first = await start()
    const session = await openSession(url)
    for (const [method, params] of [
      ['logging/setLevel', { level: 'debug' }],
      ['resources/subscribe', { uri: 'a:1' }],
    ] as const)
      await (await post(url, request(2, method, params), session)).text()
    await vi.waitFor(() => expect(first.asked()).toEqual(expect.arrayContaining(LISTS)))
    const second = await start()
    const headers = {
      'x-token': 't',
      'mcp-name': 'n',
      'mcp-param-a': '1',
      'mcp-method': 'ping',
      'last-event-id': '7',
    }
    const reply = await ping(url, session, headers)
    expect(await reply.json()).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
    await vi.waitFor(() => expect(second.got).toHaveLength(9))
    const [opened, initialized, level, subscribed] = second.got
    expect([opened, initialized, level, subscribed].map((got) => got?.message)).toEqual([
      {
        jsonrpc: '2.0',
        id: 'jetway-dev',
        method: 'initialize',
        params: first.got[0]?.message.params,
      },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      {
        jsonrpc: '2.0',
        id: expect.stringMatching(/^jetway-dev:\d+$/),
        method: 'logging/setLevel',
        params: { level: 'debug' },
      },
      {
        jsonrpc: '2.0',
        id: expect.stringMatching(/^jetway-dev:\d+$/),
        method: 'resources/subscribe',
        params: { uri: 'a:1' },
      },
    ])
    expect(level?.message.id).not.toBe(subscribed?.message.id)
    expect(opened?.headers).not.toHaveProperty('mcp-session-id')
    expect(opened?.headers).not.toHaveProperty('mcp-protocol-version')
    for (const { path, method, headers: sent } of second.got.filter(({ asks }) => asks !== 'ping')) {
      expect({ path, method }).toEqual({ path: '/mcp', method: 'POST' })
      expect(sent).toMatchObject({
        'x-token': 't',
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      })
      expect(sent).not.toHaveProperty('mcp-name')
      expect(sent).not.toHaveProperty('mcp-param-a')
      expect(sent).not.toHaveProperty('last-event-id')
    }
    for (const { headers: sent, asks } of second.got.slice(1)) {
      expect(sent).toMatchObject({ 'mcp-session-id': 'session-2', 'mcp-protocol-version': '2025-11-25' })
      if (asks !== 'notifications/initialized') expect(sent['mcp-method']).toBe(asks)
    }
    expect(
      second
        .asked()
        .filter((asks) => LISTS.includes(asks))
        .toSorted(),
    ).toEqual(LISTS.toSorted())
  })

  it('is opened only once for concurrent requests', async () => {
    const { url, start } = await relayHttp()
    await start()
    const session = await openSession(url)
    const second = await start()
    await Promise.all([ping(url, session), ping(url, session)])
    await ping(url, session)
    expect(second.asked().filter((asks) => asks === 'initialize')).toHaveLength(1)
    expect(second.asked().filter((asks) => asks === 'ping')).toHaveLength(3)
  })

  it('accepts the response to initialize on a stream', async () => {
    const { url, start } = await relayHttp()
    await start()
    const session = await openSession(url)
    const second = await start({
      initialize({ message }, response) {
        openStream(response, { 'mcp-session-id': 'other' })
        response.write('id: 0\ndata: \n\n')
        writeEvent(response, 'no JSON')
        writeEvent(response, { jsonrpc: '2.0', method: 'notifications/message', params: {} })
        writeEvent(response, { jsonrpc: '2.0', id: message.id, result: { capabilities: {} } })
        response.end()
      },
    })
    expect((await ping(url, session)).status).toBe(200)
    expect(second.got.at(-1)?.headers['mcp-session-id']).toBe('other')
  })

  it('is opened even if the new process refuses a setting', async () => {
    const { url, start } = await relayHttp()
    await start()
    const session = await openSession(url)
    await (await post(url, request(2, 'logging/setLevel', { level: 'debug' }), session)).text()
    await (await post(url, request(3, 'resources/subscribe', { uri: 'a' }), session)).text()
    const second = await start({
      'logging/setLevel': ({ message }, response) =>
        json(response, 200, { jsonrpc: '2.0', id: message.id, error: { code: -32_601, message: 'no' } }),
    })
    expect((await ping(url, session)).status).toBe(200)
    expect(second.asked()).toEqual(
      expect.arrayContaining(['logging/setLevel', 'resources/subscribe', 'ping']),
    )
  })

  const result = { jsonrpc: '2.0', id: 'jetway-dev', result: {} }
  it.each<[string, Reply, number, string, string | undefined]>([
    [
      'the challenge of 401',
      (_, response) => json(response, 401, 'who?', { 'www-authenticate': 'Bearer', 'mcp-session-id': 'x' }),
      401,
      'who?',
      'Bearer',
    ],
    ['403', (_, response) => json(response, 403, 'no'), 403, 'no', undefined],
    [
      'a body of 64 KiB',
      (_, response) => json(response, 403, 'x'.repeat(65_536)),
      403,
      'x'.repeat(65_536),
      undefined,
    ],
    [
      'an empty body instead of one above 64 KiB',
      (_, response) => json(response, 403, 'x'.repeat(65_537)),
      403,
      '',
      undefined,
    ],
    [
      '404 instead of another error status',
      (_, response) => json(response, 500, 'oh', { 'www-authenticate': 'x' }),
      404,
      '',
      undefined,
    ],
    ['404 if it has no sessions', (_, response) => json(response, 200, result), 404, '', undefined],
    [
      '404 instead of a status other than 200',
      (_, response) => json(response, 201, result, { 'mcp-session-id': 'x' }),
      404,
      '',
      undefined,
    ],
    [
      '404 instead of a JSON-RPC error',
      (_, response) =>
        json(response, 200, { jsonrpc: '2.0', id: 'jetway-dev', error: {} }, { 'mcp-session-id': 'x' }),
      404,
      '',
      undefined,
    ],
    [
      '404 instead of a body that is not an object',
      (_, response) => json(response, 200, '[1]', { 'mcp-session-id': 'x' }),
      404,
      '',
      undefined,
    ],
    [
      '404 instead of a stream without a response',
      (_, response) => {
        openStream(response, { 'mcp-session-id': 'x' })
        response.end()
      },
      404,
      '',
      undefined,
    ],
  ])(
    'is not opened if the process responds to initialize with %s',
    async (_, initialize, status, body, challenge) => {
      const { url, start } = await relayHttp()
      await start()
      const session = await openSession(url)
      const second = await start({ initialize })
      const reply = await ping(url, session)
      expect(reply.status).toBe(status)
      expect(await reply.text()).toBe(body)
      expect(reply.headers.get('www-authenticate') ?? undefined).toBe(challenge)
      expect(second.asked()).toEqual(['initialize'])
      // A 404 ends the session; after any other refusal, the relay initializes the session again.
      await ping(url, session)
      expect(second.asked().slice(1)).toEqual([status === 404 ? 'ping' : 'initialize'])
    },
  )
})

describe('list changes for a session', () => {
  async function withSession(front: Front) {
    const first = await front.start(tools('a'))
    const session = await openSession(front.url)
    await vi.waitFor(() => expect(first.asked()).toEqual(expect.arrayContaining(LISTS)))
    return { first, session }
  }

  it('are announced on the open stream', async () => {
    const front = await relayHttp()
    const { session } = await withSession(front)
    const stream = await listenOn(front.url, session)
    expect(stream.reply.headers.get('mcp-session-id')).toBe('session-1')
    await front.start(tools('b'))
    expect((await stream.next())?.message).toEqual(TOOLS_CHANGED)
    expect(front.printed).toEqual(['tools: +b -a'])
    // The lists of the next process are compared with those of this one.
    await front.start({ ...tools('b', 'c'), 'prompts/list': () => ({ prompts: [{ name: 'p' }] }) })
    expect((await stream.next())?.message).toEqual(TOOLS_CHANGED)
    expect(front.printed).toEqual(['tools: +b -a', 'tools: +c', 'prompts: +p'])
  })

  it('are announced on the next stream that opens if no stream is open', async () => {
    const front = await relayHttp()
    const { session } = await withSession(front)
    await front.start(tools('b'))
    await ping(front.url, session)
    await vi.waitFor(() => expect(front.printed).toEqual(['tools: +b -a']))
    const stream = await listenOn(front.url, session)
    expect((await stream.next())?.message).toEqual(TOOLS_CHANGED)
    stream.close()
    const again = await listenOn(front.url, session)
    await front.start(tools('c'))
    // The earlier change was announced once, so the next event announces the change in the next process.
    expect((await again.next())?.message).toEqual(TOOLS_CHANGED)
    expect(front.printed).toEqual(['tools: +b -a', 'tools: +c -b'])
  })

  it('are announced if the old process announced a change, even if the lists are unchanged', async () => {
    const front = await relayHttp()
    const { session } = await withSession(front)
    const stream = await listenOn(front.url, session)
    const answering = await front.start({
      ...tools('a'),
      ping({ message }, response) {
        openStream(response)
        writeEvent(response, TOOLS_CHANGED)
        writeEvent(response, { jsonrpc: '2.0', id: message.id, result: {} })
        response.end()
      },
    })
    await vi.waitFor(() => expect(answering.asked()).toEqual(expect.arrayContaining([...LISTS, 'GET'])))
    await (await ping(front.url, session)).text()
    await front.start(tools('a'))
    expect((await stream.next())?.message).toEqual(TOOLS_CHANGED)
    expect(front.printed).toEqual([])
  })

  it('are printed once per process, not once per session', async () => {
    const front = await relayHttp()
    const first = await front.start(tools('a'))
    const sessions = [await openSession(front.url), await openSession(front.url)]
    await vi.waitFor(() => expect(first.got).toHaveLength(2 * 2 + 2 * LISTS.length))
    for (const [index, names] of [['b'], ['a'], ['b']].entries()) {
      const process = await front.start(tools(...names))
      for (const session of sessions) await ping(front.url, session)
      await vi.waitFor(() =>
        expect(process.asked().filter((asks) => asks === 'prompts/list')).toHaveLength(2),
      )
      await vi.waitFor(() => expect(front.printed).toHaveLength(index + 1))
    }
    expect(front.printed).toEqual(['tools: +b -a', 'tools: +a -b', 'tools: +b -a'])
  })

  it('are printed once even if some sessions have not compared their lists before another restart', async () => {
    const front = await relayHttp()
    const first = await front.start(tools('a'))
    const sessions = [await openSession(front.url), await openSession(front.url)] as const
    await vi.waitFor(() => expect(first.got).toHaveLength(2 * 2 + 2 * LISTS.length))
    const held: (() => void)[] = []
    await front.start({
      ...tools('b'),
      'prompts/list': ({ message: { id } }, response) =>
        void held.push(() => json(response, 200, { jsonrpc: '2.0', id, result: { prompts: [] } })),
    })
    for (const session of sessions) await ping(front.url, session)
    await vi.waitFor(() => expect(held).toHaveLength(2))
    held[0]?.()
    await vi.waitFor(() => expect(front.printed).toEqual(['tools: +b -a']))
    await front.start(tools('c'))
    held[1]?.()
    for (const session of sessions) await ping(front.url, session)
    await vi.waitFor(() => expect(front.printed.at(-1)).toBe('tools: +c -b'))
    expect(front.printed).toEqual(['tools: +b -a', 'tools: +c -b'])
  })

  it('are not announced if the server did not declare listChanged', async () => {
    const front = await relayHttp()
    const initialize: Reply = ({ message }, response) =>
      json(
        response,
        200,
        { jsonrpc: '2.0', id: message.id, result: { capabilities: { ...CAPABILITIES, tools: {} } } },
        { 'mcp-session-id': 'quiet' },
      )
    const first = await front.start({ ...tools('a'), initialize })
    const session = await openSession(front.url)
    await vi.waitFor(() => expect(first.got).toHaveLength(2 + LISTS.length))
    const stream = await listenOn(front.url, session)
    await front.start(tools('b'))
    await vi.waitFor(() => expect(front.printed).toEqual(['tools: +b -a']))
    const marked = await front.start({
      GET(_, response) {
        openStream(response)
        writeEvent(response, { jsonrpc: '2.0', method: 'notifications/mark' })
      },
    })
    expect((await stream.next())?.message).toMatchObject({ method: 'notifications/mark' })
    expect(marked.asked()).toContain('initialize')
  })

  it('are not reported for a process that ends while its lists are being read', async () => {
    const front = await relayHttp()
    const { session } = await withSession(front)
    const second = await front.start({ 'tools/list': () => void setImmediate(() => second.end()) })
    await ping(front.url, session)
    await vi.waitFor(() => expect(second.asked()).toContain('tools/list'))
    await front.start(tools('b'))
    await ping(front.url, session)
    await vi.waitFor(() => expect(front.printed).toEqual(['tools: +b -a']))
  })
})

describe('a session used with other credentials', () => {
  const A = { authorization: 'Bearer a' }
  const B = { authorization: 'Bearer b' }
  /** Refuses all sessions except those of this process. */
  const strict =
    (generation: number): Reply =>
    ({ headers, message: { id } }, response) =>
      headers['mcp-session-id'] === `session-${generation}` && headers.authorization === A.authorization
        ? json(response, 200, { jsonrpc: '2.0', id, result: {} })
        : void response.writeHead(404).end()

  it('is not opened in a new process for a caller whose credentials the process refuses', async () => {
    const { url, start } = await relayHttp()
    await start({ ping: strict(1) })
    const session = await openSession(url, A)
    const second = await start({ ping: strict(2), GET: (_, response) => void response.writeHead(404).end() })
    expect((await ping(url, session, B)).status).toBe(404)
    expect((await fetch(url, { headers: { ...session, ...B, accept: 'text/event-stream' } })).status).toBe(
      404,
    )
    expect(second.asked()).toEqual(['ping', 'GET'])
    await fetch(url, { method: 'DELETE', headers: { ...session, ...B } })
    expect((await ping(url, session)).status).toBe(200)
    expect(second.got.find(({ asks }) => asks === 'initialize')?.headers.authorization).toBe(A.authorization)
    expect((await ping(url, session, B)).status).toBe(404)
    expect((await ping(url, session)).status).toBe(200)
  })

  it('is opened in a new process with a new token that the old process accepted', async () => {
    const { url, start } = await relayHttp()
    await start()
    const session = await openSession(url, A)
    expect((await ping(url, session, B)).status).toBe(200)
    const second = await start()
    expect((await ping(url, session, B)).status).toBe(200)
    expect(second.got.at(0)).toMatchObject({ asks: 'initialize', headers: B })
  })
})

describe('HttpRelay for a client without a session', () => {
  const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }
  const call = (url: string, headers = {}) =>
    post(url, request(1, 'tools/call', { name: 'a', _meta }), { 'mcp-method': 'tools/call', ...headers })

  it('prints what each restart has changed', async () => {
    const front = await relayHttp()
    const first = await front.start(tools('a'))
    await call(front.url, { 'mcp-name': 'a', authorization: 'Bearer a' })
    await call(front.url)
    await vi.waitFor(() => expect(first.asked()).toEqual(expect.arrayContaining(LISTS)))
    const second = await front.start(tools('b'))
    await vi.waitFor(() => expect(front.printed).toEqual(['tools: +b -a']))
    const listed = second.got.find(({ asks }) => asks === 'tools/list')
    expect(listed?.message.params).toEqual({ _meta })
    expect(listed?.headers).toMatchObject({ authorization: 'Bearer a', 'mcp-method': 'tools/list' })
    await call(front.url)
    await front.start(tools('b', 'c'))
    await vi.waitFor(() => expect(front.printed).toEqual(['tools: +b -a', 'tools: +c']))
  })
})
