import { McpServer } from '@jetway/core'

export const server = new McpServer({ name: 'files', version: '1.0.0' })

server.addTool({
  name: 'whoami',
  handler: (_args, { auth }) => `You are ${String(auth?.extra?.['subject'])}`,
})
server.addTool({ name: 'write_file', scopes: ['files:write'], handler: () => 'Written' })
