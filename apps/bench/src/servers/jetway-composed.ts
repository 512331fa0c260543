import type { AddressInfo } from 'node:net'
import process from 'node:process'
import { prefix, sourceOf } from '@jetway/compose'
import { McpServer } from '@jetway/core'
import { mcp } from '@jetway/fastify'
import Fastify from 'fastify'
import { ready } from '../serving/control.ts'
import { createServer } from '../serving/jetway.ts'

/** Creates a server that observes the tools of another one below a prefix. */
function createObserver(): McpServer {
  const server = new McpServer({ name: 'bench', version: '1.0.0' })
  server.observe(prefix('bench', sourceOf(createServer())))
  return server
}

const server = process.argv.includes('--observed') ? createObserver() : createServer(undefined, {}, 'bench_')
const app = Fastify()
await app.register(mcp, { server, path: '/mcp' })
await app.listen({ port: 0, host: '127.0.0.1' })
ready((app.server.address() as AddressInfo).port, () => server.notify.toolsChanged())
