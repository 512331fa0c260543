#!/usr/bin/env node
import process from 'node:process'
import { mcp } from '@jetway/fastify'
import Fastify from 'fastify'
import { server } from './server.ts'

const { HOST = '127.0.0.1', PORT = '3000', PUBLIC_URL } = process.env

const app = Fastify({ logger: true, requestTimeout: 30_000, keepAliveTimeout: 72_000 })
app.server.headersTimeout = 10_000
await app.register(mcp, {
  server,
  path: '/mcp',
  health: true,
  ...(PUBLIC_URL !== undefined && { publicUrl: PUBLIC_URL }),
})

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    void server.close({ deadline: 8_000 }).then(() => app.close())
  })

await app.listen({ host: HOST, port: Number(PORT) })
