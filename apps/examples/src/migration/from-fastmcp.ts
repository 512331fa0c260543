import process from 'node:process'
import { contents, McpServer, ToolError } from '@jetway/core'
import type { Authenticate } from '@jetway/core/http'
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

// #region values
const countries = ['France', 'Germany', 'Italy'] as const

server.addPrompt({
  name: 'country-poem',
  description: 'Writes a poem about a country',
  argsSchema: z.object({ name: z.enum(countries) }),
  complete: { name: (typed) => countries.filter((country) => country.startsWith(typed)) },
  handler: ({ name }) => `Write a poem about ${name}`,
})

server.addResource({
  uri: 'file:///logs',
  name: 'All logs',
  mimeType: 'text/plain',
  handler: () => contents([{ text: 'The log of app' }, { text: 'The log of audit' }]),
})
// #endregion

// #region authenticate
export const authenticate: Authenticate = (request) => {
  if (request.header('x-api-key') !== process.env['API_KEY']) return undefined
  return { principal: 'user-1', extra: { role: 'user' } }
}
// #endregion
