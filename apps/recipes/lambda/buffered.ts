// #region handler
import { mcp } from '@jetway/hono'
import { Hono } from 'hono'
import { handle } from 'hono/aws-lambda'
import { authenticate, server } from './server.ts'

const app = new Hono()
app.use(
  mcp({
    server,
    path: '/mcp',
    stateless: true,
    response: 'json',
    allowedHosts: [process.env['HOST'] ?? 'localhost'],
    authenticate,
  }),
)

export const handler = handle(app)
// #endregion
