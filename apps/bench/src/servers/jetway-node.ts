import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mcp } from '@jetway/node'
import { ready } from '../serving/control.ts'
import { createServer as createMcpServer, mountOptions } from '../serving/jetway.ts'

const server = createMcpServer()
const http = createServer(mcp({ server, path: '/mcp', ...mountOptions() }))
http.listen(0, '127.0.0.1', () =>
  ready((http.address() as AddressInfo).port, () => server.notify.toolsChanged()),
)
