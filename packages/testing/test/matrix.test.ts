import { McpServer } from '@jetway/core'
import { describe, expect, it } from 'vitest'
import { fetchTransport, memoryTransport } from '../src/matrix-transports.ts'
import { describeMatrix, SESSION_REVISIONS } from '../src/matrix.ts'
import type { TestConnection } from '../src/peer.ts'
import { stdioTransport } from './support/stdio-matrix-transport.ts'

function createServer(): McpServer {
  const server = new McpServer({ name: 'matrix', version: '1.0.0' })
  server.addTool({
    name: 'count',
    inputSchema: { type: 'object', properties: { to: { type: 'integer' } }, required: ['to'] },
    async handler(args, ctx) {
      const { to } = args
      for (let i = 1; i <= to; i++) await ctx.progress(i, to)
      ctx.log.info({ counted: to })
      return String(to)
    },
  })
  return server
}

const TRANSPORTS = [memoryTransport, fetchTransport, stdioTransport]
const SAMPLE = { name: 'count', arguments: { to: 3 } }

const alive = async (connection: TestConnection): Promise<void> =>
  expect(await connection.request('tools/list')).toMatchObject({ result: { tools: [{ name: 'count' }] } })

const sessions = describeMatrix(
  'a session',
  { transports: TRANSPORTS, revisions: SESSION_REVISIONS },
  ({ revision, connect }) => {
    it('negotiates the requested revision', async () => {
      const connection = await connect(createServer())
      expect(connection.initialized).toMatchObject({
        protocolVersion: revision,
        serverInfo: { name: 'matrix' },
      })
      expect(await connection.request('ping')).toEqual({ jsonrpc: '2.0', id: expect.any(Number), result: {} })
    })

    it('receives one notification when the tool list changes', async () => {
      const server = createServer()
      const [first, second] = [await connect(server), await connect(server)]
      server.addTool({ name: 'later', handler: () => 'x' })
      await Promise.all([first, second].map((one) => one.notification('notifications/tools/list_changed')))
    })

    it("receives log messages at the server's default level", async () => {
      const connection = await connect(createServer())
      await connection.request('tools/call', SAMPLE)
      expect(connection.notifications).toMatchObject([
        { method: 'notifications/message', params: { data: { counted: 3 } } },
      ])
    })
  },
)

const cells = describeMatrix('a client', { transports: TRANSPORTS }, ({ connect }) => {
  it('receives progress in order before the response', async () => {
    const connection = await connect(createServer())
    const { result } = await connection.request('tools/call', { ...SAMPLE, _meta: { progressToken: 'p' } })
    expect(result).toMatchObject({ content: [{ type: 'text', text: '3' }] })
    const progress = connection.notifications.filter(({ method }) => method === 'notifications/progress')
    expect(progress.map(({ params }) => params?.['progress'])).toEqual([1, 2, 3])
    expect(connection.strays).toEqual([])
  })

  it('receives an error without an id for invalid JSON, and then still receives responses to requests', async () => {
    const connection = await connect(createServer())
    await connection.raw('{"jsonrpc":"2.0","id":1,')
    await alive(connection)
    expect(connection.strays).toEqual([
      { jsonrpc: '2.0', error: { code: -32700, message: expect.any(String) } },
    ])
  })

  it('rejects pending requests when the connection closes', async () => {
    const server = createServer()
    server.addTool({ name: 'endless', handler: () => new Promise(() => {}) })
    const connection = await connect(server)
    const waiting = connection.request('tools/call', { name: 'endless' })
    await connection.close()
    await expect(waiting).rejects.toThrow(/ended before/)
  })
})

const modern = describeMatrix(
  'a request without a session',
  { transports: TRANSPORTS, revisions: ['2026-07-28'] },
  ({ revision, connect }) => {
    it('names its revision, and receives a response in that revision', async () => {
      const server = createServer()
      server.addTool({
        name: 'whoami',
        handler: (_, ctx) => [ctx.protocolVersion, ctx.session === undefined],
      })
      const connection = await connect(server)
      expect(connection.initialized).toMatchObject({
        resultType: 'complete',
        supportedVersions: [revision],
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'matrix' } },
      })
      expect(await connection.request('tools/call', { name: 'whoami' })).toMatchObject({
        result: { content: [{ text: `["${revision}",true]` }] },
      })
    })

    it('receives log messages only if it requests them', async () => {
      const connection = await connect(createServer())
      await connection.request('tools/call', SAMPLE)
      expect(connection.notifications).toEqual([])
      const _meta = { 'io.modelcontextprotocol/logLevel': 'info' }
      await connection.request('tools/call', { ...SAMPLE, _meta })
      expect(connection.notifications).toMatchObject([
        { method: 'notifications/message', params: { data: { counted: 3 } } },
      ])
    })

    it.each(['städte://oslo', ' a', '=?base64?YQ==?='])('can repeat the URI %j in a header', async (uri) => {
      const connection = await connect(createServer())
      expect(await connection.request('resources/read', { uri })).toMatchObject({
        error: { code: expect.not.toBeOneOf([-32020]) as number },
      })
    })
  },
)

describe('the matrix', () => {
  const named = (found: typeof cells): string[] =>
    found.map(({ revision, transport }) => `${revision} ${transport}`)
  const all = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'].flatMap((revision) =>
    ['memory', 'fetch', 'stdio'].map((transport) => `${revision} ${transport}`),
  )

  it('covers each revision over each transport', () => {
    expect(named(cells)).toEqual(all)
    expect(named(modern)).toEqual(all.slice(0, 3))
    expect(named(sessions)).toEqual(all.slice(3))
  })
})
