// #region main
import { McpServer } from '@jetway/core'
import { mcp } from '@jetway/node'
import { NestFactory } from '@nestjs/core'
import { McpModule } from './mcp.module.ts'
import { authenticate } from './server.ts'

const app = await NestFactory.create(McpModule)
const server = app.get(McpServer)
app.use('/mcp', mcp({ server, authenticate }))
app.enableShutdownHooks()
await app.listen(process.env['PORT'] ?? 3000, '127.0.0.1')
// #endregion
console.log(await app.getUrl())
