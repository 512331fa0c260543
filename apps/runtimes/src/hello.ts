// #region hello
import { McpServer, toFetch } from '@jetway/core/edge'

const server = new McpServer({ name: 'hello', version: '1.0.0' })

server.addTool({
  name: 'hello',
  description: 'Says hello',
  handler: () => 'Hello, world',
})

export default { fetch: toFetch(server) }
// #endregion
