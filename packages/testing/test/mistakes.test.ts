import { PassThrough } from 'node:stream'
import { McpServer } from '@jetway/core'
import { mcp as honoMcp } from '@jetway/hono'
import { serveStdio } from '@jetway/stdio'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { StdioServerTransport as StdioServerTransport2 } from '@modelcontextprotocol/server/stdio'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { MISTAKES, UNKNOWABLE } from './support/author-mistakes/index.ts'
import { js, loose, messageOf } from './support/author-mistakes/mistake.ts'

const INFO = { name: 'mistakes', version: '1' }
const server = new McpServer(INFO)
const handler = (): string => 'done'
const streams = (): { input: PassThrough; output: PassThrough } => ({
  input: new PassThrough(),
  output: new PassThrough(),
})

/** Matches text that suggests a remedy: a verb, the right name, or the right value. */
const INSTRUCTION =
  /\b(?:did you mean|in Jetway its name is|its name is|here it is|must|needs?|such as|see|(?:un)?wrap|write|use|call|set|pass|send|return|throw|await|correct|choose|register|remove|add|build|give|make|leave it out|omit|report|declare)\b/i

describe('common mistakes', () => {
  it.each(MISTAKES.map((row) => [row.group, row.mistake, row.source, row] as const))(
    'are reported (%s): %s, by %s',
    async (_group, _mistake, _source, { read, says }) => {
      const text = await read()
      if (typeof says === 'string') expect(text).toBe(says)
      else expect(text).toMatch(says)
    },
  )

  it('go unreported only for a documented reason', () => {
    expect(MISTAKES.length).toBeGreaterThanOrEqual(99)
    expect(UNKNOWABLE.filter(({ reason }) => reason.length < 20)).toEqual([])
    expect(UNKNOWABLE.length).toBeLessThan(10)
  })

  it('cause errors that suggest a remedy in at least 75 % of all cases', async () => {
    const vague: string[] = []
    for (const { group, mistake, read } of MISTAKES)
      if (!INSTRUCTION.test(await read())) vague.push(`${group} › ${mistake}`)
    const all = MISTAKES.length + UNKNOWABLE.length
    expect((vague.length + UNKNOWABLE.length) / all, vague.join('\n')).toBeLessThanOrEqual(0.25)
  })
})

describe('unknown properties of a definition', () => {
  it('are allowed, because authors may keep their own data there', () => {
    const own = new McpServer(INFO)
    own.addTool(js({ name: 'a', tags: ['x'], scopes: ['y'], handler }))
    own.addTool(js({ name: 'b', execute: () => 'for another framework', handler }))
    expect(() => own.removeTool('a') && own.removeTool('b')).not.toThrow()
  })
})

describe('an option that must be synchronous', () => {
  it.each([
    ['authInfo', 'authInfo returned a promise. It must return the value; authenticate may be async'],
    ['locals', 'locals returned a promise. It must return the value: await it in a handler instead'],
  ])('causes an error if it returns a promise, and is named in the log: %s', async (option, problem) => {
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
  ])('is rejected with a hint about what to use instead: %s', async (_, transport, instead) => {
    const problem = 'server.connect got a transport of the official SDK, which Jetway cannot use'
    expect(await messageOf(() => server.connect(js(transport)))).toBe(
      `${problem}. Use ${instead} [ERR_MCP_OPTION]`,
    )
  })

  it('causes a different error from the one for a missing transport', async () => {
    expect(await messageOf(() => server.connect(js(undefined)))).toBe(
      'server.connect needs a transport with start, send and close. To serve stdio, call serveStdio(server) of @jetway/stdio [ERR_MCP_OPTION]',
    )
  })
})

describe('serveStdio', () => {
  it('rejects a second server on the same streams until the first one has closed', async () => {
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
