import { McpServer, ScopeError } from '@jetway/core'
import { z } from 'zod'

const server = new McpServer({ name: 'files', version: '1.0.0' })

// #region scopes
server.addTool({
  name: 'write_file',
  scopes: ['files:write'],
  inputSchema: z.object({ path: z.string() }),
  handler: ({ path }, { auth }) => {
    const isAdmin = auth?.scopes?.includes('files:admin') === true
    if (path.startsWith('/etc/') && !isAdmin) throw new ScopeError(['files:write', 'files:admin'])
    return `Wrote ${path}`
  },
})
// #endregion scopes

export { server }
