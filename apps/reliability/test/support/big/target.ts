/** A server that returns large results, in its own process. It serves over stdio or on a mount. */
import { argv, stdout } from 'node:process'
import { NODE_MOUNTS } from '@jetway-apps/test-support/mounts'
import { type Logger, McpServer } from '@jetway/core'
import { serveStdio } from '@jetway/stdio'
import * as z from 'zod'

const SILENT: Logger = { error() {}, warn() {}, info() {}, debug() {} }
const [, , host = 'stdio', response] = argv

const server = new McpServer({ name: 'big', version: '1.0.0' }, { logger: SILENT })
server.addTool({
  name: 'large',
  inputSchema: z.object({ bytes: z.number() }),
  handler: ({ bytes }) => 'x'.repeat(bytes),
})

if (host === 'stdio') await serveStdio(server)
else {
  const options = {
    legacySse: true,
    response: response as 'json' | 'sse' | 'auto',
    // If one authenticated caller leaves too many replies unread, its further calls are refused. Replies to anonymous
    // callers would be cut off instead.
    authenticate: () => ({ principal: 'late' }),
  }
  const { origin } = await NODE_MOUNTS[host as keyof typeof NODE_MOUNTS](server, options)
  stdout.write(`${origin}\n`)
}
