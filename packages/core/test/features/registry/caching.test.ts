import { requestMeta, silent } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { contents } from '../../../src/features/resources/resource-contents.ts'
import { McpServer } from '../../../src/server/mcp-server.ts'
import type { ServerOptions } from '../../../src/server/options.ts'
import { openPeer } from '../../support/peer.ts'

const META = requestMeta({ elicitation: { form: {} } })

interface Answer {
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly data?: unknown }
}

async function ask(server: McpServer, method: string, params: object = {}): Promise<Answer> {
  const message = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } }
  return JSON.parse((await server.handleMessage(message)) ?? '{}') as Answer
}

async function hints(server: McpServer, method: string, params?: object): Promise<readonly unknown[]> {
  const { result } = await ask(server, method, params)
  return [result?.['ttlMs'], result?.['cacheScope']]
}

function createServer(options: ServerOptions = {}): McpServer {
  const server = new McpServer({ name: 'test', version: '1' }, { logger: silent, ...options })
  server.addTool({ name: 'a', handler: () => 'a' })
  server.addTool({ name: 'b', handler: () => 'b' })
  server.addPrompt({ name: 'p', handler: () => 'p' })
  server.addResource({ uri: 'a://one', name: 'one', handler: () => 'one' })
  server.addResourceTemplate({ uriTemplate: 'b://{x}', name: 'b', handler: ({ x }) => x })
  return server
}

const ALL = [
  ['server/discover', {}],
  ['tools/list', {}],
  ['prompts/list', {}],
  ['resources/list', {}],
  ['resources/templates/list', {}],
  ['resources/read', { uri: 'a://one' }],
] as const
const LISTS = ALL.slice(0, -1)

describe('server-wide cache hints (https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching)', () => {
  it.each(ALL)('default to a ttlMs of 0 and a private scope: %s', async (method, params) => {
    expect(await hints(createServer(), method, params)).toEqual([0, 'private'])
  })

  it('are absent from results that cannot be cached', async () => {
    const server = createServer({ cache: { ttlMs: 5, cacheScope: 'public' } })
    const called = await ask(server, 'tools/call', { name: 'a' })
    const got = await ask(server, 'prompts/get', { name: 'p' })
    for (const { result } of [called, got]) {
      expect(result).toHaveProperty('resultType', 'complete')
      expect(result).not.toHaveProperty('ttlMs')
      expect(result).not.toHaveProperty('cacheScope')
    }
  })

  it('apply to every result, but a read is public only if its resource is public', async () => {
    const server = createServer({ cache: { ttlMs: 5000, cacheScope: 'public' } })
    for (const [method] of LISTS) expect(await hints(server, method)).toEqual([5000, 'public'])
    expect(await hints(server, 'resources/read', { uri: 'a://one' })).toEqual([5000, 'private'])
    expect(await hints(server, 'resources/read', { uri: 'b://x' })).toEqual([5000, 'private'])
  })

  it.each([
    ['discover', 'server/discover', {}],
    ['tools', 'tools/list', {}],
    ['prompts', 'prompts/list', {}],
    ['resources', 'resources/list', {}],
    ['resourceTemplates', 'resources/templates/list', {}],
    ['reads', 'resources/read', { uri: 'a://one' }],
  ])('can be overridden for one kind of result: %s', async (kind, method, params) => {
    const server = createServer({ cache: { ttlMs: 1, [kind]: { ttlMs: 0, cacheScope: 'public' } } })
    for (const [other, otherParams] of ALL)
      expect(await hints(server, other, otherParams)).toEqual(
        other === method ? [0, 'public'] : [1, 'private'],
      )
    const apart = createServer({
      cache: { ttlMs: 1, cacheScope: 'public', [kind]: { cacheScope: 'private' } },
    })
    expect(await hints(apart, method, params)).toEqual([1, 'private'])
  })

  it.each<[object, RegExp]>([
    [{ ttlMs: -1 }, /^The option cache needs a whole number of milliseconds from 0 as its ttlMs/],
    [{ ttlMs: 1.5 }, /ttlMs/],
    [{ ttlMs: Infinity }, /ttlMs/],
    [{ ttlMs: '5' }, /ttlMs/],
    [{ cacheScope: 'shared' }, /"public" or "private"/],
    [{ tools: { ttlMs: Number.NaN } }, /^The option cache\.tools needs/],
    [{ reads: 5 }, /^The option cache\.reads must be an object/],
    [{ discover: null }, /^The option cache\.discover must be an object/],
  ])('are rejected if they are invalid: %j', (cache, message) => {
    expect(() => createServer({ cache })).toThrow(message)
    expect(() => createServer({ cache })).toThrow(expect.objectContaining({ code: 'ERR_MCP_OPTION' }))
  })

  it('are not sent in a session', async () => {
    const server = createServer({ cache: { ttlMs: 5, cacheScope: 'public' } })
    const peer = await openPeer(server, { version: '2025-11-25' })
    const { result } = await peer.request('tools/list')
    expect(Object.keys(result as object)).toEqual(['tools'])
    const read = await peer.request('resources/read', { uri: 'a://one' })
    expect(Object.keys(read.result as object)).toEqual(['contents'])
    await peer.close()
  })
})

