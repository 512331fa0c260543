import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { createAdaptorServer } from '@hono/node-server'
import { toFetch } from '@jetway/core/http'
import { createEverythingServer } from '../../src/server.ts'

/** Serves everything through `toFetch` alone, with no framework between it and the socket. */
const { values } = parseArgs({
  options: { misbehaving: { type: 'boolean' }, 'page-size': { type: 'string' } },
})
const pageSize = values['page-size']
const limits = pageSize === undefined ? {} : { pageSize: Number(pageSize) }
const server = createEverythingServer({ misbehaving: values.misbehaving === true, limits })

const http = createAdaptorServer({ fetch: toFetch(server, { legacySse: true }) }) as Server
http.listen(0, '127.0.0.1')
await once(http, 'listening')
const { port } = http.address() as AddressInfo
process.once('SIGTERM', () => process.exit(0))
console.error(JSON.stringify({ ready: true, url: `http://127.0.0.1:${port}/mcp` }))
