import { McpServer } from '@jetway/core'
import { mcp } from '@jetway/fastify'
import Fastify from 'fastify'

const server = new McpServer({ name: 'hello', version: '1.0.0' })
server.addTool({ name: 'hello', description: 'Says hello', handler: () => 'Hello, world' })

const app = Fastify({ logger: true, keepAliveTimeout: 72_000 })
// #region mount
const keys = (process.env.SESSION_KEYS ?? '').split(',')
await app.register(mcp, { server, sessions: { seal: { keys } } })
// #endregion
await app.listen({ port: Number(process.env.PORT ?? 3000) })
// #region stop
process.once('SIGTERM', () => {
  void server.close({ deadline: 20_000 }).then(() => app.close())
})
// #endregion
