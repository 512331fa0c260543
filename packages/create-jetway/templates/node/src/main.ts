#!/usr/bin/env node
import { createServer } from 'node:http'
import process from 'node:process'
import { mcp } from '@jetway/node'
import { server } from './server.ts'

const { HOST = '127.0.0.1', PORT = '3000', PUBLIC_URL } = process.env

const http = createServer(
  { requestTimeout: 30_000, keepAliveTimeout: 72_000 },
  mcp({ server, path: '/mcp', health: true, ...(PUBLIC_URL !== undefined && { publicUrl: PUBLIC_URL }) }),
)

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    void server.close({ deadline: 8_000 }).then(() => {
      http.close()
      // Some clients keep a connection open on which they send nothing.
      setTimeout(() => http.closeAllConnections(), 1_000).unref()
    })
  })

http.listen(Number(PORT), HOST, () => console.log(`Listening on ${HOST}, port ${PORT}`))
