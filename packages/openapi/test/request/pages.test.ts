import { describe, expect, it } from 'vitest'
import type { Pagination } from '../../src/index.ts'
import { connectApi, documentOf, type Received, type Reply, serveApi, textOf } from '../support/api.ts'

const parameters = ['cursor', 'page'].map((name) => ({ name, in: 'query', schema: {} }))
const document = documentOf('/items', {
  parameters,
  responses: {
    200: {
      content: {
        'application/json': { schema: { type: 'object', properties: { data: { type: 'array' } } } },
      },
    },
  },
})

async function pages(
  reply: (request: Received, origin: string) => Reply,
  pagination: Pagination,
  given: object = document,
) {
  const api = await serveApi((request) => reply(request, api.origin))
  const client = await connectApi(given, { baseUrl: `${api.origin}/v1`, paginate: { call: pagination } })
  const call = (args: Record<string, unknown> = { all_pages: true }) => client.callTool('call', args)
  return { api, client, call }
}

const pageOf = ({ url }: Received): number => Number(new URL(url, 'http://x').searchParams.get('cursor') ?? 0)

describe('paginate', () => {
  const cursors = (request: Received): Reply => {
    const page = pageOf(request)
    return { json: { data: [page * 2, page * 2 + 1], meta: { next: page < 3 ? String(page + 1) : null } } }
  }
  const byCursor = { items: 'data', cursor: 'meta.next', parameter: 'cursor' }

  it('follows cursors if the call asks for all pages', async () => {
    const { api, call } = await pages(cursors, byCursor)
    expect(await call()).toMatchObject({
      structuredContent: { data: [0, 1, 2, 3, 4, 5, 6, 7], meta: { next: null } },
    })
    expect(api.received.map(({ url }) => url)).toEqual([
      '/v1/items',
      '/v1/items?cursor=1',
      '/v1/items?cursor=2',
      '/v1/items?cursor=3',
    ])
  })

  it('fetches one page otherwise', async () => {
    const { api, call, client } = await pages(cursors, byCursor)
    expect(await call({})).toMatchObject({ structuredContent: { data: [0, 1] } })
    expect(api.received).toHaveLength(1)
    const [tool] = await client.listTools()
    expect(tool?.inputSchema['properties']).toMatchObject({ all_pages: { type: 'boolean' } })
  })

  it('ends at max items, at a cursor that comes again, and at the last page', async () => {
    const few = await pages(cursors, { ...byCursor, max: 3 })
    expect(await few.call()).toMatchObject({ structuredContent: { data: [0, 1, 2] } })
    const again = await pages(() => ({ json: { data: [1], meta: { next: '1' } } }), byCursor)
    expect(await again.call()).toMatchObject({ structuredContent: { data: [1, 1] } })
  })

  it('follows addresses in replies and in the header Link', async () => {
    const inBody = await pages(
      (request, origin) => ({
        json: {
          data: [pageOf(request)],
          next: pageOf(request) < 2 ? `${origin}/v1/items?cursor=${pageOf(request) + 1}` : null,
        },
      }),
      { items: 'data', cursor: 'next' },
    )
    expect(await inBody.call()).toMatchObject({ structuredContent: { data: [0, 1, 2] } })
    const list = documentOf('/items', { parameters })
    const inHeader = await pages(
      (request, origin) => ({
        json: [pageOf(request)],
        headers:
          pageOf(request) < 2
            ? {
                link: `<${origin}/v1>; rel="first", <${origin}/v1/items?cursor=${pageOf(request) + 1}>; rel="next"`,
              }
            : {},
      }),
      { cursor: 'link' },
      list,
    )
    expect(textOf(await inHeader.call())).toBe('[0,1,2]')
  })

  it.each(['http://127.0.0.2/v1/items', '/admin', '//127.0.0.2/v1', 'https://user@127.0.0.1/v1'])(
    'does not follow an address outside of the API: %s',
    async (next) => {
      const { api, call } = await pages(() => ({ json: { data: [1], next } }), {
        items: 'data',
        cursor: 'next',
      })
      expect(await call()).toMatchObject({ isError: true })
      expect(api.received).toHaveLength(1)
    },
  )

  it('reports progress with each page', async () => {
    const { client } = await pages(cursors, byCursor)
    const reports: unknown[] = []
    await client.callTool(
      'call',
      { all_pages: true },
      { onProgress: ({ progress, total }) => void reports.push([progress, total]) },
    )
    expect(reports).toEqual([
      [2, 500],
      [4, 500],
      [6, 500],
    ])
  })

  it('tells the reason if a page fails', async () => {
    const { call } = await pages(
      (request) => (pageOf(request) === 1 ? { status: 404 } : cursors(request)),
      byCursor,
    )
    expect(textOf(await call())).toContain('HTTP 404')
  })
})
