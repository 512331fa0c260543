import { McpServer } from '@jetway/core'
import { toFetch } from '@jetway/core/http'

const server = new McpServer({ name: 'hello', version: '1.0.0' })
server.addTool({ name: 'hello', description: 'Says hello', handler: () => 'Hello, world' })

export default { fetch: toFetch(server, { allowedHosts: ['hello.example.com'] }) }