describe('a public cacheScope', () => {
  const cache = { ttlMs: 9, cacheScope: 'public' } as const

  it('becomes private for every caller if any entry has a `visible` rule', async () => {
    const server = createServer({ cache: { ...cache, tools: { cacheScope: 'public' } } })
    const handle = server.addTool({ name: 'c', visible: () => true, handler: () => 'c' })
    expect(await hints(server, 'tools/list')).toEqual([9, 'private'])
    expect(await hints(server, 'prompts/list')).toEqual([9, 'public'])
    handle.remove()
    expect(await hints(server, 'tools/list')).toEqual([9, 'public'])
  })

  it('becomes private if there is middleware, unless the kind is explicitly public', async () => {
    const server = createServer({ cache: { ...cache, prompts: { cacheScope: 'public' } } })
    expect(await hints(server, 'tools/list')).toEqual([9, 'public'])
    server.use(async (_ctx, next) => next())
    expect(await hints(server, 'tools/list')).toEqual([9, 'private'])
    expect(await hints(server, 'prompts/list')).toEqual([9, 'public'])
    expect(await hints(server, 'server/discover')).toEqual([9, 'private'])
  })

  it('becomes private if a template lists resources, unless resources are explicitly public', async () => {
    const list = (): { uri: string; name: string }[] => [{ uri: 'c://1', name: '1' }]
    const template = { uriTemplate: 'c://{x}', name: 'c', list, handler: () => 'c' }
    const listing = createServer({ cache })
    listing.addResourceTemplate(template)
    expect(await hints(listing, 'resources/list')).toEqual([9, 'private'])
    const meant = createServer({ cache: { ...cache, resources: { cacheScope: 'public' } } })
    const handle = meant.addResourceTemplate(template)
    expect(await hints(meant, 'resources/list')).toEqual([9, 'public'])
    handle.update({ ...template, visible: () => false })
    expect(await hints(meant, 'resources/list')).toEqual([9, 'private'])
  })

  it('becomes private if instructions are a function', async () => {
    const asking = createServer({ cache, instructions: () => 'for you' })
    expect(await hints(asking, 'server/discover')).toEqual([9, 'private'])
    const fixed = createServer({ cache, instructions: 'for all' })
    expect(await hints(fixed, 'server/discover')).toEqual([9, 'public'])
  })
})

describe('the pages of a list', () => {
  const cache = { ttlMs: 9, cacheScope: 'public' } as const

  it('have the same cache scope', async () => {
    const server = createServer({ cache, limits: { pageSize: 1 } })
    const { result } = await ask(server, 'tools/list')
    expect(result).toMatchObject({ ttlMs: 9, cacheScope: 'public' })
    expect(await hints(server, 'tools/list', { cursor: result?.['nextCursor'] })).toEqual([9, 'public'])
  })

  it('are not returned for a cursor from a page with a different scope', async () => {
    const server = createServer({ cache, limits: { pageSize: 1 } })
    const before = (await ask(server, 'tools/list')).result?.['nextCursor']
    const handle = server.addTool({ name: 'c', visible: () => true, handler: () => 'c' })
    expect((await ask(server, 'tools/list', { cursor: before })).error?.code).toBe(-32602)
    const guarded = (await ask(server, 'tools/list')).result?.['nextCursor']
    expect(await hints(server, 'tools/list', { cursor: guarded })).toEqual([9, 'private'])
    handle.remove()
    expect((await ask(server, 'tools/list', { cursor: guarded })).error?.code).toBe(-32602)
    expect(await hints(server, 'tools/list', { cursor: before })).toEqual([9, 'public'])
  })

  it('are not returned for an empty cursor', async () => {
    const server = createServer({ cache, limits: { pageSize: 1 } })
    expect((await ask(server, 'tools/list', { cursor: '' })).error?.code).toBe(-32602)
  })
})

