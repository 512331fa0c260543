import { serve } from '@hono/node-server'
import { McpServer } from '@jetway/core'
import { mcp } from '@jetway/hono'
import { Hono } from 'hono'

const server = new McpServer({ name: 'hello', version: '1.0.0' })
server.addTool({ name: 'hello', description: 'Says hello', handler: () => 'Hello, world' })

const app = new Hono().use(mcp({ server, path: '/mcp' }))
serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) }, ({ port }) => console.log('Port', port))
