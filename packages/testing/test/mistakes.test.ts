import { PassThrough } from 'node:stream'
import { Client } from '@jetway/client'
import { http } from '@jetway/client/http'
import { ClientManager } from '@jetway/client/manager'
import { definePrompt, defineTool, McpServer, UsageError } from '@jetway/core'
import { McpServer as EdgeServer } from '@jetway/core/edge'
import { createEndpoint, toFetch } from '@jetway/core/http'
import type { UsageErrorCode } from '@jetway/core/protocol'
import { createMemoryTransportPair } from '@jetway/core/transport'
import { mcp as fastifyMcp } from '@jetway/fastify'
import { mcp as honoMcp } from '@jetway/hono'
import { mcp as nodeMcp } from '@jetway/node'
import { serveStdio } from '@jetway/stdio'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer as OfficialServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { StdioServerTransport as StdioServerTransport2 } from '@modelcontextprotocol/server/stdio'
import fastify from 'fastify'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

const INFO = { name: 'mistakes', version: '1' }
const server = new McpServer(INFO)
const handler = (): string => 'done'
const streams = (): { input: PassThrough; output: PassThrough } => ({
  input: new PassThrough(),
  output: new PassThrough(),
})

/** A value that JavaScript passes where TypeScript would refuse it. */
const js = (value: unknown): never => value as never
const loose = (options: object): object => options

/** The mistake, the code that makes it, and the message. */
type Row = readonly [mistake: string, make: () => unknown, message: string]

/** The message of the usage error that the code throws, or its promise rejects with. */
async function messageOf(make: () => unknown): Promise<string> {
  try {
    await make()
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError)
    return (error as UsageError).message
  }
  return 'no error'
}

function table(title: string, code: UsageErrorCode, rows: readonly Row[]): void {
  describe(title, () => {
    it.each(rows)('%s', async (_, make, message) => {
      expect(await messageOf(make)).toBe(`${message} [${code}]`)
    })
  })
}

const register = async (...args: readonly unknown[]): Promise<void> => {
  const app = fastify()
  await app.register(js(args[0]), js(args[1]))
  await app.ready()
}

