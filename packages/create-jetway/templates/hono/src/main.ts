#!/usr/bin/env node
import process from 'node:process'
import { serve } from '@hono/node-server'
import { mcp } from '@jetway/hono'
import { Hono } from 'hono'
import { server } from './server.ts'

const { HOST = '127.0.0.1', PORT = '3000', PUBLIC_URL } = process.env

const app = new Hono()
app.use(
  mcp({ server, path: '/mcp', health: true, ...(PUBLIC_URL !== undefined && { publicUrl: PUBLIC_URL }) }),
)

const http = serve(
  {
    fetch: app.fetch,
    hostname: HOST,
    port: Number(PORT),
    serverOptions: { requestTimeout: 30_000, keepAliveTimeout: 72_000 },
  },
  ({ address, port }) => console.log(`Listening on ${address}, port ${port}`),
)

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    void server.close({ deadline: 8_000 }).then(() => http.close())
  })
