import { createEndpoint, type EdgeServerOptions, McpServer, toFetch } from '@jetway/core/edge'
import { createMemoryTransportPair } from '@jetway/core/transport'

const server = new McpServer({ name: 'types', version: '1' }, { lifespan: () => ({ database: 'open' }) })
server.addTool({ name: 'a', handler: (_, ctx) => ctx.app.database })

const create = (options: EdgeServerOptions): McpServer =>
  new McpServer({ name: 'types', version: '1' }, options)

// Using a part that the preset omits is a compile error.

// @ts-expect-error no connections
server.connect(createMemoryTransportPair()[0])
// @ts-expect-error nothing for one session
server.forSession({ id: 'one' })
// @ts-expect-error no single messages
await server.handleMessage('{}')
// @ts-expect-error no resource templates
server.addResourceTemplate({ uriTemplate: 'a://{b}', name: 'a', handler: () => '' })
// @ts-expect-error no tasks
create({ tasks: {} })
// @ts-expect-error no questions
create({ requestState: {} })
// @ts-expect-error no extensions
create({ extensions: [] })
// @ts-expect-error no observed sources
server.observe({})

// @ts-expect-error no sessions
createEndpoint(server, { sessions: { max: 1 } })
// @ts-expect-error no questions
create({ limits: { maxInputRounds: 2 } })

// @ts-expect-error no sessions
toFetch(server, { stateless: false })
// @ts-expect-error no HTTP+SSE
toFetch(server, { legacySse: true })
// @ts-expect-error no pings, which belong to sessions
toFetch(server, { streams: { keepAlive: { mode: 'ping' } } })

// As on every other mount, the locals are required.
const typed = new McpServer<{ user: string }>({ name: 'types', version: '1' })
// @ts-expect-error no locals
toFetch(typed)
toFetch(typed, { locals: () => ({ user: 'Ada' }) })
