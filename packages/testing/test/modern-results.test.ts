import { contents, elicit, inputRequired, McpServer, result, type ServerOptions } from '@jetway/core'
import type { JsonObject } from '@jetway/core/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import type { AdapterSubject } from '../src/contracts/adapter.ts'
import { HttpTransport } from '../src/http-transport.ts'
import { connectPeer } from '../src/peer.ts'
import { fastify, fetchHandler, hono } from './support/adapters.ts'
import { fetchModern, JSON_POST, type ModernFetch } from './support/modern-fetch.ts'

const SUBJECTS: readonly [string, AdapterSubject][] = [
  ['Fastify', fastify],
  ['Hono', hono],
  ['fetch', fetchHandler],
]
const FORM = { type: 'object', properties: { ok: { type: 'boolean' } } } as const
const silent = { debug() {}, info() {}, warn() {}, error() {} }

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const end of open.splice(0).toReversed()) await end()
})

const newServer = (options: ServerOptions = {}): McpServer =>
  new McpServer({ name: 'results', version: '1' }, { logger: silent, ...options })

/** The token names the principal. Callers without one are anonymous. */
async function serve(subject: AdapterSubject, server: McpServer): Promise<string> {
  const authenticate = (request: { header(name: string): string | undefined }): { principal: string } => ({
    principal: request.header('authorization')?.replace('Bearer ', '') ?? 'nobody',
  })
  const { url, release } = await subject.serve(server, { authenticate }, {})
  open.push(
    () => release(),
    () => server.close({ deadline: 0 }),
  )
  return url
}

interface Answered {
  readonly result?: JsonObject
  readonly error?: { readonly code: number }
}

const ask = async (url: string, method: string, params?: JsonObject, more?: ModernFetch): Promise<Answered> =>
  (await fetchModern(url, method, params, more)).json() as Promise<Answered>
const hintsOf = ({ result: answer }: Answered): unknown[] => [answer?.['ttlMs'], answer?.['cacheScope']]

const SIX = [
  ['server/discover', {}],
  ['tools/list', {}],
  ['prompts/list', {}],
  ['resources/list', {}],
  ['resources/templates/list', {}],
  ['resources/read', { uri: 'a://one' }],
] as const

function addOne(server: McpServer): McpServer {
  server.addTool({ name: 'a', handler: () => 'a' })
  server.addTool({ name: 'b', handler: () => 'b' })
  server.addPrompt({ name: 'p', handler: () => 'p' })
  server.addResource({ uri: 'a://one', name: 'one', handler: () => 'one' })
  server.addResourceTemplate({ uriTemplate: 'b://{x}', name: 'b', handler: ({ x }) => x })
  return server
}

