import { fileURLToPath } from 'node:url'
import ts from 'typescript6'
import { describe, expect, it } from 'vitest'

/** An editor's language service, with one file that is not on disk. */
const project = fileURLToPath(new URL('..', import.meta.url))
const file = `${project}checks/editor.ts`
const source = `
import { createServer, McpServer } from '@jetway/core'
import { toFetch } from '@jetway/core/http'
import { mcp as plugin } from '@jetway/fastify'
import { mcp as middleware } from '@jetway/hono'
import { mcp as listener } from '@jetway/node'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'

const server = new McpServer({ name: 'editor', version: '1' })
server.addTool({
  name: 'tool',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  handler: (toolArgs, toolCtx) => [toolArgs, toolCtx],
})
server.addTool({ name: 'asks', asks: { sure: () => 5 }, handler: (_args, askCtx) => [askCtx] })
server.addTool({ name: 'late', handler: (_args, ctx) => ctx.answers.sure })
server.addResourceTemplate({ uriTemplate: 'a://{day}{?to}', name: 'a', handler: (variables) => variables })

const typed = createServer<{ user: string }>()({ name: 'typed', version: '1' })
toFetch(typed, {})
middleware({ server: typed })
listener({ server: typed })
declare const app: FastifyInstance
app.register(plugin, { server: typed })
app.register(plugin, { server: () => typed, path: '/selected' })
app.register(plugin, { server: typed, locals: () => ({ usr: 'Ada' }) })
app.register(plugin, { server, alowedHosts: ['x'] })
app.register(plugin, { server: typed, locals: () => ({ user: 'Ada' }), allowedHost: ['x'] })
app.register(plugin, { server: typed, locals: (request) => ({ user: request.id }), allowedOrigin: ['x'] })
app.register(plugin, { server: typed, locals: (request) => ({ user: request.id }) })
toFetch(server, { alowedHosts: ['x'] })
server.addTool({ name: 'other', execute: () => 'x' })
server.addTool({ name: 'shape', inputSchema: { city: z.string() }, handler: () => 'x' })
server.addTool({ name: 'hints', annotations: { readOnly: true }, handler: () => 'x' })
`

const { config } = ts.readConfigFile(`${project}tsconfig.json`, (path) => ts.sys.readFile(path))
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, project)
const service = ts.createLanguageService({
  getScriptFileNames: () => [file],
  getScriptVersion: () => '1',
  getScriptSnapshot(path) {
    const text = path === file ? source : ts.sys.readFile(path)
    return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
  },
  getCurrentDirectory: () => project,
  getCompilationSettings: () => options,
  getDefaultLibFileName: (given) => ts.getDefaultLibFilePath(given),
  fileExists: (path) => path === file || ts.sys.fileExists(path),
  readFile: (path) => ts.sys.readFile(path),
  directoryExists: (path) => ts.sys.directoryExists(path),
  getDirectories: (path) => ts.sys.getDirectories(path),
  realpath: (path) => ts.sys.realpath?.(path) ?? path,
})

const hover = (name: string): string =>
  ts
    .displayPartsToString(service.getQuickInfoAtPosition(file, source.indexOf(name))?.displayParts)
    .replace(/\s+/g, ' ')

/** The messages that tsc prints, keyed by the line of code that causes them. */
const problems = new Map(
  service.getSemanticDiagnostics(file).map(({ start = 0, messageText }) => {
    const line = source.slice(source.lastIndexOf('\n', start) + 1, source.indexOf('\n', start))
    return [line, ts.flattenDiagnosticMessageText(messageText, '\n').split('\n')] as const
  }),
)
const problemOf = (start: string): readonly string[] =>
  [...problems].find(([line]) => line.startsWith(start))?.[1] ?? []

