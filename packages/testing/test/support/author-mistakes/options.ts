import { PassThrough } from 'node:stream'
import { Client } from '@jetway/client'
import { http } from '@jetway/client/http'
import { ClientManager } from '@jetway/client/manager'
import { McpServer } from '@jetway/core'
import { createEndpoint, toFetch } from '@jetway/core/http'
import { createMemoryTransportPair } from '@jetway/core/transport'
import { mcp as fastifyMcp } from '@jetway/fastify'
import { mcp as honoMcp } from '@jetway/hono'
import { mcp as nodeMcp } from '@jetway/node'
import { serveStdio } from '@jetway/stdio'
import fastify from 'fastify'
import { js, loose, type Mistake, thrown } from './mistake.ts'

const INFO = { name: 'mistakes', version: '1' }
const server = new McpServer(INFO)
const streams = (): { input: PassThrough; output: PassThrough } => ({
  input: new PassThrough(),
  output: new PassThrough(),
})

const register = async (...args: readonly unknown[]): Promise<void> => {
  const app = fastify()
  await app.register(js(args[0]), js(args[1]))
  await app.ready()
}

export const UNKNOWN_OPTION: readonly Mistake[] = thrown('an unknown option', 'ERR_MCP_OPTION', [
  [
    'of a server',
    () => new McpServer(INFO, js({ instruction: 'Be kind' })),
    'The option instruction is unknown. Did you mean instructions?',
  ],
  [
    'in a group of a server',
    () => new McpServer(INFO, js({ limits: { handlerTimeout: 5 } })),
    'The option limits.handlerTimeout is unknown. Did you mean limits.handlerTimeoutMs?',
  ],
  [
    'that belongs to a group',
    () => new McpServer(INFO, js({ maxResultBytes: 5 })),
    'The option maxResultBytes is unknown. Did you mean limits.maxResultBytes?',
  ],
  [
    'that is like no other',
    () => new McpServer(INFO, js({ tools: { xyz: true } })),
    'The option tools.xyz is unknown. Use one of orderByPriority, describeRelations, strictInput, validateOutput',
  ],
  [
    'that the official SDK has',
    () => new McpServer(INFO, js({ capabilities: { tools: {} } })),
    'The option capabilities is unknown: leave it out, because the capabilities follow from what the server has',
  ],
  [
    'of a server, in its first argument',
    () => new McpServer(js({ ...INFO, instructions: 'Be kind' })),
    'The first argument of new McpServer has instructions, which is an option: new McpServer({ name, version }, { instructions })',
  ],
  [
    'of the mount, on the server',
    () => new McpServer(INFO, js({ allowedHosts: ['x'] })),
    'The option allowedHosts is unknown: it is an option of the mount, such as mcp({ server, … })',
  ],
  [
    'of the server, on the mount',
    () => nodeMcp({ server, ...loose({ instructions: 'Be kind' }) }),
    'The option instructions is unknown: it is an option of the server: new McpServer(info, { … })',
  ],
  [
    'of Fastify',
    () => register(fastifyMcp, { server, alowedHosts: ['x'] }),
    'The option alowedHosts is unknown. Did you mean allowedHosts?',
  ],
  [
    'of Hono',
    () => honoMcp({ server, ...loose({ pth: '/x' }) }),
    'The option pth is unknown. Did you mean path?',
  ],
  [
    'of Node',
    () => nodeMcp({ server, ...loose({ sessions: { ttl: 5 } }) }),
    'The option sessions.ttl is unknown. Did you mean sessions.ttlMs?',
  ],
  [
    'of a mount whose group is in its name',
    () => nodeMcp({ server, ...loose({ sessionTtlMs: 5 }) }),
    'The option sessionTtlMs is unknown. Did you mean sessions.ttlMs?',
  ],
  [
    'of toFetch',
    () => toFetch(server, js({ local: () => ({}) })),
    'The option local is unknown. Did you mean locals?',
  ],
  [
    'of an HTTP transport of the official SDK',
    () => createEndpoint(server, js({ sessionIdGenerator: () => 'x' })),
    'The option sessionIdGenerator is unknown: for a mount without sessions set stateless to true',
  ],
  [
    'of serveStdio',
    () => serveStdio(server, js({ ...streams(), drainMS: 5 })),
    'The option drainMS is unknown. Did you mean drainMs?',
  ],
  [
    'of connect',
    () => server.connect(createMemoryTransportPair()[0], js({ local: {} })),
    'The option local is unknown. Did you mean locals?',
  ],
  [
    'of a client',
    () => new Client(INFO, js({ timeout: 5 })),
    'The option timeout is unknown. Did you mean timeoutMs?',
  ],
  [
    'of a client: a handler',
    () => new Client(INFO, js({ handlers: { elicitation: () => ({}) } })),
    'The option handlers.elicitation is unknown: its name is elicit',
  ],
  [
    'of an HTTP transport of the client',
    () => http('http://localhost/mcp', js({ authProvider: {} })),
    'The option authProvider is unknown: its name is auth',
  ],
  [
    'of a client manager',
    () => new ClientManager(INFO, js({ reconnect: { attempts: 5 } })),
    'The option reconnect.attempts is unknown. Did you mean reconnect.maxAttempts?',
  ],
])
