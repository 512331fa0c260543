import { silent } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { displayName } from '../../../src/protocol.ts'
import type { AnyTool } from '../../../src/features/tools/tool-types.ts'
import { McpServer, UsageError } from '../../../src/index.ts'
import { openPeer } from '../../support/peer.ts'
import { serveWeb } from '../../support/web-client.ts'

const create = (options: object = {}): McpServer =>
  new McpServer({ name: 'test', version: '1' }, { logger: silent, ...options })

interface Listed {
  readonly name: string
  readonly description?: string
  readonly annotations?: object
  readonly _meta?: Record<string, unknown>
}

async function listed(server: McpServer, version = '2025-11-25'): Promise<Listed[]> {
  const client = await serveWeb(server).open('anyone', version)
  return (await client.request('tools/list')).result['tools'] as Listed[]
}

/** One tool as clients see it. */
async function shown(definition: object, options: object = {}, version?: string): Promise<Listed> {
  const server = create(options)
  server.addTool({ name: 'a', handler: () => '', ...definition })
  const [tool] = await listed(server, version)
  return tool ?? { name: '' }
}

describe('annotations', () => {
  const cases: [string, AnyTool['annotations'], object | undefined][] = [
    [
      'accept hints under their own names',
      { readOnlyHint: true, openWorldHint: false },
      { readOnlyHint: true, openWorldHint: false },
    ],
    [
      'accept short names',
      { readOnly: true, destructive: false, idempotent: true, openWorld: false },
      { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    ],
    ['keep false', { destructiveHint: false }, { destructiveHint: false }],
    ['omit undefined', { readOnlyHint: undefined, title: 'A' } as object, { title: 'A' }],
    [
      'are absent if all are undefined',
      { readOnly: undefined, destructiveHint: undefined } as object,
      undefined,
    ],
    ['are absent for an empty object', {}, undefined],
    ['accept both names if they agree', { readOnly: true, readOnlyHint: true }, { readOnlyHint: true }],
    ['accept a title', { title: 'Look' }, { title: 'Look' }],
  ]

  it.each(cases)('%s', async (_name, annotations, expected) => {
    expect((await shown({ annotations })).annotations).toEqual(expected)
  })

  it('are absent in older revisions, and for a tool that has none', async () => {
    expect(await shown({})).not.toHaveProperty('annotations')
    expect(await shown({ annotations: { readOnly: true } }, {}, '2024-11-05')).not.toHaveProperty(
      'annotations',
    )
  })

  it.each([
    [
      'a hint of another type',
      { readOnly: 'yes' },
      /tool "a" needs a boolean as its annotations.readOnlyHint/,
    ],
    [
      'two names that disagree',
      { readOnly: true, readOnlyHint: false },
      /two things with readOnly and readOnlyHint/,
    ],
    ['a title of another type', { title: 5 }, /needs a string as its annotations.title/],
    ['an array', ['readOnly'], /needs an object as its annotations/],
  ])('are rejected with an error that names the tool: %s', (_name, annotations, message) => {
    const add = (): unknown =>
      create().addTool({ name: 'a', annotations: annotations as object, handler: () => '' })
    expect(add).toThrow(message)
    expect(add).toThrow(UsageError)
  })
})

describe('displayName', () => {
  it.each([
    [{ name: 'a', title: 'A', annotations: { title: 'Other' } }, 'A'],
    [{ name: 'a', annotations: { title: 'Other' } }, 'Other'],
    [{ name: 'a', title: '', annotations: { title: '' } }, 'a'],
    [{ name: 'a', annotations: {} }, 'a'],
    [{ name: 'a' }, 'a'],
  ])('given %j, returns %s', (tool, expected) => expect(displayName(tool)).toBe(expected))
})

describe('priority, related tools and cache control', () => {
  const relatedTools: NonNullable<AnyTool['relatedTools']> = [
    { name: 'b', relation: 'related' },
    { name: 'c', relation: 'suggested' },
  ]

  it("are published as metadata with Jetway's prefix, alongside the author's metadata", async () => {
    expect(
      await shown({ priority: 1000, relatedTools, cacheControl: 'ephemeral', _meta: { 'com.example/k': 1 } }),
    ).toMatchObject({
      _meta: {
        'com.example/k': 1,
        'dev.jetway/priority': 1000,
        'dev.jetway/relatedTools': relatedTools,
        'dev.jetway/cacheControl': 'ephemeral',
      },
    })
  })

  it('are published only as metadata, and only for tools that define them', async () => {
    expect(await shown({})).toEqual({
      name: 'a',
      inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    })
    expect(
      Object.keys(await shown({ priority: 1, relatedTools, cacheControl: 'ephemeral' })).toSorted(),
    ).toEqual(['_meta', 'inputSchema', 'name'])
  })

  it('are omitted in revisions that do not support metadata on tools', async () => {
    expect(await shown({ priority: 1 }, {}, '2025-03-26')).not.toHaveProperty('_meta')
  })

  it.each([
    [{ priority: 0.5 }, /tool "a" needs a whole number as its priority/],
    [{ priority: 'high' }, /whole number/],
    [{ cacheControl: 'forever' }, /knows no cacheControl but "ephemeral"/],
    [{ relatedTools: 'b' }, /needs its relatedTools in an array/],
    [
      { relatedTools: [{ name: 'b', relation: 'next' }] },
      /relation of "related" or "suggested" to the tool "b"/,
    ],
    [{ relatedTools: [{ name: 'b c', relation: 'related' }] }, /tool name "b c"/],
    [{ relatedTools: ['b'] }, /tool name of type undefined/],
  ])('are rejected if they are invalid: %j', (wrong, message) => {
    expect(() => create().addTool({ name: 'a', handler: () => '', ...(wrong as object) })).toThrow(message)
  })
})

describe('orderByPriority', () => {
  const fill = (server: McpServer): McpServer => {
    for (const [name, priority] of [
      ['low', 100],
      ['b', 1000],
      ['a', 1000],
      ['plain', undefined],
      ['last', -1],
    ] as const)
      server.addTool({ name, ...(priority !== undefined && { priority }), handler: () => '' })
    return server
  }
  const namesOf = async (server: McpServer): Promise<string[]> =>
    (await listed(server)).map(({ name }) => name)

  it('sorts tools by priority if any tool has one, and otherwise keeps the order of registration', async () => {
    expect(await namesOf(fill(create()))).toEqual(['low', 'b', 'a', 'plain', 'last'])
    expect(await namesOf(fill(create({ tools: { orderByPriority: true } })))).toEqual([
      'a',
      'b',
      'low',
      'plain',
      'last',
    ])
  })

  it('sorts across pages, even after a priority has changed', async () => {
    const server = create({ tools: { orderByPriority: true }, limits: { pageSize: 2 } })
    const peer = await openPeer(fill(server))
    const handle = server.addTool({ name: 'c', handler: () => '' })
    handle.update({ priority: 5000 })
    const first = (await peer.request('tools/list')).result
    expect(first).toMatchObject({ tools: [{ name: 'c' }, { name: 'a' }] })
    const second = (await peer.request('tools/list', { cursor: first['nextCursor'] })).result
    expect(second).toMatchObject({ tools: [{ name: 'b' }, { name: 'low' }] })
  })
})

describe('describeRelations', () => {
  const relatedTools = [
    { name: 'b', relation: 'related' },
    { name: 'c', relation: 'suggested' },
    { name: 'd', relation: 'related' },
  ]

  it("adds one line to the tool's description", async () => {
    const definition = { description: 'Does a.', relatedTools }
    expect((await shown(definition)).description).toBe('Does a.')
    expect((await shown(definition, { tools: { describeRelations: true } })).description).toBe(
      'Does a.\nRelated tools: b, d. Suggested next: c.',
    )
  })

  it('creates a description for a tool that has none, but adds nothing if there are no relations', async () => {
    const options = { tools: { describeRelations: true } }
    expect((await shown({ relatedTools }, options)).description).toBe(
      'Related tools: b, d. Suggested next: c.',
    )
    expect((await shown({ description: 'Does a.', relatedTools: [] }, options)).description).toBe('Does a.')
    expect(await shown({}, options)).not.toHaveProperty('description')
  })

  it('logs a relation to an unknown tool only once, when a client first lists the tools', async () => {
    const warned: object[] = []
    const server = create({ logger: { ...silent, warn: (fields: object) => void warned.push(fields) } })
    server.addTool({
      name: 'a',
      relatedTools: [
        { name: 'b', relation: 'related' },
        { name: 'gone', relation: 'suggested' },
      ],
      handler: () => '',
    })
    server.addTool({ name: 'b', handler: () => '' })
    expect(warned).toEqual([])
    await listed(server)
    server.addTool({ name: 'c', handler: () => '' })
    await listed(server)
    expect(warned).toEqual([{ tool: 'a', unknown: ['gone'] }])
  })

  it('does not reveal the name of a hidden tool', async () => {
    const server = create({ tools: { describeRelations: true } })
    server.addTool({
      name: 'a',
      relatedTools: [
        { name: 'b', relation: 'related' },
        { name: 'secret', relation: 'suggested' },
      ],
      handler: () => '',
    })
    server.addTool({ name: 'b', handler: () => '' })
    server.addTool({ name: 'secret', visible: (ctx) => ctx.auth !== undefined, handler: () => '' })
    const anyone = await openPeer(server)
    const known = await openPeer(server, { auth: { principal: 'admin' } })
    expect((await known.request('tools/list')).result['tools']).toMatchObject([
      { description: 'Related tools: b. Suggested next: secret.' },
      {},
      {},
    ])
    const list = (await anyone.request('tools/list')).result['tools']
    expect(JSON.stringify(list)).not.toContain('secret')
    expect(list).toMatchObject([
      { description: 'Related tools: b.', _meta: { 'dev.jetway/relatedTools': [{ name: 'b' }] } },
      {},
    ])
  })

  it('does not reveal a hidden tool even if every visible tool is related to it', async () => {
    const server = create({ tools: { describeRelations: true } })
    for (const name of ['a', 'b'])
      server.addTool({ name, relatedTools: [{ name: 'secret', relation: 'related' }], handler: () => '' })
    server.addTool({ name: 'secret', visible: () => false, handler: () => '' })
    const list = (await (await openPeer(server)).request('tools/list')).result['tools']
    expect(list).toHaveLength(2)
    expect(JSON.stringify(list)).not.toContain('secret')
  })
})

describe("a tool's icons and title", () => {
  const icon = { src: 'https://example.com/a.png', mimeType: 'image/png', sizes: ['48x48'] }

  it('are published if the revision supports them', async () => {
    const definition = { title: 'A', icons: [icon], inputSchema: z.object({}) }
    expect(await shown(definition)).toMatchObject({ title: 'A', icons: [icon] })
    expect(await shown(definition, {}, '2025-06-18')).not.toHaveProperty('icons')
    expect(await shown(definition, {}, '2025-03-26')).not.toHaveProperty('title')
  })

  it.each(['http://example.com/a.png', 'javascript:alert(1)', 'file:///a.png', 'a.png', ''])(
    'are rejected if the icon URL is %j',
    (src) => {
      const add = (): unknown => create().addTool({ name: 'a', icons: [{ src }], handler: () => '' })
      expect(add).toThrow(/neither an https: nor a data: URL/)
    },
  )
})
