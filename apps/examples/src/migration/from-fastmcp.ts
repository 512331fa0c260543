import { McpServer, ToolError } from '@jetway/core'
import { z } from 'zod'

// #region server
export const server = new McpServer({ name: 'files', version: '1.0.0' })

server.addTool({
  name: 'download',
  description: 'Downloads a file',
  inputSchema: z.object({ url: z.url() }),
  async handler({ url }, ctx) {
    if (!url.startsWith('https://example.com/')) throw new ToolError(`${url} is not allowed`)
    ctx.log.info('Downloading', 'files')
    await ctx.progress(1, 1)
    return `Downloaded ${url}`
  },
})

server.addResourceTemplate({
  uriTemplate: 'file:///logs/{name}.log',
  name: 'Application logs',
  mimeType: 'text/plain',
  complete: { name: (start) => ['app', 'audit'].filter((name) => name.startsWith(start)) },
  handler: ({ name }) => `The log of ${name}`,
})

server.addPrompt({
  name: 'git-commit',
  description: 'Writes a commit message',
  argsSchema: z.object({ changes: z.string().describe('The diff') }),
  handler: ({ changes }) => `Write a commit message for these changes:\n\n${changes}`,
})
// #endregion
