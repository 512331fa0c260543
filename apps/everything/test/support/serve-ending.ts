import process from 'node:process'
import { runApp } from '@jetway-apps/runner'
import { McpServer } from '@jetway/core'

/** Runs a server that starts to close, without a deadline, as soon as its call is running. */
await runApp({
  name: 'ending',
  entry: import.meta.url,
  argv: process.argv.slice(2),
  sample: { tool: 'hang', arguments: {} },
  create: () => {
    const server = new McpServer({ name: 'ending', version: '1.0.0' })
    server.addTool({
      name: 'hang',
      handler() {
        setImmediate(() => void server.close({ deadline: 0 }))
        return new Promise<string>(() => {})
      },
    })
    return server
  },
})
