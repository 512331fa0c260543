import { McpServer } from '@jetway/core'
import { McpServer as EdgeServer } from '@jetway/core/edge'
import { createEndpoint, toFetch } from '@jetway/core/http'
import { mcp as fastifyMcp } from '@jetway/fastify'
import { mcp as honoMcp } from '@jetway/hono'
import { mcp as nodeMcp } from '@jetway/node'
import { serveStdio } from '@jetway/stdio'
import { McpServer as OfficialServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import fastify from 'fastify'
import { js, loose, type Mistake, type Row, thrown } from './mistake.ts'

const INFO = { name: 'mistakes', version: '1' }
const server = new McpServer(INFO)

const register = async (...args: readonly unknown[]): Promise<void> => {
  const app = fastify()
  await app.register(js(args[0]), js(args[1]))
  await app.ready()
}

export const WRONG_SERVER: readonly Mistake[] = thrown('a server passed in the wrong way', 'ERR_MCP_OPTION', [
  ['Hono: mcp(server)', () => honoMcp(js(server)), 'The server must be an option: call mcp({ server })'],
  ['Node: mcp(server)', () => nodeMcp(js(server)), 'The server must be an option: call mcp({ server })'],
  [
    'Fastify: register(mcp, server)',
    () => register(fastifyMcp, server),
    'The server must be an option: call app.register(mcp, { server })',
  ],
  [
    'Fastify: register(mcp(server))',
    () => register(fastifyMcp(js(server), js(undefined))),
    'The option server is missing: call app.register(mcp, { server })',
  ],
  [
    'Fastify: register(mcp)',
    () => register(fastifyMcp),
    'The option server is missing: call app.register(mcp, { server })',
  ],
  ['Hono: mcp()', () => honoMcp(js(undefined)), 'The option server is missing: call mcp({ server })'],
  [
    'toFetch({ server })',
    () => toFetch(js({ server })),
    'The server must be the first argument, not an option: call toFetch(server, options)',
  ],
  [
    'createEndpoint({ server })',
    () => createEndpoint(js({ server })),
    'The server must be the first argument, not an option: call createEndpoint(server, options)',
  ],
  ['toFetch()', () => toFetch(js(undefined)), 'The first argument is missing: call toFetch(server, options)'],
  [
    'serveStdio({ server })',
    () => serveStdio(js({ server })),
    'The server must be the first argument, not an option: call serveStdio(server, options)',
  ],
  [
    'serveStdio() with the server of the edge',
    () => serveStdio(js(new EdgeServer(INFO))),
    'The McpServer of @jetway/core/edge cannot serve stdio. Use the one of @jetway/core: call serveStdio(server, options)',
  ],
  [
    'a server of the official SDK',
    () => nodeMcp(js({ server: new OfficialServer(INFO) })),
    'The option server must be an McpServer of @jetway/core, or a function that returns one, not a server of another library: call mcp({ server })',
  ],
])

export const WRONG_VALUE: readonly Mistake[] = thrown('an option with a wrong value', 'ERR_MCP_OPTION', [
  [
    "allowedHosts: 'x'",
    () => toFetch(server, js({ allowedHosts: 'x' })),
    "The option allowedHosts must be an array, such as ['api.example.com']",
  ],
  [
    "allowedOrigins: 'https://x'",
    () => honoMcp({ server, ...loose({ allowedOrigins: 'https://x' }) }),
    "The option allowedOrigins must be an array, such as ['https://app.example.com']",
  ],
  [
    "revisions: '2025-11-25'",
    () => new McpServer(INFO, js({ revisions: '2025-11-25' })),
    "The option revisions must be an array, such as ['2026-07-28']",
  ],
  ['limits: 5', () => new McpServer(INFO, js({ limits: 5 })), 'The option limits must be an object'],
  ...(
    [
      ['Fastify', (both) => register(fastifyMcp, both)],
      ['Hono', (both) => honoMcp(js(both))],
      ['Node', (both) => nodeMcp(js(both))],
    ] as [string, (both: object) => unknown][]
  ).map(([host, mount]): Row => [
    `authenticate and authInfo: ${host}`,
    () => mount({ server, authenticate: () => undefined, authInfo: () => undefined }),
    'Set authenticate or authInfo, not both: authenticate finds out who calls, authInfo reads what the app knows',
  ]),
  ["options: 'x'", () => toFetch(server, js('x')), 'Options must be an object, not string'],
])
