import { serve } from '@hono/node-server'
import { mcp } from '@jetway/hono'
import { Hono } from 'hono'
import { ready } from '../serving/control.ts'
import { createServer, mountOptions } from '../serving/jetway.ts'

const server = createServer()
const app = new Hono()
app.use(mcp({ server, path: '/mcp', ...mountOptions() }))
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
  ready(port, () => server.notify.toolsChanged()),
)
