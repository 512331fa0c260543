#!/usr/bin/env node
import process from 'node:process'
import { mcp } from '@jetway/node'
import express from 'express'
import { server } from './server.ts'

const { HOST = '127.0.0.1', PORT = '3000', PUBLIC_URL } = process.env

const app = express()
// Add body parsers such as express.json() below: the server reads its requests itself.
app.use(
  mcp({ server, path: '/mcp', health: true, ...(PUBLIC_URL !== undefined && { publicUrl: PUBLIC_URL }) }),
)

const http = app.listen(Number(PORT), HOST, (error) => {
  if (error !== undefined) throw error
  console.log(`Listening on ${HOST}, port ${PORT}`)
})
http.requestTimeout = 30_000
http.keepAliveTimeout = 72_000

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    void server.close({ deadline: 8_000 }).then(() => {
      http.close()
      // Some clients keep a connection open on which they send nothing.
      setTimeout(() => http.closeAllConnections(), 1_000).unref()
    })
  })
