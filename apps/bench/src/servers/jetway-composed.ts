import type { AddressInfo } from 'node:net'
import process from 'node:process'
import { mcp } from '@jetway/fastify'
import Fastify from 'fastify'
import { ready } from '../serving/control.ts'
import { createPrefixedServer } from '../serving/jetway.ts'

const server = createPrefixedServer({ observed: process.argv.includes('--observed') })
const app = Fastify()
await app.register(mcp, { server, path: '/mcp' })
await app.listen({ port: 0, host: '127.0.0.1' })
ready((app.server.address() as AddressInfo).port, () => server.notify.toolsChanged())
