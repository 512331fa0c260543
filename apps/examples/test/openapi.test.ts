import { silent } from '@jetway-apps/test-support'
import { McpServer } from '@jetway/core'
import { connect } from '@jetway/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'

vi.stubEnv('LIBRARY_TOKEN', 'secret')
const { forCallers, readers, server, withPages } = await import('../src/openapi/library.ts')
const { server: chosen } = await import('../src/openapi/chosen.ts')
vi.unstubAllEnvs()

/** Replaces the API. Returns the requests. */
function api(reply: (url: URL) => object): readonly (readonly [url: string, token: string | null])[] {
  const requests: [string, string | null][] = []
  const fetch = vi.spyOn(globalThis, 'fetch').mockImplementation((url, init) => {
    requests.push([(url as URL).href, new Headers(init?.headers).get('authorization')])
    return Promise.resolve(Response.json(reply(url as URL)))
  })
  onTestFinished(() => fetch.mockRestore())
  return requests
}

const serverOf = (source: typeof readers): McpServer => {
  const made = new McpServer({ name: 'library', version: '1' }, { logger: silent })
  made.observe(source)
  return made
}

describe('the server in the guide to OpenAPI', () => {
  it('offers the operations that are chosen', async () => {
    await using client = await connect(server)
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['list_books', 'add_book', 'get_book'])
    await using other = await connect(chosen)
    expect((await other.listTools()).map(({ name }) => name)).toEqual(['list_books', 'get_book'])
  })

  it('sends requests with the token', async () => {
    const requests = api(() => ({ id: 7, title: 'Emma' }))
    await using client = await connect(server)
    expect(await client.callTool('get_book', { id: 7 })).toMatchObject({
      structuredContent: { title: 'Emma' },
    })
    expect(requests).toEqual([['https://library.example/v1/books/7', 'Bearer secret']])
  })

  it('sends the credentials of the caller', async () => {
    const requests = api(() => ({ id: 7 }))
    const made = serverOf(forCallers)
    await using ada = await connect(made, { auth: { principal: 'ada' } })
    await ada.callTool('get_book', { id: 7 })
    await using eve = await connect(made, { auth: { principal: 'eve' } })
    expect(await eve.callTool('get_book', { id: 7 })).toMatchObject({ isError: true })
    expect(requests).toEqual([['https://library.example/v1/books/7', 'Bearer secret-of-ada']])
  })

  it('follows pages', async () => {
    api(({ searchParams }) =>
      searchParams.has('cursor') ? { books: [{ id: 2 }] } : { books: [{ id: 1 }], next: 'c' },
    )
    await using client = await connect(serverOf(withPages))
    const result = await client.callTool('list_books', { all_pages: true })
    expect(result).toMatchObject({ structuredContent: { books: [{ id: 1 }, { id: 2 }] } })
  })

  it('makes resources', async () => {
    const requests = api(() => ({ id: 7 }))
    await using client = await connect(serverOf(readers))
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['find_books'])
    expect(await client.readResource('library:///books/7')).toMatchObject({
      contents: [{ text: '{"id":7}' }],
    })
    expect(requests).toHaveLength(1)
  })
})
