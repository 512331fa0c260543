import { mcp } from '@jetway/hono'
import { Hono } from 'hono'
import { server } from './server.ts'

// #region worker
/** The Worker's bindings. */
interface Bindings {
  readonly VERSION: string
}

const app = new Hono<{ Bindings: Bindings }>()
app.use(
  mcp({
    server,
    path: '/mcp',
    locals: (c) => ({ runtime: { name: 'workerd', version: (c.env as Bindings).VERSION } }),
  }),
)

export default { fetch: app.fetch }
// #endregion
