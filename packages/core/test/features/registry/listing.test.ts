import { describe, expect, it } from 'vitest'
import { createFeatures, type Features } from '../../../src/features/features.ts'
import { Caching } from '../../../src/features/registry/caching.ts'
import { Listing } from '../../../src/features/registry/listing.ts'
import type { AnyTool } from '../../../src/features/tools/tool-types.ts'
import { tieredEngine } from '../../../src/schema/tiered-engine.ts'
import type { Revision, RevisionDate } from '../../../src/protocol/revisions/revision.ts'
import { call, callNow, contextOf, mcpErrorOf, wire } from '../helpers.ts'
import { PARTS } from '../parts.ts'

const tool = (name: string, more: object = {}): AnyTool => ({ name, handler: () => 'x', ...more })

function serve(tools: readonly AnyTool[], pageSize?: number): Features {
  const features = createFeatures({ ...PARTS, schemas: tieredEngine(), publish: () => {}, pageSize })
  features.tools.registry.set(tools)
  return features
}

const namesOf = (list: { tools?: unknown }): string[] =>
  (list.tools as { name: string }[]).map(({ name }) => name)

/** Follows the cursors to the last page, and runs a callback between the pages. */
async function pages(features: Features, between: (page: number) => void = () => {}): Promise<string[][]> {
  const all: string[][] = []
  let cursor: unknown
  do {
    const page = await wire(features.methods, 'tools/list', cursor === undefined ? {} : { cursor })
    all.push(namesOf(page))
    cursor = page['nextCursor']
    between(all.length)
  } while (cursor !== undefined && all.length < 50)
  return all
}

describe('tools/list', () => {
  it('lists a definition, and gives it an empty schema if it has no arguments', async () => {
    const shown = {
      title: 'A tool',
      description: 'Does a',
      annotations: { readOnlyHint: true },
      icons: [{ src: 'https://x.test/a.png' }],
      _meta: { 'com.example/k': 1 },
    }
    expect(
      await wire(serve([tool('a', { ...shown, timeoutMs: 5, validateOutput: false })]).methods, 'tools/list'),
    ).toEqual({
      tools: [
        { name: 'a', ...shown, inputSchema: { type: 'object', properties: {}, additionalProperties: false } },
      ],
    })
  })

  it("lists only members defined in the client's revision", async () => {
    const { methods } = serve([
      tool('a', { title: 'A', outputSchema: { type: 'object' }, icons: [{ src: 'https://x.test/a.png' }] }),
    ])
    const [old] = (await wire(methods, 'tools/list', {}, { revision: '2024-11-05' }))['tools'] as object[]
    expect(Object.keys(old ?? {}).toSorted()).toEqual(['inputSchema', 'name'])
    expect(await wire(methods, 'tools/list')).toMatchObject({
      tools: [{ title: 'A', outputSchema: { type: 'object' } }],
    })
  })

  it('keeps the order of registration, even after an entry has been replaced', async () => {
    const features = serve(['c', 'a', 'b'].map((name) => tool(name)))
    features.tools.registry.add(tool('a', { title: 'new' }), { replace: true })
    expect(namesOf(await wire(features.methods, 'tools/list'))).toEqual(['c', 'a', 'b'])
  })

  it('returns the same cached result until an entry changes', async () => {
    const features = serve([tool('a')])
    const handle = features.tools.registry.add(tool('b'))
    const first = callNow(features.methods, 'tools/list')
    expect(callNow(features.methods, 'tools/list')).toBe(first)
    handle.update({ title: 'B' })
    expect(await wire(features.methods, 'tools/list')).toMatchObject({
      tools: [{ name: 'a' }, { name: 'b', title: 'B' }],
    })
    handle.remove()
    expect(namesOf(await wire(features.methods, 'tools/list'))).toEqual(['a'])
  })

  it('ignores later changes to the object that was registered', async () => {
    const _meta = { k: 1 }
    const definition = { ...tool('a'), title: 'A', _meta }
    const features = serve([definition])
    definition.title = 'B'
    _meta.k = 2
    expect(await wire(features.methods, 'tools/list')).toMatchObject({
      tools: [{ title: 'A', _meta: { k: 1 } }],
    })
  })

  it('adapts items to the revision only after they have passed through middleware', async () => {
    const { methods } = serve([tool('a', { title: 'A' }), tool('b')], 1)
    const list = await call(methods, 'tools/list', {}, { revision: '2024-11-05' })
    expect(list).toMatchObject({ tools: [{ name: 'a', title: 'A' }] })
    expect(list['nextCursor']).toBeTypeOf('string')
  })

  it('serialises an entry once per revision', () => {
    let times = 0
    const listing = new Listing<{ item: { id: string }; visible: undefined }, { id: string }>({
      member: 'tools',
      key: ({ id }) => id,
      project: (_revision: Revision, item) => (times++, item),
      pageSize: 2,
      caching: new Caching(),
    })
    const entries = ['a', 'b', 'c'].map((id) => ({ item: { id }, visible: undefined }))
    const list = (date?: RevisionDate): unknown =>
      listing.list(entries, {}, contextOf('tools/list', {}, date === undefined ? {} : { revision: date }))
    expect(list()).toMatchObject({ result: { tools: [{ id: 'a' }, { id: 'b' }] } })
    list()
    expect(times).toBe(2)
    list('2025-03-26')
    expect(times).toBe(4)
  })
})

