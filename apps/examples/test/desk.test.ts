import { createServer, type IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import { originOf } from '@jetway-apps/test-support/http'
import { connect } from '@jetway/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'

vi.stubEnv('FIGMA_TOKEN', 'secret')
const { desk } = await import('../src/openapi/desk.ts')
vi.unstubAllEnvs()

/** Replaces Figma by a server that has one file with two comments. Returns the requests. */
async function figma(): Promise<readonly object[]> {
  const requests: object[] = []
  const comments = ['ada', 'bob'].map((handle) => ({ message: `From ${handle}`, user: { handle } }))
  const reply = async (request: IncomingMessage): Promise<object> => {
    const { method, url, headers } = request
    const body = method === 'POST' ? await json(request) : undefined
    requests.push({ method, url, token: headers['x-figma-token'], ...(body !== undefined && { body }) })
    return method === 'POST' ? { id: '3', message: 'Done' } : { comments }
  }
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json')
    void reply(request).then((value) => response.end(JSON.stringify(value)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { fetch } = globalThis
  const spy = vi.spyOn(globalThis, 'fetch').mockImplementation((url, init) => {
    const { origin, pathname, search } = new URL(url as URL)
    expect(origin).toBe('https://api.figma.com')
    return fetch(originOf(server) + pathname + search, init)
  })
  onTestFinished(async () => {
    spy.mockRestore()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return requests
}

describe('the server of a design desk', () => {
  it('has its own tools and three operations of the API, under prefixes', async () => {
    await using client = await connect(desk)
    const tools = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'projects_find_file',
      'figma_get_file_meta',
      'figma_get_comments',
      'figma_post_comment',
    ])
    const [, , comments, post] = tools
    expect(Object.keys(comments?.inputSchema.properties ?? {})).toEqual(['file'])
    expect(Object.keys(post?.inputSchema.properties ?? {})).toEqual(['file', 'message', 'comment_id'])
    expect(client.server?.instructions).toMatch(/reviews\.\n\n# Projects \(projects_…\)\n\nFind the file/)
  })

  it('finds a file, reads what others said, and answers', async () => {
    const requests = await figma()
    await using client = await connect(desk)
    const found = await client.callTool('projects_find_file', { project: 'checkout' })
    expect(found).toMatchObject({ structuredContent: { file: 'hX8w2' } })
    expect(await client.callTool('figma_get_comments', { file: 'hX8w2' })).toMatchObject({
      content: [{ text: 'ada: From ada\nbob: From bob' }],
    })
    await client.callTool('figma_post_comment', { file: 'hX8w2', message: 'Done' })
    const url = '/v1/files/hX8w2/comments'
    expect(requests).toEqual([
      { method: 'GET', url: `${url}?as_md=true`, token: 'secret' },
      { method: 'POST', url, token: 'secret', body: { message: 'Done' } },
    ])
  })

  it('refuses arguments that are hidden, and sends nothing', async () => {
    const requests = await figma()
    await using client = await connect(desk)
    const result = await client.callTool('figma_get_comments', { file: 'hX8w2', as_md: false })
    expect(result).toMatchObject({ isError: true })
    expect(requests).toEqual([])
  })
})
