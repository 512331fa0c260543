import process from 'node:process'
import { parseArgs } from 'node:util'
import { onFetch } from '@jetway-apps/test-support/mounts'
import { createEverythingServer } from '../../src/server.ts'

/** Serves the server with every feature through `toFetch`, without a framework in between. */
const { values } = parseArgs({
  options: { misbehaving: { type: 'boolean' }, 'page-size': { type: 'string' } },
})
const pageSize = values['page-size']
const limits = pageSize === undefined ? {} : { pageSize: Number(pageSize) }
const server = createEverythingServer({ misbehaving: values.misbehaving === true, limits })

const { origin } = await onFetch(server, { legacySse: true })
process.once('SIGTERM', () => process.exit(0))
console.error(JSON.stringify({ ready: true, url: `${origin}/mcp` }))
