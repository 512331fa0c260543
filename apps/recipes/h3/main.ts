// #region app
import { toFetch } from '@jetway/core/http'
import { nodeConnection } from '@jetway/node/connection'
import { H3, serve } from 'h3'
import { authenticate, server } from './server.ts'

const handler = toFetch(server, {
  allowedHosts: ['localhost', '127.0.0.1'],
  connection: nodeConnection,
  authenticate,
})

const app = new H3()
app.all('/mcp', (event) => handler(event.req))

const http = serve(app, { hostname: '127.0.0.1', port: Number(process.env['PORT'] ?? 3000) })
// #endregion
await http.ready()
console.log(http.url)
