import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { McpServer } from '@jetway/core'
import { mcp } from '../http/node-http.ts'

const server = new McpServer({ name: 'hello', version: '1.0.0' })
server.addTool({ name: 'hello', description: 'Says hello', handler: () => 'Hello, world' })

// #region host
const { endpoint, listener } = mcp(server)
const http = createServer((req, res) => {
  if (req.url?.split('?')[0] === '/mcp') void listener(req, res)
  else res.writeHead(404).end()
})
http.requestTimeout = 30_000
http.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () =>
  console.log('Port', (http.address() as AddressInfo).port),
)
process.once('SIGTERM', () => {
  void endpoint.close({ deadline: 10_000 }).then(() => http.close())
})
// #endregion
