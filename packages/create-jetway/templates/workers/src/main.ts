import { mcp } from '@jetway/hono/edge'
import { Hono } from 'hono'
import { type Bindings, server } from './server.ts'

const app = new Hono<{ Bindings: Bindings }>()
app.use(mcp({ server, path: '/mcp', health: true, locals: (c) => c.env as Bindings }))

export default app