// https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
describe.each(SUBJECTS)('cache hints on %s over a socket', (_name, subject) => {
  it('default to no caching and private scope, on the six methods', async () => {
    const url = await serve(subject, addOne(newServer()))
    for (const [method, params] of SIX)
      expect([method, ...hintsOf(await ask(url, method, params))]).toEqual([method, 0, 'private'])
  })

  it("come from the server's options, per kind or for all, and appear on no other result", async () => {
    const cache = { ttlMs: 5000, cacheScope: 'public', prompts: { ttlMs: 7 } } as const
    const url = await serve(subject, addOne(newServer({ cache })))
    const said = await Promise.all(
      SIX.map(async ([method, params]) => hintsOf(await ask(url, method, params))),
    )
    expect(said).toEqual([
      [5000, 'public'],
      [5000, 'public'],
      [7, 'public'],
      [5000, 'public'],
      [5000, 'public'],
      // A read is private by default.
      [5000, 'private'],
    ])
    for (const [method, params] of [
      ['tools/call', { name: 'a' }],
      ['prompts/get', { name: 'p' }],
    ] as const) {
      const { result: answer } = await ask(url, method, params)
      expect(answer).toHaveProperty('resultType', 'complete')
      expect(answer).not.toHaveProperty('ttlMs')
      expect(answer).not.toHaveProperty('cacheScope')
    }
  })

  it('come from a resource, and first from a single read', async () => {
    const server = addOne(newServer({ cache: { ttlMs: 1 } }))
    const cache = { ttlMs: 60_000, cacheScope: 'public' } as const
    server.addResource({ uri: 'a://kept', name: 'kept', cache, handler: () => 'kept' })
    server.addResource({
      uri: 'a://says',
      name: 'says',
      cache,
      handler: () => contents([{ text: 'x' }], { cache: { ttlMs: 3, cacheScope: 'private' } }),
    })
    server.addResource({
      uri: 'a://asks',
      name: 'asks',
      cache,
      handler: (_args, { inputs }) =>
        inputs.has('sure') ? 'answered' : inputRequired({ sure: elicit('Sure?', FORM) }),
    })
    const url = await serve(subject, server)
    const read = (uri: string, more: JsonObject = {}): Promise<Answered> =>
      ask(url, 'resources/read', { uri, ...more }, { capabilities: { elicitation: {} } })
    expect(hintsOf(await read('a://kept'))).toEqual([60_000, 'public'])
    expect(hintsOf(await read('a://says'))).toEqual([3, 'private'])
    expect(hintsOf(await read('a://one'))).toEqual([1, 'private'])
    const { result: asked } = await read('a://asks')
    expect(asked).toMatchObject({ resultType: 'input_required' })
    expect(asked).not.toHaveProperty('ttlMs')
    const inputResponses = { sure: { action: 'accept', content: { ok: true } } }
    const answered = await read('a://asks', { inputResponses, requestState: asked?.['requestState'] })
    expect(answered.result).toMatchObject({ contents: [{ text: 'answered' }] })
    expect(hintsOf(answered)).toEqual([0, 'private'])
  })

  it('have the same scope on every page, even if only one entry depends on the caller', async () => {
    const cache = { ttlMs: 9, cacheScope: 'public' } as const
    const server = addOne(newServer({ cache, limits: { pageSize: 1 } }))
    const scopes = async (): Promise<unknown[]> => {
      const found: unknown[] = []
      let cursor: JsonObject = {}
      do {
        const { result: page = {} } = await ask(url, 'tools/list', cursor)
        found.push(page['cacheScope'])
        cursor = page['nextCursor'] === undefined ? {} : { cursor: page['nextCursor'] }
      } while ('cursor' in cursor)
      return found
    }
    const url = await serve(subject, server)
    expect(await scopes()).toEqual(['public', 'public'])
    server.addTool({ name: 'last', visible: () => true, handler: () => 'x' })
    expect(await scopes()).toEqual(['private', 'private', 'private'])
  })

  it('never appear in a session', async () => {
    const url = await serve(subject, addOne(newServer({ cache: { ttlMs: 9, cacheScope: 'public' } })))
    const peer = await connectPeer(new HttpTransport({ url }), { revision: '2025-11-25' })
    for (const [method, params] of SIX.slice(1)) {
      const { result: answer } = await peer.request(method, params)
      expect([method, Object.keys(answer ?? {})]).toEqual([method, [expect.any(String)]])
    }
    await peer.close()
  })
})

const VALUES: Readonly<Record<string, unknown>> = {
  object: { a: { deep: [1, null] } },
  array: [{ id: 'a' }, 2, null],
  empty: [],
  number: 0,
  fraction: -1.5e-7,
  string: '',
  text: 'line\u2028 "quoted" 👩‍🚀 \ud800',
  yes: true,
  no: false,
  nothing: null,
}

// https://modelcontextprotocol.io/specification/2026-07-28/server/tools#structured-content
describe.each(SUBJECTS)('a structured value on %s over a socket', (_name, subject) => {
  it.each([
    ['with a schema of its root', true],
    ['without any schema', false],
  ])('may have any JSON type, and arrives unchanged with its text, %s', async (_how, typed) => {
    const server = newServer()
    for (const [name, value] of Object.entries(VALUES))
      server.addTool({
        name,
        ...(typed && { outputSchema: { const: value } }),
        handler: () => (typed ? value : result({ structured: value })),
      })
    const url = await serve(subject, server)
    for (const [name, value] of Object.entries(VALUES)) {
      const { result: answer } = await ask(url, 'tools/call', { name })
      const text = JSON.stringify(value)
      expect([name, answer?.['structuredContent']]).toEqual([name, JSON.parse(text)])
      expect(answer).toMatchObject({ resultType: 'complete', content: [{ type: 'text', text }] })
      expect(answer).not.toHaveProperty('isError')
    }
    const { result: list = {} } = await ask(url, 'tools/list')
    for (const { name, outputSchema } of list['tools'] as { name: string; outputSchema?: object }[])
      expect([name, outputSchema]).toEqual([name, typed ? { const: VALUES[name] } : undefined])
  })
})