describe('an editor shows', () => {
  it.each([
    ['toolArgs', '(parameter) toolArgs: { city: string; }'],
    ['toolCtx', '(parameter) toolCtx: RequestContext<unknown, unknown, {}>'],
    ['askCtx', '(parameter) askCtx: RequestContext<unknown, unknown, { readonly sure: number; }>'],
    ['variables', '(parameter) variables: { day: string; to?: string; }'],
  ])('%s without the names of helper types', (name, shown) => {
    expect(hover(name)).toBe(shown)
  })
})

describe('an editor documents', () => {
  const documented = (name: string): string =>
    ts.displayPartsToString(service.getQuickInfoAtPosition(file, source.lastIndexOf(name))?.documentation)
  it.each([
    ['addTool', /^Adds a tool/],
    ['readOnly', /^Whether the tool has no effects/],
  ])('%s', (name, text) => {
    expect(documented(name)).toMatch(text)
  })
})

describe('the compiler', () => {
  const lacksLocals = /^ *Property 'locals' is missing in type '\{.*\}' but required in type/
  it.each([
    ['that toFetch lacks locals', 'toFetch(typed', lacksLocals],
    ['that the Hono middleware lacks locals', 'middleware({ server: typed', lacksLocals],
    ['that the node:http listener lacks locals', 'listener({ server: typed', lacksLocals],
    ['which option is meant', 'toFetch(server', /Did you mean to write 'allowedHosts'\?$/],
    ['that a tool has no execute', "server.addTool({ name: 'other'", /'execute' does not exist in type/],
    [
      'that a handler has no asks above it',
      "server.addTool({ name: 'late'",
      /^Property 'sure' does not exist on type 'NoAsksAboveHandler'/,
    ],
    [
      'that an object of schemas needs z.object',
      "server.addTool({ name: 'shape'",
      /^ *Type '\{ city: z\.ZodString; \}' is not assignable to type '"This is an object of schemas.* z\.object\(\{ … \}\)"'\.$/,
    ],
  ])('reports %s, in one readable line', (_, line, message) => {
    const said = problemOf(line)
    expect(said.length).toBeGreaterThan(0)
    expect(said.length).toBeLessThanOrEqual(2)
    expect(said.at(-1)).toMatch(message)
  })

  /**
   * Fastify has several signatures of `register`, so the compiler's message begins with the signature that it
   * tried last.
   */
  it.each([
    [
      'that the Fastify plugin lacks locals',
      '{ server: typed }',
      /^ *Property 'locals' is missing in type '.*' but required in type 'ServerWithLocals'\.$/,
    ],
    [
      'that the Fastify plugin with a selector lacks locals',
      "{ server: () => typed, path: '/selected' }",
      /^ *Property 'locals' is missing in type '.*' but required in type 'ServerWithLocals'\.$/,
    ],
    [
      'that the Fastify locals have a different type',
      "{ server: typed, locals: () => ({ usr: 'Ada' }) }",
      /^ *Property ''locals of the type that the server declares'' is missing in type '.*' but required/,
    ],
    [
      'which option of Fastify does not exist',
      "{ server, alowedHosts: ['x'] }",
      /^ *Object literal may only specify known properties, .*'alowedHosts'/,
    ],
    [
      'which option of Fastify does not exist beside locals',
      "{ server: typed, locals: () => ({ user: 'Ada' }), allowedHost: ['x'] }",
      /^ *Object literal may only specify known properties, .*'allowedHost'/,
    ],
    [
      'which option of Fastify does not exist beside locals that use the request',
      "{ server: typed, locals: (request) => ({ user: request.id }), allowedOrigin: ['x'] }",
      /^ *Object literal may only specify known properties, .*'allowedOrigin'/,
    ],
  ])('reports %s, in a readable last line', (_, given, message) => {
    const said = problemOf(`app.register(plugin, ${given})`)
    expect(said[0]).toBe('No overload matches this call.')
    expect(said.at(-1)).toMatch(message)
    expect(said.length).toBeLessThanOrEqual(5)
  })

  it('accepts a Fastify plugin whose options are correct', () => {
    expect(
      problemOf('app.register(plugin, { server: typed, locals: (request) => ({ user: request.id }) })'),
    ).toEqual([])
  })
})
