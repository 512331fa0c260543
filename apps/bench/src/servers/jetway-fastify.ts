import type { AddressInfo } from 'node:net'
import { mcp } from '@jetway/fastify'
import Fastify from 'fastify'
import { ready } from '../serving/control.ts'
import { createServer, mountOptions } from '../serving/jetway.ts'

const server = createServer()
const app = Fastify()
await app.register(mcp, { server, path: '/mcp', ...mountOptions() })
await app.listen({ port: 0, host: '127.0.0.1' })
ready((app.server.address() as AddressInfo).port, () => server.notify.toolsChanged())
