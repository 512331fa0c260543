/** How the server in a file is selected: `list` and `dev` use the same rule and report the same errors. */
import { startNode } from '@jetway-apps/test-support/processes'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CLIENTS, type Target } from '../dev/support/clients.ts'
import { createProject, jetway, TRANSPORTS } from '../dev/support/project.ts'

const HEAD = `import { createServer } from 'node:http'
import { createServer as createNetServer } from 'node:net'
import { McpServer } from '@jetway/core'
import { mcp } from '@jetway/node'
import { serveStdio } from '@jetway/stdio'
function named(name: string): McpServer {
  const server = new McpServer({ name, version: '1.0.0' })
  server.addTool({ name, handler: () => name })
  return server
}
const listen = (server: McpServer) => createServer(mcp({ server })).listen(process.env.PORT, '127.0.0.1')
`

interface Run {
  readonly output: string
  readonly exitCode: number | null
}

async function list(code: string, ...args: readonly string[]): Promise<Run> {
  const { file } = await createProject(HEAD + code)
  const { exited, output } = startNode([...jetway(), 'list', file, ...args])
  const exitCode = await exited
  return { output: output.stdout + output.stderr, exitCode }
}

/** Resolves to the tools that a client of `jetway dev` receives. */
async function dev(transport: string, code: string, ...args: readonly string[]): Promise<readonly string[]> {
  const target = await TRANSPORTS[transport]?.(await createProject(HEAD + code), ...args)
  const client = await CLIENTS['Jetway, without']?.(target as Target)
  onTestFinished(() => client?.close())
  return (await client?.tools()) ?? []
}

/** Each definition serves a server with the tool `right`. */
const DEFINITIONS: readonly (readonly [string, string, ...string[]])[] = [
  ['the named export', "export default named('x'); export const b = named('right')", '--export', 'b'],
  ['the default export', "export const server = named('x'); export default named('right')"],
  ['the export `server`', "export const a = named('x'); export const server = named('right')"],
  ['the only server', "export const a = named('right'); export const b = a, timeout = 1_000"],
]

describe.each(DEFINITIONS)('a server exported by %s', (_, code, ...args) => {
  it('appears in jetway list', async () =>
    expect((await list(code, ...args)).output).toMatch(/^ {2}right\(\)$/m))
  it('is served by jetway dev over stdio', async () =>
    expect(await dev('stdio', code, ...args)).toEqual(['right']))
  it('is served by jetway dev over HTTP', async () =>
    expect(await dev('HTTP', code, ...args)).toEqual(['right']))
})

it('jetway list stops an HTTP program as soon as the lists have arrived', async () => {
  // A program that waits for the end of its stdin would print this line.
  const { output, exitCode } = await list(`listen(named('right'))
process.stdin.resume().once('end', () => setTimeout(() => console.error('was left running'), 1_000))`)
  expect(output).toMatch(/^ {2}right\(\)$/m)
  expect(output).not.toContain('was left running')
  expect(exitCode).toBe(0)
})

const SERVERS = "export const other = named('other'), right = named('right')\n"

/** These programs serve on their own, so their exports do not matter. */
const OVER_STDIO: readonly (readonly [string, string])[] = [
  ['that serves one of its exports', `${SERVERS}await serveStdio(right)`],
  ['whose import does not end', `${SERVERS}serveStdio(right); await new Promise(() => {})`],
  [
    'that looks for a free port first',
    `const probe = createNetServer().listen(0, () => probe.close(() => serveStdio(named('right'))))`,
  ],
]
const OVER_HTTP: readonly (readonly [string, string])[] = [
  ['that serves one of its exports', `${SERVERS}listen(right)`],
  [
    'that listens later',
    `${SERVERS}const handler = mcp({ server: right })
setTimeout(() => createServer(handler).listen(process.env.PORT, '127.0.0.1'), 50)`,
  ],
  [
    'that serves something else first',
    `createServer((_, response) => response.end()).listen(0, '127.0.0.1', () => listen(named('right')))`,
  ],
]

describe.each(OVER_STDIO)('a stdio program %s', (_, code) => {
  it('is found by jetway list', async () => expect((await list(code)).output).toMatch(/^ {2}right\(\)$/m))
  it('is found by jetway dev', async () => expect(await dev('stdio', code)).toEqual(['right']))
})

describe.each(OVER_HTTP)('an HTTP program %s', (_, code) => {
  it('is found by jetway list', async () => expect((await list(code)).output).toMatch(/^ {2}right\(\)$/m))
  it('is found by jetway dev', async () => expect(await dev('HTTP', code)).toEqual(['right']))
})

/** The fault of a file, its code, the exit code of `list`, the error, and the options. */
const FAULTS: readonly (readonly [string, string, number, RegExp, readonly string[]])[] = [
  [
    'the named export is not a server',
    'export const a = 1, b = 2; setInterval(() => {}, 1_000)',
    2,
    /server\.ts exports no McpServer as a\nIt exports a, b/,
    ['--export', 'a'],
  ],
  [
    'it exports several servers',
    "export const a = named('a'), b = named('b')",
    2,
    /server\.ts exports several servers: a, b\nChoose one with --export/,
    [],
  ],
  [
    'it has no server',
    'export const a = 1',
    4,
    /server\.ts exports no McpServer of @jetway\/core, and serves nothing\nExport an McpServer, or serve one/,
    [],
  ],
]

describe.each(FAULTS)(
  'a file from which no server can be selected: %s',
  (_, code, exitCode, message, args) => {
    it('makes jetway list fail', async () => {
      const run = await list(code, ...args)
      expect(run.output).toMatch(message)
      expect(run.exitCode).toBe(exitCode)
    })

    it.each([['--stdio'], ['--port=0']])(
      'makes jetway dev %s wait until the file changes',
      async (transport) => {
        const running = (await createProject(HEAD + code)).dev(transport, ...args)
        await running.until(new RegExp(`${message.source}.*\nWaiting for a change`))
      },
    )
  },
)
