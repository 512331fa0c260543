import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { McpServer } from '@jetway/core'
import { bearer } from '@jetway/core/http'
import { mcp } from '@jetway/node'
import express, { type Request } from 'express'

// #region server
interface Locals {
  tenant: string
}

const server = new McpServer<Locals>({ name: 'orders', version: '1.0.0' })
server.addTool({
  name: 'whoami',
  description: 'Says who is calling, and for which tenant',
  handler: (_, ctx) => `${ctx.auth?.principal} of ${ctx.locals.tenant}`,
})
// #endregion

// #region mount
const app = express()
app.use((req, res, next) => {
  res.set('x-request-id', crypto.randomUUID())
  res.locals.tenant = req.get('x-tenant') ?? 'nobody'
  next()
})

const orders = mcp({
  server,
  path: '/mcp',
  legacySse: true,
  allowedOrigins: ['https://app.example.com'],
  authenticate: bearer({
    verify: (token) => (token === process.env.TOKEN ? { principal: 'ada' } : undefined),
  }),
  locals: (req: Request): Locals => ({ tenant: req.res?.locals.tenant }),
})
app.use('/api', orders)

app.use(express.json())
app.post('/orders', (req, res) => void res.json(req.body))
// #endregion

// #region serve
const limits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 72_000,
}
const http = createServer(limits, app).listen(Number(process.env.PORT ?? 3000), () => {
  console.log('Port', (http.address() as AddressInfo).port)
})
process.once('SIGTERM', () => {
  void orders.close({ deadline: 10_000 }).then(() => {
    http.close()
    setTimeout(() => http.closeAllConnections(), 1_000).unref()
  })
})
// #endregion
