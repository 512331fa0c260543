import { asks, createServer, type McpServer } from '@jetway/core'
import { toFetch } from '@jetway/core/http'
import { createMemoryTransportPair } from '@jetway/core/transport'
import { mcp as plugin } from '@jetway/fastify'
import { mcp as middleware } from '@jetway/hono'
import { mcp as listener } from '@jetway/node'
import { serveStdio } from '@jetway/stdio'
import { type Cell, connect, httpTransport, memoryTransport, TestClient } from '@jetway/testing'
import type { CaseContext } from '@jetway/testing/adapter'
import type { FastifyInstance } from 'fastify'

class Database {
  readonly name: string = 'open'
}
class Caller {
  readonly user: string = 'Ada'
}

// A server with a lifespan is accepted wherever a server is.
const server = createServer()({ name: 'types', version: '1' }, { lifespan: () => new Database() })
const asParameter: McpServer = server
declare const app: FastifyInstance
declare const cell: Cell
declare const cases: CaseContext
await connect(server)
await cell.connect(server)
await cases.serve({}, {}, server)
await memoryTransport.open(server)
httpTransport('http', () => ({ url: '', close: () => server.close() }))
await serveStdio(server)
server.connect(createMemoryTransportPair()[0])
toFetch(server)
middleware({ server })
listener({ server })
app.register(plugin, { server })

// So is a server that also declares its locals, if it receives them.
const both = createServer<Caller>()({ name: 'types', version: '1' }, { lifespan: () => new Database() })
const locals = new Caller()
await connect(both, { locals })
await serveStdio(both, { locals })
toFetch(both, { locals: () => locals })
middleware({ server: both, locals: () => locals })
listener({ server: both, locals: () => locals })
app.register(plugin, { server: both, locals: () => locals })
// @ts-expect-error no locals
await connect(both)
// @ts-expect-error a parameter of this type would not pass locals
const withoutLocals: McpServer = both

// Handlers and asks read the lifespan's value. Asks for a different value are a type error.
server.addTool({
  name: 'reads',
  asks: asks<undefined, Database>().ask('name', (_, ctx) => ctx.app.name),
  handler: (_, ctx) => ctx.app.name + ctx.answers.name,
})
// @ts-expect-error asks of another value
server.addTool({ name: 'other', asks: asks<undefined, Caller>().ask('name', () => ''), handler: () => '' })

export { asParameter, TestClient, withoutLocals }
