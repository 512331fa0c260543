import { initialize } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import {
  defineExtension,
  type Extension,
  McpError,
  McpServer,
  requireExtension,
  type ServerOptions,
} from '../../src/index.ts'
import { createHarness, type Harness, initializeMessage } from '../http/support/harness.ts'
import { callModern, requestMeta } from '../support/modern-calls.ts'

const ID = 'com.example/search'
const DECLARING = { capabilities: { extensions: { [ID]: { depth: 3 } } } }
const SPEC = 'https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#extension-negotiation'

const search = defineExtension({
  id: ID,
  settings: { languages: ['en'] },
  names: { 'search/find': 'index' },
  methods: {
    'search/find': ({ index }, ctx) => ({ index, depth: ctx.client.extension(ID)?.['depth'] }),
    'search/later': async () => Promise.resolve({ resultType: 'deferred', _meta: { a: 1 }, at: 5 }),
    'search/fail': () => {
      throw new McpError(-31_000, 'No such index', { index: 'a' })
    },
    'search/leak': () => {
      throw new Error('the password is hunter2')
    },
    'search/text': () => 'no object' as never,
  },
})

const serve = (extensions: readonly Extension[] = [search], more: ServerOptions = {}): Harness =>
  createHarness({
    server: { ...more, extensions },
    setUp: (server) =>
      server.addTool({ name: 'depth', handler: (_args, ctx) => ctx.client.extension(ID) ?? 'none' }),
  })

describe(`an extension (${SPEC})`, () => {
  it('is declared with its settings, and only if the server lists it', async () => {
    const on = await callModern(serve(), 'server/discover')
    expect(on.json.result?.['capabilities']).toMatchObject({ extensions: { [ID]: { languages: ['en'] } } })
    const off = await callModern(serve([]), 'server/discover')
    expect(off.json.result?.['capabilities']).not.toHaveProperty('extensions')
    const { status, json } = await callModern(serve([]), 'search/find', {}, DECLARING)
    expect([status, json.error?.code]).toEqual([404, -32_601])
  })

  it('calls its settings function for each request', async () => {
    let asked = 0
    const harness = serve([{ id: ID, settings: () => ({ asked: ++asked }) }])
    const before = asked
    for (const more of [1, 2]) {
      const { json } = await callModern(harness, 'server/discover')
      expect(json.result?.['capabilities']).toMatchObject({ extensions: { [ID]: { asked: before + more } } })
    }
  })

  it('adds methods whose results have the resultType "complete" by default', async () => {
    const headers = { 'mcp-name': 'books' }
    const found = await callModern(serve(), 'search/find', { index: 'books' }, { ...DECLARING, headers })
    expect(found.json.result).toMatchObject({ resultType: 'complete', index: 'books', depth: 3 })
    const later = await callModern(serve(), 'search/later', {}, DECLARING)
    expect(later.json.result).toMatchObject({ resultType: 'deferred', at: 5, _meta: { a: 1 } })
    expect(later.text.split('"resultType"')).toHaveLength(2)
  })

  it('sends an McpError thrown by its author to the client, but hides all other errors', async () => {
    const failed = await callModern(serve(), 'search/fail', {}, DECLARING)
    expect(failed.json.error).toEqual({ code: -31_000, message: 'No such index', data: { index: 'a' } })
    for (const method of ['search/leak', 'search/text']) {
      const { json, text } = await callModern(serve(), method, {}, DECLARING)
      expect(json.error?.code, method).toBe(-32_603)
      expect(text, method).not.toMatch(/hunter2|object/)
    }
  })

  it.each([
    ['declares nothing', {}],
    ['declares another extension', { extensions: { 'com.example/other': {} } }],
    ['declares it with a value that is not an object', { extensions: { [ID]: true } }],
  ])(
    'rejects calls from a client that %s, with an error that names the extension',
    async (_, capabilities) => {
      const { status, json } = await callModern(serve(), 'search/later', {}, { capabilities })
      expect(status).toBe(400)
      expect(json.error).toMatchObject({
        code: -32_021,
        data: { requiredCapabilities: { extensions: { [ID]: {} } } },
      })
    },
  )

  it('is available to a request only if that request declares it', async () => {
    const harness = serve()
    expect((await callModern(harness, 'search/later', {}, DECLARING)).json.result).toBeDefined()
    expect((await callModern(harness, 'search/later')).json.error?.code).toBe(-32_021)
    const call = { name: 'depth' }
    expect((await callModern(harness, 'tools/call', call, DECLARING)).text).toContain('depth\\":3')
    expect((await callModern(harness, 'tools/call', call)).text).toContain('none')
  })

  it('can be opened to clients that do not declare it, and can be required by a tool', async () => {
    const open = serve([{ ...search, clients: 'all' }])
    expect((await callModern(open, 'search/later')).json.result).toBeDefined()
    const harness = createHarness({
      setUp: (server) =>
        server.addTool({ name: 'deep', handler: (_args, ctx) => JSON.stringify(requireExtension(ctx, ID)) }),
    })
    expect((await callModern(harness, 'tools/call', { name: 'deep' })).json.error?.code).toBe(-32_021)
    const { json } = await callModern(harness, 'tools/call', { name: 'deep' }, DECLARING)
    expect(json.result?.['content']).toEqual([{ type: 'text', text: '{"depth":3}' }])
  })

  it('can require a parameter to be repeated in the Mcp-Name header', async () => {
    const send = (index: unknown, name?: string): ReturnType<typeof callModern> =>
      callModern(serve(), 'search/find', { index }, { ...DECLARING, headers: { 'mcp-name': name } })
    expect((await send('books', 'books')).status).toBe(200)
    expect((await send('b\u00fccher', '=?base64?YsO8Y2hlcg==?=')).status).toBe(200)
    for (const name of ['films', undefined]) {
      const { status, json } = await send('books', name)
      expect([status, json.error?.code], name).toEqual([400, -32_020])
    }
  })

  it('has methods that middleware can wrap, one at a time or all together', async () => {
    const harness = serve()
    const seen: string[] = []
    harness.server.use('search/later', async (_ctx, next) => ({ ...(await next()), more: true }))
    harness.server.use(async (ctx, next) => {
      seen.push(ctx.message.method)
      return next()
    })
    const { json } = await callModern(harness, 'search/later', {}, DECLARING)
    expect(json.result).toMatchObject({ at: 5, more: true, resultType: 'deferred' })
    expect(seen).toEqual(['search/later'])
    expect(() => harness.server.use('search/none', async (_ctx, next) => next())).toThrow(/search\/later/)
  })
})