table('a server passed in the wrong way', 'ERR_MCP_OPTION', [
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

table('an option with a wrong value', 'ERR_MCP_OPTION', [
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

table('an unknown option', 'ERR_MCP_OPTION', [
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

table('a member of a definition', 'ERR_MCP_INVALID_DEFINITION', [
  [
    'that is spelt wrong',
    () => server.addTool(js({ name: 'a', desciption: 'x', handler })),
    'The tool "a" has an unknown member "desciption": did you mean description?',
  ],
  [
    'in the spelling of the Anthropic API',
    () => server.addTool(js({ name: 'a', input_schema: {}, handler })),
    'The tool "a" has an unknown member "input_schema": did you mean inputSchema?',
  ],
  ...['parameters', 'input', 'schema', 'args', 'argsSchema'].map((name): Row => [
    `of a tool that is ${name} elsewhere`,
    () => server.add(defineTool(js({ name: 'a', [name]: z.object({}), handler }))),
    `The tool "a" has an unknown member "${name}": in Jetway its name is inputSchema`,
  ]),
  ...['execute', 'run', 'callback', 'cb', 'fn', 'func', 'load', 'read'].map((name): Row => [
    `of a tool that is ${name} elsewhere`,
    () => server.setTools([js({ name: 'a', [name]: handler })]),
    `The tool "a" has an unknown member "${name}": in Jetway its name is handler`,
  ]),
  [
    'of a prompt that is named as in tools',
    () => server.add(definePrompt(js({ name: 'p', inputSchema: z.object({}), handler }))),
    'The prompt "p" has an unknown member "inputSchema": in Jetway its name is argsSchema',
  ],
  [
    'of a resource that is url elsewhere',
    () => server.addResource(js({ url: 'a://b', name: 'r', handler })),
    'The resource "r" has an unknown member "url": did you mean uri?',
  ],
  [
    'of a resource template that is load elsewhere',
    () => server.addResourceTemplate(js({ uriTemplate: 'a://{b}', name: 'r', load: handler })),
    'The resource template "a://{b}" has an unknown member "load": in Jetway its name is handler',
  ],
  [
    'of a resource that is a template: uriTemplate',
    () => server.addResource(js({ uriTemplate: 'note://{id}', name: 'r', handler })),
    'The resource "note://{id}" is a URI template: register it with addResourceTemplate, as uriTemplate',
  ],
  [
    'of a resource that is a template: braces in uri',
    () => server.addResource(js({ uri: 'note://{id}', name: 'r', handler })),
    'The resource "note://{id}" is a URI template: register it with addResourceTemplate, as uriTemplate',
  ],
  [
    'that is missing, because the name comes first as in the official SDK',
    () => server.addTool(js('a'), js({})),
    'A tool is defined by one object with its name and its handler, not by string',
  ],
])

describe('unknown members of a definition', () => {
  it('are allowed, because authors keep data in definitions', () => {
    const own = new McpServer(INFO)
    own.addTool(js({ name: 'a', tags: ['x'], scopes: ['y'], handler }))
    own.addTool(js({ name: 'b', execute: () => 'for another framework', handler }))
    expect(() => own.removeTool('a') && own.removeTool('b')).not.toThrow()
  })
})

describe('an option that must not be async', () => {
  it.each([
    ['authInfo', 'authInfo returned a promise. It must return the value; authenticate may be async'],
    ['locals', 'locals returned a promise. It must return the value: await it in a handler instead'],
  ])('is refused if it returns a promise, and is named in the log: %s', async (option, problem) => {
    const logged: { err: Error }[] = []
    const logger = {
      debug() {},
      info() {},
      warn() {},
      error: (fields: unknown) => void logged.push(js(fields)),
    }
    const later = { [option]: async () => Promise.reject(new Error('late')) }
    const mount = honoMcp({ server, stateless: true, logger, ...loose(later) })
    const reply = await new Hono().use(mount).request('http://localhost/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    })
    expect(reply.status).toBe(500)
    expect(logged.map(({ err }) => err.message)).toEqual([problem])
  })
})

describe('a transport from the official SDK', () => {
  const names = '@jetway/fastify, @jetway/hono or @jetway/node'
  it.each([
    ['StdioServerTransport, version 1', new StdioServerTransport(), 'serveStdio(server) of @jetway/stdio'],
    ['StdioServerTransport, version 2', new StdioServerTransport2(), 'serveStdio(server) of @jetway/stdio'],
    [
      'StreamableHTTPServerTransport',
      new StreamableHTTPServerTransport(),
      `mcp({ server }) of ${names}, or toFetch(server)`,
    ],
    [
      'WebStandardStreamableHTTPServerTransport',
      new WebStandardStreamableHTTPServerTransport(),
      `mcp({ server }) of ${names}, or toFetch(server)`,
    ],
    [
      'InMemoryTransport',
      InMemoryTransport.createLinkedPair()[0],
      'createMemoryTransportPair() of @jetway/core/transport',
    ],
  ])('is refused with a hint about what to use instead: %s', async (_, transport, instead) => {
    const problem = 'server.connect got a transport of the official SDK, which Jetway cannot use'
    expect(await messageOf(() => server.connect(js(transport)))).toBe(
      `${problem}. Use ${instead} [ERR_MCP_OPTION]`,
    )
  })

  it('is distinguished from a missing transport, which has its own error', async () => {
    expect(await messageOf(() => server.connect(js(undefined)))).toBe(
      'server.connect needs a transport with start, send and close. To serve stdio, call serveStdio(server) of @jetway/stdio [ERR_MCP_OPTION]',
    )
  })
})

describe('serveStdio', () => {
  it('refuses a second server on the same streams until the first has closed', async () => {
    const shared = streams()
    const first = await serveStdio(server, shared)
    expect(await messageOf(() => serveStdio(new McpServer(INFO), shared))).toBe(
      'Another serveStdio of this process uses this input or output. Call serveStdio once, and register everything on one server; or pass other streams as input and output [ERR_MCP_IN_USE]',
    )
    await first.close()
    const { input } = streams()
    const second = await serveStdio(new McpServer(INFO), { input, output: shared.output })
    await second.close()
  })
})
