import { type AnyTool, content, elicit, inputRequired, result, type Source, ToolError } from '@jetway/core'
import { connect, type TestClient } from '@jetway/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { change, type SourceChanges, sourceOf } from '../../src/index.ts'
import { create, keepLines, textOf } from '../support/servers.ts'

type Tools = readonly AnyTool<unknown, unknown>[]

interface Issue {
  readonly q: string
  readonly limit?: number
  readonly tenant?: string
}

/** The arguments that the tool has received are its result. */
const search = {
  name: 'search_issues_v2',
  title: 'Search',
  description: 'Searches',
  annotations: { readOnly: true },
  inputSchema: {
    type: 'object',
    properties: {
      q: { type: 'string' },
      limit: { type: 'integer', default: 10 },
      tenant: { type: 'string' },
    },
    required: ['q', 'tenant'],
  },
  handler: (args: Issue) => JSON.stringify(args),
} as const

const KINDS = [
  ['a server', 'server'],
  ['another source', 'source'],
] as const

/** Connects to a server with a changed view of tools, which another server or another source has. */
async function connectTo(
  tools: Tools,
  changes: SourceChanges,
  {
    kind = 'server',
    logger,
  }: { kind?: 'server' | 'source'; logger?: ReturnType<typeof keepLines>['logger'] } = {},
): Promise<TestClient> {
  const child = create('child')
  if (kind === 'server') for (const tool of tools) child.addTool(tool as never)
  const source: Source =
    kind === 'server' ? sourceOf(child) : { tools: () => tools, onChange: () => () => {} }
  const parent = create('parent', logger === undefined ? {} : { logger })
  parent.observe(change(source, changes, logger === undefined ? {} : { logger }))
  const client = await connect(parent, { auth: { principal: 'ada', extra: { tenant: 'acme' } } })
  onTestFinished(() => client.close())
  return client
}

