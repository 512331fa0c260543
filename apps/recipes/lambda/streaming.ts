// #region handler
import { mcp } from '@jetway/hono'
import { Hono } from 'hono'
import { streamHandle } from 'hono/aws-lambda'
import { authenticate, server } from './server.ts'

const app = new Hono()
app.use(
  mcp({
    server,
    path: '/mcp',
    stateless: true,
    allowedHosts: [process.env['HOST'] ?? 'localhost'],
    authenticate,
  }),
)

export const handler = streamHandle(app)
// #endregion
