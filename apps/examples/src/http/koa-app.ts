import type { AddressInfo } from 'node:net'
import { McpServer } from '@jetway/core'
import { mcp } from '@jetway/node'
import Koa, { type Context } from 'koa'

interface Locals {
  tenant: string
}

const server = new McpServer<Locals>({ name: 'orders', version: '1.0.0' })
server.addTool({
  name: 'tenant',
  description: 'Says for whom it works',
  handler: (_, ctx) => ctx.locals.tenant,
})

// #region mount
const app = new Koa()
app.use(async (ctx, next) => {
  ctx.state.tenant = ctx.get('x-tenant') || 'nobody'
  await next()
})

const orders = mcp({
  server,
  path: '/mcp',
  locals: (_req, ctx: Context): Locals => ({ tenant: ctx.state.tenant }),
})
app.use(orders.koa)
// #endregion

const http = app.listen(Number(process.env.PORT ?? 3000), () => {
  console.log('Port', (http.address() as AddressInfo).port)
})
process.once('SIGTERM', () => {
  void orders.close({ deadline: 10_000 }).then(() => {
    http.close()
    setTimeout(() => http.closeAllConnections(), 1_000).unref()
  })
})
