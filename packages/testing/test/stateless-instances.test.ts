import { callTool, initialize, INITIALIZED } from '@jetway-apps/test-support'
import { post as postTo } from '@jetway-apps/test-support/http'
import { McpServer } from '@jetway/core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { fastify, hono } from './support/adapters.ts'

async function post(url: string, message: object) {
  const response = await postTo(url, JSON.stringify(message))
  const text = await response.text()
  return {
    status: response.status,
    session: response.headers.get('mcp-session-id'),
    body: text === '' ? undefined : (JSON.parse(text) as unknown),
  }
}

// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
describe.each(Object.entries({ Fastify: fastify, Hono: hono }))(
  'two stateless instances on %s',
  (_name, subject) => {
    const serve = async (name: string): Promise<string> => {
      const server = new McpServer({ name: 'instances', version: '1' })
      server.addTool({ name: 'where', handler: () => name })
      const { url, release } = await subject.serve(server, { stateless: true }, {})
      onTestFinished(() => release())
      onTestFinished(() => server.close({ deadline: 0 }))
      return url
    }

    it('can serve one client in turn, whichever instance received its initialize request', async () => {
      const urls = [await serve('first'), await serve('second')] as const
      const initialized = await post(urls[0], initialize())
      expect(initialized).toMatchObject({ status: 200, session: null })
      expect(await post(urls[1], INITIALIZED)).toMatchObject({ status: 202 })
      const said: unknown[] = []
      for (const id of [2, 3, 4, 5]) {
        const { status, session, body } = await post(
          urls[id % 2 === 0 ? 1 : 0],
          callTool('where', {}, { id }),
        )
        expect([status, session]).toEqual([200, null])
        said.push(body)
      }
      const answer = (id: number, text: string): object => ({
        jsonrpc: '2.0',
        id,
        result: { content: [{ type: 'text', text }] },
      })
      expect(said).toEqual([answer(2, 'second'), answer(3, 'first'), answer(4, 'second'), answer(5, 'first')])
    })
  },
)
