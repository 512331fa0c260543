import { McpServer } from '@jetway/core'
import { serveStdio } from '@jetway/stdio'

const server = new McpServer({ name: 'hello', version: '1.0.0' })
server.addTool({ name: 'hello', description: 'Says hello', handler: () => 'Hello, world' })
await serveStdio(server)