describe('an extension in sessions', () => {
  const inBoth = { ...search, eras: ['legacy', 'modern'] } as const

  it('is not available by default', async () => {
    const harness = serve()
    const { json } = await harness.post({ ...initializeMessage('2025-11-25') })
    expect(json.result?.['capabilities']).not.toHaveProperty('extensions')
    const session = await harness.open({ version: '2025-11-25' })
    const { json: answer } = await session.post({ jsonrpc: '2.0', id: 2, method: 'search/later' })
    expect(answer.error?.code).toBe(-32_601)
  })

  it.each(['2024-11-05', '2025-11-25'])(
    'is declared and served in %s if it is enabled for sessions',
    async (version) => {
      const harness = serve([inBoth])
      const capabilities = { extensions: { [ID]: {} } }
      const hello = await harness.post(initialize(version, { capabilities }))
      expect(hello.json.result?.['capabilities']).toHaveProperty(['extensions', ID])
      const headers = { 'mcp-session-id': hello.headers['mcp-session-id'], 'mcp-protocol-version': version }
      const ask = { jsonrpc: '2.0', id: 2, method: 'search/later' }
      const { json } = await harness.post(ask, headers)
      expect(json.result).toEqual({ at: 5, _meta: { a: 1 } })
      const plain = await harness.open({ version })
      const refused = await plain.post(ask)
      expect(refused.json.error).toMatchObject({
        data: { requiredCapabilities: { extensions: { [ID]: {} } } },
      })
    },
  )
})

