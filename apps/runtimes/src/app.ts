import { mcp } from '@jetway/hono'
import { Hono } from 'hono'
import { type Locals, server } from './server.ts'

// #region app
/** Creates an app that serves the server on Hono, with the name and version of this runtime. */
export function createApp(runtime: Locals['runtime']): Hono {
  return new Hono().use(mcp({ server, path: '/mcp', locals: () => ({ runtime }) }))
}
// #endregion