describe('list pages', () => {
  const letters = ['a', 'b', 'c', 'd', 'e'].map((name) => tool(name))

  it('contain up to pageSize items, and have a cursor except on the last page', async () => {
    expect(await pages(serve(letters, 2))).toEqual([['a', 'b'], ['c', 'd'], ['e']])
    expect(await pages(serve(letters, 5))).toEqual([['a', 'b', 'c', 'd', 'e']])
    expect(await pages(serve(letters, 1))).toHaveLength(5)
    expect(await pages(serve([], 2))).toEqual([[]])
  })

  it('contain all items if there is no `pageSize`', async () => {
    expect(await pages(serve(letters))).toEqual([['a', 'b', 'c', 'd', 'e']])
  })

  it('stay consistent while entries are added, replaced and removed', async () => {
    const features = serve(letters, 2)
    const all = await pages(features, (page) => {
      if (page !== 1) return
      features.tools.registry.remove('a')
      features.tools.registry.add(tool('b', { title: 'new' }), { replace: true })
      features.tools.registry.add(tool('f'))
    })
    expect(all).toEqual([
      ['a', 'b'],
      ['c', 'd'],
      ['e', 'f'],
    ])
  })

  it('have cursors that are valid on any node with the same definitions', async () => {
    const { nextCursor: cursor } = await wire(serve(letters, 2).methods, 'tools/list')
    const other = serve([tool('z'), ...letters], 2)
    expect(namesOf(await wire(other.methods, 'tools/list', { cursor }))).toEqual(['c', 'd'])
  })

  it.each([
    [''],
    ['x'],
    ['!!'],
    ['dG9vbHM6bm9uZQ'],
    ['dG9vbHM6YQ=='],
    [0],
    [null],
    [false],
    [{}],
    ['A'.repeat(100_000)],
  ])('cannot be read with the invalid cursor %j, whether or not `pageSize` is set', async (cursor) => {
    for (const features of [serve(letters, 2), serve(letters)]) {
      const error = await mcpErrorOf(() => call(features.methods, 'tools/list', { cursor }))
      expect(error).toMatchObject({ code: -32602, message: 'Invalid cursor' })
    }
  })

  it('cannot be read with a cursor from another list, which is rejected with -32602', async () => {
    const features = serve(letters, 2)
    features.prompts.registry.set(['a', 'b', 'c'].map((name) => ({ name, handler: () => 'x' })))
    const { nextCursor: cursor } = await wire(features.methods, 'tools/list')
    expect((await mcpErrorOf(() => call(features.methods, 'prompts/list', { cursor }))).code).toBe(-32602)
  })

  it("have cursors that need no escaping, whatever the entry's key contains", async () => {
    const features = createFeatures({
      ...PARTS,
      schemas: tieredEngine(),
      publish: () => {},
      pageSize: 1,
    })
    features.prompts.registry.set(['Grüße "ΩΩ" 🛫', 'b'].map((name) => ({ name, handler: () => 'x' })))
    const { nextCursor: cursor } = await wire(features.methods, 'prompts/list')
    expect(cursor).toMatch(/^[\w-]+$/)
    expect(await wire(features.methods, 'prompts/list', { cursor })).toMatchObject({
      prompts: [{ name: 'b' }],
    })
  })
})
