import { settled, silent } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { McpServer, type SessionView } from '../../src/index.ts'
import { openPeer } from '../support/peer.ts'

const tool = (name: string): { name: string; handler: () => string } => ({ name, handler: () => name })
const create = (): McpServer => new McpServer({ name: 'test', version: '1' }, { logger: silent })

async function open(server: McpServer) {
  let session: SessionView | undefined
  const off = server.on('session:open', (event) => (session = event.session))
  const peer = await openPeer(server)
  off()
  if (session === undefined) throw new Error('no session has opened')
  return { peer, session }
}

describe('server.forSession', () => {
  it('rejects a name that the session or the server already uses unless `replace` is set', async () => {
    const server = create()
    server.addTool(tool('a'))
    server.addResource({ uri: 'a://b', name: 'b', handler: () => 'x' })
    server.addResourceTemplate({ uriTemplate: 'a://{x}', name: 'x', handler: () => 'x' })
    const own = server.forSession((await open(server)).session)
    expect(() => own.addTool(tool('a'))).toThrow(/ERR_MCP_DUPLICATE_NAME/)
    expect(() => own.addResource({ uri: 'a://b', name: 'b', handler: () => 'x' })).toThrow(/DUPLICATE/)
    expect(() => own.addResourceTemplate({ uriTemplate: 'a://{x}', name: 'x', handler: () => 'x' })).toThrow(
      /DUPLICATE/,
    )
    own.addTool(tool('a'), { replace: true })
    own.addTool(tool('b'))
    expect(() => own.addTool(tool('b'))).toThrow(/ERR_MCP_DUPLICATE_NAME/)
    expect(() => own.addTool({ name: 'not a name', handler: () => '' })).toThrow(/ERR_MCP_INVALID_NAME/)
  })

  it("keeps the session's entry if the server adds the same name", async () => {
    const server = create()
    server.setTools([])
    const { peer, session } = await open(server)
    const handle = server.forSession(session).addTool({ name: 'a', handler: () => 'mine' })
    server.addTool({ name: 'a', handler: () => 'for all' })
    const call = async (): Promise<unknown> => (await peer.request('tools/call', { name: 'a' })).result
    expect(await call()).toMatchObject({ content: [{ text: 'mine' }] })
    handle.remove()
    expect(await call()).toMatchObject({ content: [{ text: 'for all' }] })
  })

  it('limits the number of entries in a session', async () => {
    const server = create()
    server.setTools([])
    const own = server.forSession((await open(server)).session)
    for (let i = 0; i < 256; i++) own.addTool(tool(`t${i}`))
    expect(() => own.addTool(tool('more'))).toThrow(/256.*ERR_MCP_SESSION/)
    own.addTool(tool('t7'), { replace: true })
    own.removeTool('t7')
    own.addTool(tool('more'))
  })

  it('rejects entries of a kind that the server has not declared to the client, and suggests a remedy', async () => {
    const server = create()
    const own = server.forSession((await open(server)).session)
    expect(() => own.addTool(tool('a'))).toThrow(/server\.setTools\(\[\]\).*ERR_MCP_SESSION/)
    expect(() => own.addResource({ uri: 'a://b', name: 'b', handler: () => '' })).toThrow(/setResources/)
  })

  it('removes entries by key', async () => {
    const server = create()
    server.setTools([])
    server.setResources([])
    const { peer, session } = await open(server)
    const own = server.forSession(session)
    own.addTool(tool('a'))
    own.addResource({ uri: 'a://b', name: 'b', handler: () => 'x' })
    own.addResourceTemplate({ uriTemplate: 'a://{x}', name: 'x', handler: () => 'x' })
    const remove = (): boolean[] => [
      own.removeTool('a'),
      own.removeResource('a://b'),
      own.removeResourceTemplate('a://{x}'),
    ]
    expect([remove(), remove()]).toEqual([
      [true, true, true],
      [false, false, false],
    ])
    const lists = ['tools/list', 'resources/list', 'resources/templates/list']
    const results = await Promise.all(lists.map((list) => peer.request(list)))
    expect(results.map(({ result }) => result)).toMatchObject([
      { tools: [] },
      { resources: [] },
      { resourceTemplates: [] },
    ])
  })

  it("drops the session's entries when the session ends", async () => {
    const server = create()
    server.setTools([])
    const { peer, session } = await open(server)
    const own = server.forSession(session)
    const handle = own.addTool(tool('a'))
    await peer.close()
    await server.close({ deadline: 0 })
    await settled()
    expect(() => own.addTool(tool('b'))).toThrow(/closed.*ERR_MCP_SESSION/)
    expect(own.removeTool('a')).toBe(false)
    handle.update({ description: 'nobody reads it' })
    expect(session).toHaveProperty('registry', undefined)
  })

  it('accepts only sessions of this server', async () => {
    const server = create()
    const { session } = await open(create())
    for (const given of [session, undefined, { id: 'x' }])
      expect(() => server.forSession(given as SessionView)).toThrow(/ERR_MCP_SESSION/)
  })

  it("applies `visible` rules, priority order and a tool's own result limit", async () => {
    const server = new McpServer(
      { name: 'test', version: '1' },
      { logger: silent, tools: { orderByPriority: true } },
    )
    server.addTool({ ...tool('low'), priority: 1 })
    const { peer, session } = await open(server)
    const own = server.forSession(session)
    own.addTool({ ...tool('high'), priority: 2 })
    own.addTool({ ...tool('hidden'), visible: () => false })
    own.addTool({ name: 'long', maxResultBytes: 1024, handler: () => 'x'.repeat(2000) })
    const { result } = await peer.request('tools/list')
    expect((result['tools'] as readonly { readonly name: string }[]).map(({ name }) => name)).toEqual([
      'high',
      'low',
      'long',
    ])
    expect(await peer.request('tools/call', { name: 'hidden' })).toMatchObject({ error: { code: -32602 } })
    expect(await peer.request('tools/call', { name: 'long' })).toMatchObject({ result: { isError: true } })
  })

  it('serves completions for the session’s templates', async () => {
    const server = create()
    server.setResourceTemplates([])
    const { peer, session } = await open(server)
    server.forSession(session).addResourceTemplate({
      uriTemplate: 'own://{x}',
      name: 'own',
      complete: { x: (value) => [`${value}!`] },
      handler: () => '',
    })
    const params = { ref: { type: 'ref/resource', uri: 'own://{x}' }, argument: { name: 'x', value: 'a' } }
    expect((await peer.request('completion/complete', params)).result).toEqual({
      completion: { values: ['a!'], total: 1, hasMore: false },
    })
  })
})