const LISTS = ['tools', 'prompts', 'resources', 'resources/templates'].map((kind) => `${kind}/list`)

/** The list depends only on this definition, and its order on the order here. */
function createLibrary(): McpServer {
  const server = newServer({ limits: { pageSize: 3 } })
  const visible = ({ auth }: { readonly auth?: { readonly principal: string } | undefined }): boolean =>
    auth?.principal === 'root'
  for (const name of ['b', 'a', 'd', '10', '9', 'c']) {
    const rule = name === 'd' && { visible }
    const inputSchema = {
      type: 'object',
      properties: { z: { type: 'string' }, 1: { type: 'string' }, a: { type: 'string' } },
    } as const
    server.addTool({ name, inputSchema, ...rule, handler: () => name })
    server.addPrompt({ name, arguments: [{ name: 'z' }, { name: 'a' }], ...rule, handler: () => name })
    server.addResource({ uri: `r://${name}`, name, ...rule, handler: () => name })
    server.addResourceTemplate({ uriTemplate: `t://${name}/{x}`, name, ...rule, handler: () => name })
  }
  server.addTool({
    name: 'unlock',
    handler: (_args, { session }) => {
      if (session === undefined) return 'no session'
      server.forSession(session).addTool({ name: 'own', handler: () => 'own' })
      return 'unlocked'
    },
  })
  return server
}

/** Every page of every list, as received bytes. */
async function listAll(url: string, more: ModernFetch = {}): Promise<readonly string[]> {
  const pages: string[] = []
  for (const method of LISTS) {
    let cursor: JsonObject = {}
    do {
      const body = await (await fetchModern(url, method, cursor, more)).text()
      pages.push(body)
      const { result: page } = JSON.parse(body) as Answered
      cursor = page?.['nextCursor'] === undefined ? {} : { cursor: page['nextCursor'] }
    } while ('cursor' in cursor)
  }
  return pages
}

const asRoot = { headers: { authorization: 'Bearer root' } }

// https://modelcontextprotocol.io/specification/2026-07-28/server/tools#capabilities
describe('lists over sockets', () => {
  it('are the same bytes from every server of one definition, except for what depends on the caller', async () => {
    const urls = await Promise.all(SUBJECTS.map(([, subject]) => serve(subject, createLibrary())))
    const [first = ''] = urls
    const lists = await listAll(first)
    const roots = await listAll(first, asRoot)
    expect(roots).not.toEqual(lists)
    expect(roots.join()).toContain('"d"')
    expect(lists.join()).not.toContain('"d"')
    const others: readonly ModernFetch[] = [
      { capabilities: { elicitation: {}, sampling: {}, extensions: { 'com.example/x': {} } } },
      { clientInfo: { name: 'another', version: '2', title: 'T' } },
      { headers: { 'accept-language': 'de', 'mcp-session-id': 'none', authorization: 'Bearer ann' } },
    ]
    for (const url of urls.toReversed()) {
      for (const [index, other] of others.entries()) {
        // An earlier failed request has no effect.
        await ask(url, 'tools/call', { name: ['a', 'unlock', 'never'][index] })
        await fetch(url, { method: 'POST', headers: JSON_POST, body: '{' })
        expect(await listAll(url, other)).toEqual(lists)
      }
      expect(await listAll(url, asRoot)).toEqual(roots)
    }
  })

  it.each(SUBJECTS)('contain no entries of a single session, on %s', async (_name, subject) => {
    const url = await serve(subject, createLibrary())
    const before = await listAll(url)
    const transport = new HttpTransport({ url })
    const peer = await connectPeer(transport, { revision: '2025-11-25' })
    expect((await peer.request('tools/call', { name: 'unlock' })).result).toMatchObject({
      content: [{ text: 'unlocked' }],
    })
    expect((await peer.request('tools/call', { name: 'own' })).result).toBeDefined()
    const headers = { 'mcp-session-id': transport.sessionId ?? '' }
    expect(await listAll(url, { headers })).toEqual(before)
    expect((await ask(url, 'tools/call', { name: 'own' }, { headers })).error?.code).toBe(-32602)
    await peer.close()
  })
})
