import { serve } from '@hono/node-server'
import { McpServer } from '@jetway/core'
import { mcp } from '@jetway/hono'
import { Hono } from 'hono'
import { cors } from 'hono/cors'

// #region server
interface Locals {
  tenant: string
}

const server = new McpServer<Locals>({ name: 'orders', version: '1.0.0' })
server.addTool({
  name: 'tenant',
  description: 'Says for whom it works',
  handler: (_, ctx) => ctx.locals.tenant,
})
// #endregion

// #region mount
const app = new Hono<{ Variables: Locals }>()
app.use(
  cors({
    origin: 'https://app.example.com',
    allowMethods: ['GET', 'POST', 'DELETE'],
    exposeHeaders: ['mcp-session-id', 'www-authenticate', 'dpop-nonce'],
  }),
)
app.use(async (c, next) => {
  c.set('tenant', c.req.header('x-tenant') ?? 'nobody')
  await next()
})
app.get('/health', (c) => c.json({ ok: true }))

const orders = mcp({
  server,
  path: '/mcp',
  legacySse: true,
  allowedOrigins: ['https://app.example.com'],
  locals: (c): Locals => ({ tenant: c.get('tenant') }),
})
app.use(orders)
// #endregion

// #region serve
const http = serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) }, ({ port }) => {
  console.log('Port', port)
})
process.once('SIGTERM', () => {
  void orders.close({ deadline: 10_000 }).then(() => http.close())
})
// #endregion
