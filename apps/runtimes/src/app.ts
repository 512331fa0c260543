import { mcp } from '@jetway/hono'
import { Hono } from 'hono'
import { type Mount, server } from './server.ts'

// #region app
/** The server on Hono, with what this runtime says of itself. */
export function createApp(runtime: Mount['runtime']): Hono {
  return new Hono().use(mcp({ server, path: '/mcp', context: () => ({ runtime }) }))
}
// #endregion
