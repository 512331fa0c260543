import { McpServer } from '@jetway/core'
import { describe, expect, it } from 'vitest'
import { fetchDoor, memoryDoor } from '../src/doors.ts'
import { describeMatrix } from '../src/matrix.ts'
import { stdioDoor } from './support/stdio-door.ts'

function createServer(): McpServer {
  const server = new McpServer({ name: 'matrix', version: '1.0.0' })
  server.addTool({
    name: 'count',
    inputSchema: { type: 'object', properties: { to: { type: 'integer' } }, required: ['to'] },
    async handler(args, ctx) {
      const { to } = args as { to: number }
      for (let i = 1; i <= to; i++) await ctx.progress(i, to)
      ctx.log.info({ counted: to })
      return String(to)
    },
  })
  return server
}

const cells = describeMatrix(
  'a session',
  { doors: [memoryDoor, fetchDoor, stdioDoor] },
  ({ revision, connect }) => {
    it('speaks the revision that was asked for', async () => {
      const connection = await connect(createServer())
      expect(connection.initialized).toMatchObject({
        protocolVersion: revision,
        serverInfo: { name: 'matrix' },
      })
      expect(await connection.request('ping')).toEqual({ jsonrpc: '2.0', id: expect.any(Number), result: {} })
    })

    it('hears progress before the answer, in order', async () => {
      const connection = await connect(createServer())
      const { result } = await connection.request('tools/call', {
        name: 'count',
        arguments: { to: 3 },
        _meta: { progressToken: 'p' },
      })
      expect(result).toMatchObject({ content: [{ type: 'text', text: '3' }] })
      const progress = connection.notifications.filter(({ method }) => method === 'notifications/progress')
      expect(progress.map(({ params }) => params?.['progress'])).toEqual([1, 2, 3])
      expect(connection.notifications.at(-1)).toMatchObject({
        method: 'notifications/message',
        params: { data: { counted: 3 } },
      })
      expect(connection.strays).toEqual([])
    })

    it('is told once when the list of tools changes', async () => {
      const server = createServer()
      const [first, second] = [await connect(server), await connect(server)]
      server.addTool({ name: 'later', handler: () => 'x' })
      await Promise.all([first, second].map((one) => one.notification('notifications/tools/list_changed')))
    })

    it('answers what it cannot read, without an id, and lives on', async () => {
      const connection = await connect(createServer())
      await connection.raw('{"jsonrpc":"2.0","id":1,')
      expect(await connection.request('ping')).toMatchObject({ result: {} })
      expect(connection.strays).toEqual([
        { jsonrpc: '2.0', error: { code: -32700, message: expect.any(String) } },
      ])
    })

    it('rejects what is waiting when the connection ends', async () => {
      const server = createServer()
      server.addTool({ name: 'endless', handler: () => new Promise(() => {}) })
      const connection = await connect(server)
      const waiting = connection.request('tools/call', { name: 'endless' })
      await connection.close()
      await expect(waiting).rejects.toThrow(/ended before/)
    })
  },
)

describe('the matrix', () => {
  it('has a cell for each revision over each door', () => {
    expect(cells.map(({ revision, door }) => `${revision} ${door}`)).toEqual([
      '2025-11-25 memory',
      '2025-11-25 fetch',
      '2025-11-25 stdio',
      '2025-06-18 memory',
      '2025-06-18 fetch',
      '2025-06-18 stdio',
      '2025-03-26 memory',
      '2025-03-26 fetch',
      '2025-03-26 stdio',
      '2024-11-05 memory',
      '2024-11-05 fetch',
      '2024-11-05 stdio',
    ])
  })
})