describe('an extension definition', () => {
  const handler = (): object => ({})
  it.each<[string, unknown[], RegExp]>([
    ['no prefix', [{ id: 'search' }], /ERR_MCP_INVALID_NAME/],
    ['a prefix that ends with a hyphen', [{ id: 'com.ex-/a' }], /ERR_MCP_INVALID_NAME/],
    ['a prefix that starts with a digit', [{ id: 'com.1x/a' }], /ERR_MCP_INVALID_NAME/],
    ['two slashes', [{ id: 'com.example/a/b' }], /ERR_MCP_INVALID_NAME/],
    ['no id', [{}], /ERR_MCP_INVALID_NAME/],
    ['no extension', [null], /ERR_MCP_INVALID_NAME/],
    ['an id that is a number', [{ id: 5 }], /ERR_MCP_INVALID_NAME/],
    ['an id of 257 characters', [{ id: 'a/'.padEnd(257, 'x') }], /ERR_MCP_INVALID_NAME/],
    ['a repeated id', [{ id: ID }, { id: ID }], /ERR_MCP_DUPLICATE_NAME/],
    ['a method of the protocol', [{ id: ID, methods: { 'tools/call': handler } }], /ERR_MCP_DUPLICATE_NAME/],
    ['a former method of the protocol', [{ id: ID, methods: { ping: handler } }], /ERR_MCP_DUPLICATE_NAME/],
    [
      'a method of sessions, in sessions',
      [{ id: ID, eras: ['legacy'], methods: { 'tasks/list': handler } }],
      /ERR_MCP_DUPLICATE_NAME/,
    ],
    [
      'a method of another extension',
      [
        { id: ID, methods: { 'a/b': handler } },
        { id: 'com.example/b', methods: { 'a/b': handler } },
      ],
      /ERR_MCP_DUPLICATE_NAME/,
    ],
    ['a method that is not a function', [{ id: ID, methods: { 'a/b': 5 } }], /ERR_MCP_INVALID_DEFINITION/],
    ['a method with a space', [{ id: ID, methods: { 'a b': handler } }], /ERR_MCP_INVALID_DEFINITION/],
    [
      'a named parameter for an unknown method',
      [{ id: ID, names: { 'a/b': 'c' } }],
      /ERR_MCP_INVALID_DEFINITION/,
    ],
    [
      'an empty parameter name',
      [{ id: ID, methods: { 'a/b': handler }, names: { 'a/b': '' } }],
      /needs the name of a parameter for "a\/b"/,
    ],
    [
      'a parameter name that is not a string',
      [{ id: ID, methods: { 'a/b': handler }, names: { 'a/b': 5 } }],
      /needs the name of a parameter for "a\/b"/,
    ],
    ['a notification that is not a string', [{ id: ID, notifications: [5] }], /ERR_MCP_INVALID_DEFINITION/],
    [
      'eras that are not an array',
      [{ id: ID, eras: 'modern', methods: { 'a/b': handler } }],
      /needs eras: "modern", "legacy" or both/,
    ],
    [
      'an unknown era',
      [{ id: ID, eras: ['modern', 'later'], methods: { 'a/b': handler } }],
      /needs eras: "modern", "legacy" or both/,
    ],
    ['notifications that are not an array', [{ id: ID, notifications: 'a' }], /ERR_MCP_INVALID_DEFINITION/],
    [
      'a notification with another prefix',
      [{ id: ID, notifications: ['a/b'] }],
      /ERR_MCP_INVALID_DEFINITION/,
    ],
    [
      'a notification of the protocol',
      [{ id: ID, notifications: ['notifications/progress'] }],
      /ERR_MCP_DUPLICATE_NAME/,
    ],
    ['settings that are not an object', [{ id: ID, settings: [] }], /ERR_MCP_INVALID_DEFINITION/],
    ['settings that JSON changes', [{ id: ID, settings: { a: () => 1 } }], /ERR_MCP_INVALID_DEFINITION/],
    ['no eras', [{ id: ID, eras: [], methods: { 'a/b': handler } }], /ERR_MCP_INVALID_DEFINITION/],
  ])('is rejected when the server is created: %s', (_, extensions, problem) => {
    const create = (): McpServer =>
      new McpServer({ name: 'a', version: '1' }, { extensions: extensions as Extension[] })
    expect(create).toThrow(problem)
  })

  it('can have an id of 256 characters, or a method name that only session revisions define', () => {
    const long = { id: 'a/'.padEnd(256, 'x') }
    const extensions: Extension[] = [long, { id: ID, methods: { 'tasks/list': handler } }]
    expect(() => new McpServer({ name: 'a', version: '1' }, { extensions })).not.toThrow()
  })

  it('is rejected if `extensions` is not an array', () => {
    const options = { extensions: search } as unknown as ServerOptions
    expect(() => new McpServer({ name: 'a', version: '1' }, options)).toThrow(/ERR_MCP_OPTION/)
  })
})

describe('notify.extension', () => {
  const READY = 'notifications/search/ready'
  const server = new McpServer(
    { name: 'a', version: '1' },
    { extensions: [{ id: ID, notifications: [READY] }] },
  )

  it.each<[string, string, string, object]>([
    ['an extension that the server lacks', 'com.example/other', READY, {}],
    ['a notification that the extension does not declare', ID, 'notifications/search/other', {}],
    ['params that are not an object', ID, READY, []],
    ['params that JSON changes', ID, READY, { at: new Date() }],
  ])('throws for %s', (_, id, method, params) => {
    expect(() => server.notify.extension(id, method, params as never)).toThrow(/ERR_MCP_OPTION/)
  })

  it('rejects a subscription that requests the extension with a non-boolean value', async () => {
    const harness = serve([{ ...search, notifications: [READY] }])
    const filter = { notifications: { [ID]: 'yes' } }
    const { json } = await callModern(harness, 'subscriptions/listen', filter, DECLARING)
    expect(json.error).toMatchObject({ code: -32_602 })
  })
})

it('ctx.client.extension ignores inherited properties', async () => {
  const harness = createHarness({
    setUp: (server) =>
      server.addTool({ name: 'proto', handler: (_args, ctx) => typeof ctx.client.extension('toString') }),
  })
  const meta = requestMeta({ extensions: {} })
  const { text } = await callModern(harness, 'tools/call', { name: 'proto' }, { meta })
  expect(text).toContain('undefined')
})