describe.each(KINDS)('change of a tool of %s', (_name, kind) => {
  it('renames and describes the tool and its arguments', async () => {
    const client = await connectTo(
      [search],
      {
        tools: {
          search_issues_v2: {
            name: 'find_issues',
            title: 'Find',
            description: 'Finds open issues',
            annotations: { idempotent: true },
            args: { q: { name: 'query', description: 'What to find' } },
          },
        },
      },
      { kind },
    )
    expect(await client.listTools()).toEqual([
      {
        name: 'find_issues',
        title: 'Find',
        description: 'Finds open issues',
        annotations: { readOnlyHint: true, idempotentHint: true },
        inputSchema: {
          type: 'object',
          properties: {
            query: { type: 'string', description: 'What to find' },
            limit: { type: 'integer', default: 10 },
            tenant: { type: 'string' },
          },
          required: ['query', 'tenant'],
        },
      },
    ])
    const called = await client.callTool('find_issues', { query: 'bug', tenant: 't' })
    expect(textOf(called)).toBe('{"query":"bug","tenant":"t"}'.replace('query', 'q'))
    await expect(client.callTool('search_issues_v2', {})).rejects.toThrow('Unknown tool')
  })

  it('hides arguments, whose values come from the view', async () => {
    const client = await connectTo(
      [search],
      {
        tools: {
          search_issues_v2: {
            args: {
              limit: { hide: true },
              tenant: {
                hide: true,
                value: (ctx) => (ctx.auth as { extra?: { tenant: string } } | undefined)?.extra?.tenant,
              },
            },
          },
        },
      },
      { kind },
    )
    const [tool] = await client.listTools()
    expect(tool?.inputSchema).toEqual({
      type: 'object',
      properties: { q: { type: 'string' } },
      required: ['q'],
    })
    const called = await client.callTool('search_issues_v2', { q: 'bug' })
    expect(JSON.parse(textOf(called) ?? '')).toEqual({ q: 'bug', limit: 10, tenant: 'acme' })
  })

  it.each([
    ['a hidden argument', { q: 'x', tenant: 'evil' }],
    ['the former name of a renamed argument', { query: 'x', q: 'y' }],
  ])('refuses a call with %s instead of overruling it', async (_what, args) => {
    const client = await connectTo(
      [search],
      {
        tools: {
          search_issues_v2: { args: { q: { name: 'query' }, tenant: { hide: true, value: 'acme' } } },
        },
      },
      { kind },
    )
    const refused = await client.callTool('search_issues_v2', { query: 'x', ...args })
    expect(refused.isError).toBe(true)
    expect(textOf(refused)).toMatch(/is not a known property/)
  })

  it('fails a call for which a hidden value is undefined', async () => {
    const client = await connectTo(
      [search],
      { tools: { search_issues_v2: { args: { tenant: { hide: true, value: () => undefined } } } } },
      { kind },
    )
    const failed = await client.callTool('search_issues_v2', { q: 'x' })
    expect(textOf(failed)).toMatch(/^The tool failed \(reference/)
  })

  it('keeps the checks and transforms of library schemas', async () => {
    const tool = {
      name: 'plan',
      inputSchema: z.object({ day: z.string().trim().min(2), n: z.int().default(3) }),
      handler: (args: object) => JSON.stringify(args),
    }
    const client = await connectTo([tool], { tools: { plan: { args: { day: { name: 'date' } } } } }, { kind })
    expect(textOf(await client.callTool('plan', { date: ' monday ' }))).toBe('{"day":"monday","n":3}')
    const invalid = await client.callTool('plan', { date: '  x  ' })
    expect(invalid.isError).toBe(true)
  })

  it('replaces successful results, and leaves failures as they are', async () => {
    const tools = [
      {
        name: 'report',
        inputSchema: { type: 'object', properties: { fail: { type: 'boolean' } } },
        outputSchema: { type: 'object', properties: { items: { type: 'array' }, debug: { type: 'string' } } },
        handler: ({ fail }: { fail?: boolean }) => {
          if (fail === true) throw new ToolError('Failed')
          return { items: [1], debug: 'long' }
        },
      },
    ] as unknown as Tools
    const client = await connectTo(
      tools,
      {
        tools: {
          report: { result: ({ structured }) => ({ items: (structured as { items: unknown }).items }) },
        },
      },
      { kind },
    )
    expect((await client.listTools())[0]).not.toHaveProperty('outputSchema')
    expect(textOf(await client.callTool('report', {}))).toBe('{"items":[1]}')
    expect(await client.callTool('report', { fail: true })).toMatchObject({
      isError: true,
      content: [{ text: 'Failed' }],
    })
  })

  it('wraps the handler, which next runs', async () => {
    const tools = [
      { name: 'text', handler: () => 'plain' },
      { name: 'block', handler: () => content.image('aGk=', 'image/png') },
      { name: 'whole', handler: () => result({ content: 'c', structured: { a: 1 }, _meta: { 'x/y': 1 } }) },
      { name: 'data', handler: () => ({ a: 1 }) },
      { name: 'nothing', handler: () => undefined },
    ] as unknown as Tools
    const seen: unknown[] = []
    const handler = async (_args: unknown, _ctx: unknown, next: () => Promise<object>): Promise<object> => {
      const got = await next()
      seen.push(got)
      return got
    }
    const changes = Object.fromEntries(tools.map(({ name }) => [name, { handler }]))
    const client = await connectTo(tools, { tools: changes }, { kind })
    const plain = await connectTo(tools, {}, { kind })
    for (const { name } of tools) {
      const [wrapped, own] = [await client.callTool(name), await plain.callTool(name)]
      expect(wrapped).toMatchObject(own)
    }
    expect(seen[2]).toMatchObject({ structured: { a: 1 }, isError: false })
  })

  it('passes other arguments to next, as the tool knows them', async () => {
    const client = await connectTo(
      [search],
      {
        tools: {
          search_issues_v2: {
            args: { q: { name: 'query' } },
            handler: (args, _ctx, next) => next({ ...args, query: `is:open ${String(args['query'])}` }),
          },
        },
      },
      { kind },
    )
    const called = await client.callTool('search_issues_v2', { query: 'bug', tenant: 't' })
    expect(JSON.parse(textOf(called) ?? '')).toEqual({ q: 'is:open bug', tenant: 't' })
  })

  it('asks the questions of a wrapped tool, and runs the wrapper again with the answers', async () => {
    const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const
    const tools = [
      {
        name: 'asks',
        handler: (
          _args: object,
          ctx: { inputs: { get(key: string, s: object): { n: number } | undefined } },
        ) => {
          const answer = ctx.inputs.get('n', schema)
          return answer === undefined ? inputRequired({ n: elicit('N?', schema) }) : `${answer.n}`
        },
      },
    ] as unknown as Tools
    const runs: string[] = []
    const child = create('child')
    for (const tool of tools) child.addTool(tool as never)
    const parent = create('parent')
    const source: Source =
      kind === 'server' ? sourceOf(child) : { tools: () => tools, onChange: () => () => {} }
    parent.observe(
      change(source, {
        tools: {
          asks: {
            handler: async (_args, _ctx, next) => {
              runs.push('starts')
              const got = await next()
              runs.push('ends')
              return got
            },
            result: ({ content: blocks }) => blocks,
          },
        },
      }),
    )
    for (const revision of ['2025-11-25', '2026-07-28'] as const) {
      await using client = await connect(parent, {
        revision,
        handlers: { elicit: [{ action: 'accept', content: { n: 4 } }] },
      })
      expect(textOf(await client.callTool('asks'))).toBe('4')
      expect(runs.splice(0)).toEqual(['starts', 'starts', 'ends'])
    }
  })
})

describe('change', () => {
  it('leaves out definitions of every kind, and changes what people see of them', async () => {
    const child = create('child')
    child.addTool({ name: 'keep', relatedTools: [{ name: 'drop', relation: 'related' }], handler: () => 'k' })
    child.addTool({ name: 'drop', handler: () => 'd' })
    child.addPrompt({ name: 'greet', handler: () => 'hello' })
    child.addPrompt({ name: 'gone', handler: () => 'gone' })
    child.addResource({ uri: 'a://b', name: 'b', handler: () => 'b' })
    child.addResource({ uri: 'a://gone', name: 'gone', handler: () => 'gone' })
    child.addResourceTemplate({ uriTemplate: 'c://{d}', name: 'd', handler: () => 'd' })
    const parent = create('parent')
    parent.observe(
      change(sourceOf(child), {
        tools: { drop: false },
        prompts: { greet: { name: 'welcome', title: 'Welcome' }, gone: false },
        resources: { 'a://b': { description: 'A b' }, 'a://gone': false },
        resourceTemplates: { 'c://{d}': false },
      }),
    )
    await using client = await connect(parent)
    expect(await client.listTools()).toEqual([{ name: 'keep', inputSchema: expect.anything() }])
    expect(await client.listPrompts()).toEqual([{ name: 'welcome', title: 'Welcome' }])
    expect(await client.getPrompt('welcome')).toMatchObject({ messages: [{ content: { text: 'hello' } }] })
    expect(await client.listResources()).toEqual([{ uri: 'a://b', name: 'b', description: 'A b' }])
    expect(await client.listResourceTemplates()).toEqual([])
  })

  it('shows a definition only if its own rule and that of the change allow it', async () => {
    const child = create('child')
    const visible = (ctx: { auth: { principal: string } | undefined }): boolean =>
      ctx.auth?.principal !== 'eve'
    child.addTool({ name: 'a', visible, handler: () => 'a' })
    child.addResource({
      uri: 'a://b',
      name: 'b',
      cache: { cacheScope: 'public', ttlMs: 9 },
      handler: () => 'b',
    })
    const parent = create('parent')
    const own = (ctx: { auth: { scopes?: readonly string[] } | undefined }): boolean =>
      ctx.auth?.scopes?.includes('a') === true
    parent.observe(
      change(sourceOf(child), { tools: { a: { visible: own } }, resources: { 'a://b': { visible: own } } }),
    )
    const seenBy = async (principal: string, scopes: readonly string[]): Promise<number> => {
      await using client = await connect(parent, { auth: { principal, scopes } })
      return (await client.listTools()).length + (await client.listResources()).length
    }
    expect(await seenBy('ada', ['a'])).toBe(2)
    expect(await seenBy('ada', [])).toBe(0)
    expect(await seenBy('eve', ['a'])).toBe(1)
    await using client = await connect(parent, {
      auth: { principal: 'ada', scopes: ['a'] },
      revision: '2026-07-28',
    })
    expect(await client.request('resources/read', { uri: 'a://b' })).toMatchObject({ cacheScope: 'private' })
  })

  it('leaves out a tool whose schema it cannot change, and logs why', async () => {
    const { lines, logger } = keepLines()
    const union = { ...search, name: 'union', inputSchema: { anyOf: [{ type: 'object' }] } }
    const client = await connectTo(
      [search, union],
      { tools: { union: { args: { q: { name: 'query' } } } } },
      { kind: 'source', logger },
    )
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['search_issues_v2'])
    expect(lines).toEqual([
      [
        'A definition of a composed source was left out',
        {
          name: 'union',
          err: expect.objectContaining({
            code: 'ERR_MCP_COMPOSE',
            message: expect.stringContaining('The tool "union" cannot be changed at inputSchema.anyOf'),
          }),
        },
      ],
    ])
  })

  it('warns once of a change that matches nothing, with the nearest name', async () => {
    const { lines, logger } = keepLines()
    const child = create('child')
    child.addTool({ name: 'search_issues', handler: () => 'x' })
    const source = change(sourceOf(child), { tools: { search_isues: false, other: false } }, { logger })
    await source.tools?.()
    await source.tools?.()
    expect(lines).toEqual([
      [
        expect.stringContaining('names a definition'),
        { kind: 'tool', name: 'search_isues', nearest: 'search_issues' },
      ],
      [expect.stringContaining('names a definition'), { kind: 'tool', name: 'other', nearest: undefined }],
    ])
  })
})
