import process from 'node:process'
import { fileURLToPath } from 'node:url'
import type { McpServer } from '@jetway/core'
import {
  type Adapter,
  type AppFlag,
  type Command,
  CommandLineError,
  type HttpSettings,
  readCommandLine,
  type ServerSettings,
  usage,
} from './command-line.ts'
import { freePort } from './free-port.ts'
import { endOnSignal } from './graceful-end.ts'
import { type Listening, type ListenOptions, PATH } from './http-server.ts'
import { listTools } from './list-tools.ts'
import { type SampleCall, welcome } from './welcome.ts'

const DEFAULT_PORT = 3000

export interface App {
  readonly name: string
  /** The `import.meta.url` of the file that was started. */
  readonly entry: string
  /** The arguments, without the interpreter and the file. */
  readonly argv: readonly string[]
  /** The app's own options. */
  readonly flags?: Readonly<Record<string, AppFlag>>
  /** The example call in the welcome message. */
  readonly sample: SampleCall
  create(settings: ServerSettings): McpServer | Promise<McpServer>
  /** Called after the server has closed, before the process exits. */
  closed?(): Promise<void>
}

/**
 * Runs an app over stdio, or over HTTP on Fastify or Hono. Over HTTP, when the app is listening, it writes one
 * line of JSON to stderr for programs, and a welcome message to stdout for people. If the command line is
 * invalid, the app prints the reason to stderr, and exits with code 2.
 */
export async function runApp(app: App): Promise<void> {
  try {
    await run(app, readCommandLine(app.argv, app.flags ?? {}))
  } catch (error) {
    process.exitCode = isUsersMistake(error) ? 2 : 1
    const message = error instanceof Error ? error.message : String(error)
    console.error(`${app.name}: ${message}${process.exitCode === 2 ? '\nTry --help.' : ''}`)
  }
}

async function run(app: App, command: Command): Promise<void> {
  if (command.run === 'help') {
    console.log(usage(app.name, app.flags ?? {}))
    return
  }
  const server = await app.create(command.server)
  if (command.run === 'http') return serveHttp(app, server, command.http)
  const { serveUntilEnd } = await import('./serve-stdio.ts')
  await serveUntilEnd(server, () => app.closed?.())
}

async function serveHttp(app: App, server: McpServer, settings: HttpSettings): Promise<void> {
  const listening = await listen(server, settings)
  endOnSignal(async () => {
    await listening.stop()
    await app.closed?.()
  })
  const url = `http://${reachable(settings.host)}:${listening.port}${PATH}`
  const tools = await listTools(server)
  const { name, sample } = app
  console.log(
    welcome({ name, url, adapter: settings.adapter, tools, sample, entry: fileURLToPath(app.entry) }),
  )
  console.error(JSON.stringify({ ready: true, url }))
}

async function listen(server: McpServer, settings: HttpSettings): Promise<Listening> {
  const { host, port } = settings
  const serve = await loadAdapter(settings.adapter)
  try {
    return await serve(server, { ...settings, port: port ?? (await freePort(DEFAULT_PORT, host)) })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new Error(
      `Port ${port} of ${host} is taken. Choose another with --port, or a free one with --port 0.`,
      { cause: error },
    )
  }
}

/** Imports only what is needed, because starting over stdio must not load two web frameworks. */
async function loadAdapter(
  adapter: Adapter,
): Promise<(server: McpServer, listen: ListenOptions) => Promise<Listening>> {
  if (adapter === 'hono') return (await import('./serve-hono.ts')).serveHono
  return (await import('./serve-fastify.ts')).serveFastify
}

/**
 * Returns the host to use in a URL. Clients cannot connect to wildcard addresses, and IPv6 addresses need
 * brackets.
 */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

function isUsersMistake(error: unknown): boolean {
  if (error instanceof CommandLineError) return true
  // A command line can cause only one error of this kind, by naming an unknown revision in `--revisions`.
  return error instanceof Error && 'code' in error && error.code === 'ERR_MCP_REVISION'
}