describe('cache hints for a resource and for one read', () => {
  function reading(options: ServerOptions = {}): McpServer {
    const server = createServer(options)
    server.addResource({
      uri: 'r://kept',
      name: 'kept',
      cache: { ttlMs: 60_000, cacheScope: 'public' },
      handler: () => 'kept',
    })
    server.addResource({
      uri: 'r://says',
      name: 'says',
      cache: { ttlMs: 60_000 },
      handler: async () => contents([{ text: 'x' }], { cache: { ttlMs: 1, cacheScope: 'public' } }),
    })
    server.addResourceTemplate({
      uriTemplate: 't://{x}',
      name: 't',
      cache: { ttlMs: 7 },
      handler: ({ x }) => (x === 'now' ? contents([{ text: x }], { cache: { ttlMs: 0 } }) : x),
    })
    server.addResource({
      uri: 'r://guarded',
      name: 'guarded',
      visible: () => true,
      handler: () => contents([{ text: 'x' }], { cache: { ttlMs: 3, cacheScope: 'public' } }),
    })
    return server
  }

  it.each([
    ['r://kept', [60_000, 'public']],
    ['r://says', [1, 'public']],
    ['t://a', [7, 'private']],
    ['t://now', [0, 'private']],
    ['r://guarded', [3, 'private']],
    ['a://one', [30, 'private']],
  ])("override the server's hints: %s", async (uri, expected) => {
    expect(await hints(reading({ cache: { ttlMs: 30 } }), 'resources/read', { uri })).toEqual(expected)
  })

  it('are unaffected by middleware, which sees only the contents', async () => {
    const server = reading()
    const seen: object[] = []
    server.use('resources/read', async (_ctx, next) => {
      const result = await next()
      seen.push(Object.keys(result))
      return { ...result, _meta: { 'com.example/seen': true } }
    })
    expect(await hints(server, 'resources/read', { uri: 'r://kept' })).toEqual([60_000, 'public'])
    expect(seen).toEqual([['contents']])
  })

  it.each(ALL)(
    'occur exactly once in the result, even if middleware adds the same members: %s',
    async (method, params) => {
      const server = reading({ cache: { ttlMs: 7 } })
      const own = { resultType: 'mine', ttlMs: 999_999, cacheScope: 'public', 'com.example/more': 1 }
      server.use(async (_ctx, next) => ({ ...(await next()), ...own }))
      const message = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } }
      const text = (await server.handleMessage(message)) ?? ''
      for (const key of ['resultType', 'ttlMs', 'cacheScope', 'com.example/more'])
        expect(text.split(`"${key}":`)).toHaveLength(2)
      expect(JSON.parse(text)).toMatchObject({
        result: { resultType: 'complete', ttlMs: 7, cacheScope: 'private', 'com.example/more': 1 },
      })
    },
  )

  it("do not apply to a read that depends on a user's answers", async () => {
    const answer = { q: { action: 'accept', content: { a: 'x' } } }
    const answered = { uri: 'r://kept', inputResponses: answer }
    expect(await hints(reading(), 'resources/read', answered)).toEqual([0, 'private'])
  })

  it('are rejected if they are invalid, or if they are public for a resource with a `visible` rule', () => {
    const server = createServer()
    const resource = { uri: 'w://w', name: 'w', handler: () => 'w' }
    expect(() => server.addResource({ ...resource, cache: { ttlMs: -5 } })).toThrow(
      /The resource "w:\/\/w" has a cache that needs a whole number/,
    )
    expect(() =>
      server.addResource({ ...resource, visible: () => true, cache: { cacheScope: 'public' } }),
    ).toThrow(/has a visible rule, so its cache cannot be public/)
    expect(() => contents([], { cache: { ttlMs: 0.5 } })).toThrow(
      /The cache of contents needs a whole number/,
    )
  })
})

describe('an unknown resource (https://modelcontextprotocol.io/specification/2026-07-28/server/resources#error-handling)', () => {
  it('causes error -32602 with its URI, just like a resource without contents', async () => {
    const server = createServer()
    server.addResource({ uri: 'e://none', name: 'none', handler: () => contents([]) })
    server.addResource({ uri: 'e://gone', name: 'gone', handler: () => undefined })
    server.addResource({ uri: 'e://empty', name: 'empty', handler: () => contents([{ text: '' }]) })
    for (const uri of ['e://none', 'e://gone', 'e://never'])
      expect((await ask(server, 'resources/read', { uri })).error).toMatchObject({
        code: -32602,
        data: { uri },
      })
    expect((await ask(server, 'resources/read', { uri: 'e://empty' })).result?.['contents']).toEqual([
      { uri: 'e://empty', text: '' },
    ])
  })
})

describe('server/discover (https://modelcontextprotocol.io/specification/2026-07-28/server/discover)', () => {
  it('calls the instructions function with the client info', async () => {
    const server = createServer({
      instructions: ({ capabilities }) => `You have ${Object.keys(capabilities).join(', ')}`,
    })
    expect((await ask(server, 'server/discover')).result).toMatchObject({
      supportedVersions: ['2026-07-28'],
      instructions: 'You have elicitation',
      ttlMs: 0,
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'test', version: '1' } },
    })
  })
})
