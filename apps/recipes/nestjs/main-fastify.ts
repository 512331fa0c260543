// #region main
import { McpServer } from '@jetway/core'
import { mcp } from '@jetway/fastify'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { McpModule } from './mcp.module.ts'
import { authenticate } from './server.ts'

const app = await NestFactory.create<NestFastifyApplication>(McpModule, new FastifyAdapter())
const server = app.get(McpServer)
await app.register(mcp, { server, path: '/mcp', authenticate })
app.enableShutdownHooks()
await app.listen(process.env['PORT'] ?? 3000, '127.0.0.1')
// #endregion
console.log(await app.getUrl())
