import { fileURLToPath } from 'node:url'
import { mcp } from '@jetway/fastify'
import { serveStdio } from '@jetway/stdio'
import Fastify from 'fastify'
import { createEverything } from './server.ts'

const [transport = 'stdio', docs = fileURLToPath(new URL('docs', import.meta.url))] = process.argv.slice(2)
const server = createEverything(docs)

if (transport === 'stdio') {
  await serveStdio(server)
} else if (transport === 'sse' || transport === 'streamableHttp') {
  // One app serves both: /mcp for Streamable HTTP, /sse and /message for HTTP+SSE.
  const app = Fastify()
  await app.register(mcp, { server, legacySse: true })
  console.error(await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT'] ?? 3001) }))
} else {
  console.error(`There is no transport "${transport}". Choose stdio, sse or streamableHttp.`)
  process.exitCode = 1
}
