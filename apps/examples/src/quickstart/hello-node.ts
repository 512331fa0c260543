import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { McpServer } from '@jetway/core'
import { mcp } from '@jetway/node'

const server = new McpServer({ name: 'hello', version: '1.0.0' })
server.addTool({ name: 'hello', description: 'Says hello', handler: () => 'Hello, world' })

// #region host
const mount = mcp({ server, path: '/mcp' })
const limits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 72_000,
}
const http = createServer(limits, mount)
http.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () =>
  console.log('Port', (http.address() as AddressInfo).port),
)
process.once('SIGTERM', () => {
  void mount.close({ deadline: 10_000 }).then(() => {
    http.close()
    setTimeout(() => http.closeAllConnections(), 1_000).unref()
  })
})
// #endregion
