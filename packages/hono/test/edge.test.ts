import { McpServer } from '@jetway/core/edge'
import { Hono } from 'hono'
import { expect, it } from 'vitest'
import { mcp } from '../src/edge.ts'

it('the edge preset serves calls without sessions, and has no session options', async () => {
  const server = new McpServer<{ user: string }>({ name: 'edge', version: '1.0.0' })
  server.addTool({ name: 'greet', handler: (_, ctx) => `Hello, ${ctx.locals.user}` })
  // @ts-expect-error HTTP+SSE needs sessions.
  mcp({ server, locals: () => ({ user: 'Ada' }), legacySse: true })
  const app = new Hono().use(mcp({ server, locals: () => ({ user: 'Ada' }) }))
  const response = await app.request('http://localhost/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'greet' } }),
  })
  expect(await response.json()).toMatchObject({ result: { content: [{ text: 'Hello, Ada' }] } })
  expect((await app.request('http://localhost/mcp')).status).toBe(405)
})
