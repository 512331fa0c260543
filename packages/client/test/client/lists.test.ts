import { describe, expect, it } from 'vitest'
import { KnownTools } from '../../src/client/known-tools.ts'
import { Method } from '../support/dates.ts'
import { modern, scripted, sessions, listener } from '../support/scripted.ts'

const tool = (name: string): object => ({ name, inputSchema: { type: 'object' } })

describe('listing', () => {
  it('follows all pages, even with an empty cursor', async () => {
    const pages: Record<string, object> = {
      first: { tools: [tool('a')], nextCursor: '' },
      '': { tools: [], nextCursor: '0' },
      '0': { tools: [tool('b')], nextCursor: null },
    }
    const { client, server } = await scripted({
      ...modern(),
      [Method.ListTools]: ({ params }) => pages[(params as { cursor?: string }).cursor ?? 'first'] as never,
    })
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['a', 'b'])
    expect(server.of(Method.ListTools).map(({ params }) => params)).toMatchObject([
      {},
      { cursor: '' },
      { cursor: '0' },
    ])
  })

  it.each([
    ['with sessions', sessions()],
    ['without sessions', modern()],
  ])('ends if a server %s ignores an empty cursor', async (_, handshake) => {
    const { client } = await scripted({
      ...handshake,
      [Method.ListTools]: { tools: [tool('a')], nextCursor: '' },
    })
    expect(await client.listTools()).toEqual([tool('a')])
  })

  it('rejects if the server repeats a cursor', async () => {
    const { client, server } = await scripted({
      ...sessions(),
      [Method.ListTools]: { tools: [tool('a')], nextCursor: 'again' },
    })
    await expect(client.listTools()).rejects.toMatchObject({ code: 'endless-list' })
    expect(server.of(Method.ListTools)).toHaveLength(2)
  })

  it('yields entries as pages arrive, and fetches no more pages than the caller reads', async () => {
    const { client, server } = await scripted({
      ...sessions(),
      [Method.ListResources]: { resources: [{ uri: 'a://1' }, { uri: 'a://2' }], nextCursor: 'x' },
    })
    for await (const { uri } of client.resources()) {
      expect(uri).toBe('a://1')
      break
    }
    expect(server.of(Method.ListResources)).toHaveLength(1)
  })

  it('skips and reports malformed entries', async () => {
    const { client } = await scripted({
      ...sessions(),
      [Method.ListTools]: {
        tools: [null, 7, {}, { name: 'x' }, { name: 'y', inputSchema: [] }, tool('good')],
      },
    })
    const errors = listener(client, 'error')
    expect(await client.listTools()).toEqual([tool('good')])
    expect(errors.mock.calls[0]?.[0].message).toContain('5 malformed entries')
  })

  it.each([
    ['a missing list', {}],
    ['a list that is a string', { tools: 'all of them' }],
    ['a cursor that is a number', { tools: [], nextCursor: 5 }],
  ])('rejects with invalid-response for %s', async (_, page) => {
    const { client } = await scripted({ ...sessions(), [Method.ListTools]: page })
    await expect(client.listTools()).rejects.toMatchObject({ code: 'invalid-response' })
  })

  it.each([
    ['listToolsPage', Method.ListTools, { tools: [tool('a')] }],
    ['listPromptsPage', Method.ListPrompts, { prompts: [{ name: 'a' }] }],
    ['listResourcesPage', Method.ListResources, { resources: [{ name: 'a', uri: 'a://b' }] }],
    [
      'listResourceTemplatesPage',
      Method.ListResourceTemplates,
      { resourceTemplates: [{ name: 'a', uriTemplate: 'a://{b}' }] },
    ],
  ] as const)('fetches a single page for a given cursor: %s', async (read, method, page) => {
    const { client, server } = await scripted({ ...sessions(), [method]: { ...page, nextCursor: '3' } })
    expect(await client[read]('2')).toMatchObject({ items: Object.values(page)[0], nextCursor: '3' })
    expect(server.of(method)).toMatchObject([{ params: { cursor: '2' } }])
  })

  it.each([
    ['tools', Method.ListTools, tool('a')],
    ['prompts', Method.ListPrompts, { name: 'a', arguments: [] }],
    ['resources', Method.ListResources, { uri: 'a://b' }],
    ['resourceTemplates', Method.ListResourceTemplates, { uriTemplate: 'a://{b}' }],
  ] as const)(
    'returns %s as an array or one by one, without malformed entries',
    async (name, method, good) => {
      const bad = [{}, { name: 1, uri: 1, uriTemplate: 1 }, { name: 'a', arguments: {} }, null]
      const { client } = await scripted({ ...sessions(), [method]: { [name]: [good, ...bad] } })
      const errors = listener(client, 'error')
      const lists = {
        tools: () => client.listTools(),
        prompts: () => client.listPrompts(),
        resources: () => client.listResources(),
        resourceTemplates: () => client.listResourceTemplates(),
      }
      expect(await lists[name]()).toEqual([good])
      const entries: unknown[] = []
      for await (const entry of client[name]()) entries.push(entry)
      expect(entries).toEqual([good])
      expect(errors.mock.calls.map(([{ message }]) => message)).toEqual(
        Array.from({ length: 2 }, () => `4 malformed entries of ${method} are left out`),
      )
    },
  )

  it.each([
    [2, { maxPages: 2 }, undefined],
    [3, { maxPages: 2 }, 'it has more than 2 pages'],
    [2, { maxItems: 4 }, undefined],
    [2, { maxItems: 3 }, 'it has more than 3 entries'],
  ])('with %i pages of two entries each, enforces %j', async (pages, limits, problem) => {
    const { client } = await scripted(
      {
        ...sessions(),
        [Method.ListTools]: ({ params }) => {
          const at = Number((params as { cursor?: string } | undefined)?.cursor ?? 1)
          return { tools: [tool('a'), tool('b')], ...(at < pages && { nextCursor: String(at + 1) }) }
        },
      },
      limits,
    )
    const outcome = await client.listTools().then(
      (tools) => tools.length,
      ({ message }: Error) => message,
    )
    expect(outcome).toBe(problem === undefined ? 4 : `The list of tools/list does not end: ${problem}`)
  })

  it('limits the total size of all pages to 64 MiB by default', async () => {
    let pages = 0
    const description = 'x'.repeat(8 * 1024 * 1024)
    const { client } = await scripted({
      ...sessions(),
      [Method.ListTools]: () => ({
        tools: [{ ...tool(`t${pages}`), description }],
        nextCursor: `${++pages}`,
      }),
    })
    await expect(client.listTools()).rejects.toMatchObject({
      code: 'endless-list',
      message: 'The list of tools/list does not end: it has more than 67108864 bytes',
    })
    expect(pages).toBe(4)
  })

  it('counts the cursors of empty pages towards the size limit', async () => {
    let pages = 0
    const { client } = await scripted(
      { ...sessions(), [Method.ListTools]: () => ({ tools: [], nextCursor: `${++pages}`.padEnd(200) }) },
      { maxListBytes: 1_000 },
    )
    await expect(client.listTools()).rejects.toMatchObject({ code: 'endless-list' })
    expect(pages).toBe(3)
  })

  it('evicts the oldest output schemas if a server lists different tools each time', () => {
    const tools = new KnownTools(10_000)
    const outputSchema = { type: 'object', description: 'x'.repeat(2_000) } as const
    const known = (): number[] => [0, 1, 2, 3].filter((i) => tools.outputSchema(`t${i}`) !== undefined)
    for (let i = 0; i < 4; i++) tools.add({ name: `t${i}`, inputSchema: { type: 'object' }, outputSchema })
    expect(known()).toEqual([2, 3])
    tools.add({ name: 't3', inputSchema: { type: 'object' }, outputSchema })
    expect(known()).toEqual([2, 3])
    const huge = { ...outputSchema, description: 'x'.repeat(5_000) }
    tools.add({ name: 't3', inputSchema: { type: 'object' }, outputSchema: huge })
    expect(known()).toEqual([2])
  })

  it('keeps unknown members and cache hints', async () => {
    const odd = { ...tool('a'), 'com.example/new': [1], icons: [{ src: 'https://x' }] }
    const { client } = await scripted({
      ...modern(),
      [Method.ListTools]: { tools: [odd], ttlMs: 500, cacheScope: 'public', _meta: { a: 1 } },
    })
    expect(await client.listToolsPage()).toEqual({
      items: [odd],
      nextCursor: undefined,
      ttlMs: 500,
      cacheScope: 'public',
      _meta: { a: 1 },
    })
  })
})
