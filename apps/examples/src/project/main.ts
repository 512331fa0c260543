// #region file
import process from 'node:process'
import { mcp } from '@jetway/fastify'
import Fastify from 'fastify'
import type { Locals } from './context.ts'
import { server } from './server.ts'

const { HOST = '127.0.0.1', PORT = '3000', PUBLIC_URL = `http://127.0.0.1:${PORT}/mcp` } = process.env

const app = Fastify({ logger: true, keepAliveTimeout: 72_000 })
await app.register(mcp, {
  server,
  publicUrl: PUBLIC_URL,
  health: true,
  locals: ({ headers }): Locals => ({ team: String(headers['x-team'] ?? 'nobody') }),
})
await app.listen({ host: HOST, port: Number(PORT) })

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    void server.close({ deadline: 8_000 }).then(() => app.close())
  })
// #endregion
