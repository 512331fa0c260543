import { once } from 'node:events'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import type { McpServer } from '@jetway/core'
import { register } from 'tsx/esm/api'
import type { ChildJob, FromChild, ToChild } from './child-messages.ts'
import { watchListening } from './listening.ts'

/** Runs in the process that `jetway dev` starts: imports the file, and serves what it exports. */
export async function runServerProcess(text: string): Promise<void> {
  const job = JSON.parse(text) as ChildJob
  process.on('disconnect', () => process.exit(1))
  const imports = reportImports()
  register({ onImport: imports.add, ...(job.tsconfig === undefined ? {} : { tsconfig: job.tsconfig }) })
  const listening = watchListening(Number(process.env['PORT']), (port) =>
    send({ type: 'port-in-use', ...(port !== undefined && { port }) }),
  )
  const serve = await preload(job)
  const [message] = (await once(process, 'message')) as [ToChild]
  if (message.type !== 'start') return
  // The program may end by itself: neither the channel nor its listeners keep it running.
  process.channel?.unref()
  process.argv = [process.execPath, job.file, ...job.args]
  try {
    const module = (await import(pathToFileURL(job.file).href)) as Readonly<Record<string, unknown>>
    const server = findServer(module, job.exportName)
    if (server !== undefined && !isServed(server) && !listening.begun)
      send({ type: 'ready', ...(await serve(server)) })
    else if (job.transport === 'stdio') send({ type: 'ready' })
    else send({ type: 'ready', port: await listening.port })
  } catch (error) {
    // The missing file may be created later.
    const { code, url } = error as { readonly code?: unknown; readonly url?: unknown }
    if (code === 'ERR_MODULE_NOT_FOUND' && typeof url === 'string') imports.add(url)
    imports.flush()
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
    const failed: FromChild = { type: 'failed', message: stack, needsChange: isSyntaxError(error) }
    process.send?.(failed, () => process.exit(1))
  }
}

type Serve = (server: McpServer) => Promise<{ readonly port?: number }>

/** Loads the packages that serve a definition, before they are needed. */
async function preload({ file, transport }: ChildJob): Promise<Serve> {
  const { resolve } = createRequire(file)
  // Only packages that do nothing when they are imported.
  for (const name of ['@jetway/core', 'zod'])
    try {
      await import(pathToFileURL(resolve(name)).href)
    } catch {
      // The file does not use it, or imports it in another form.
    }
  if (transport === 'stdio') {
    const { serveStdio } = await import('@jetway/stdio')
    return async (server) => {
      promiseLists(server)
      await serveStdio(server)
      return {}
    }
  }
  const { mcp } = await import('@jetway/node')
  return async (server) => {
    promiseLists(server)
    const mount = mcp({ server })
    const http = createServer(mount).listen(0, '127.0.0.1')
    process.once('SIGTERM', () => void mount.close().then(() => process.exit(0)))
    await once(http, 'listening')
    return { port: (http.address() as AddressInfo).port }
  }
}

/** Clients learn at the start of a session which lists may change, so all must be promised. */
function promiseLists(server: McpServer): void {
  const none = (): [] => []
  server.observe({
    tools: none,
    resources: none,
    resourceTemplates: none,
    prompts: none,
    onChange: () => () => {},
  })
}

function findServer(
  module: Readonly<Record<string, unknown>>,
  name: string | undefined,
): McpServer | undefined {
  if (name !== undefined) {
    const named = module[name]
    if (isServer(named)) return named
    throw new Error(`The file has no McpServer as its export "${name}"`)
  }
  const servers = Object.values(module).filter(isServer)
  return isServer(module['default']) ? module['default'] : servers[0]
}

const isServer = (value: unknown): value is McpServer =>
  typeof value === 'object' &&
  value !== null &&
  'runtime' in value &&
  'addTool' in value &&
  'connect' in value

const isServed = (server: McpServer): boolean => server.stats().mounts > 0

const isSyntaxError = (error: unknown): boolean =>
  error instanceof SyntaxError ||
  (error instanceof Error && (error.name === 'TransformError' || 'errors' in error))

/** Reports imported files in batches. */
function reportImports(): { readonly add: (url: string) => void; readonly flush: () => void } {
  let urls: string[] = []
  let scheduled = false
  const flush = (): void => {
    scheduled = false
    if (urls.length > 0) send({ type: 'imported', urls })
    urls = []
  }
  return {
    flush,
    add(url) {
      if (!url.startsWith('file:') || url.includes('/node_modules/')) return
      urls.push(url)
      if (scheduled) return
      scheduled = true
      setImmediate(flush)
    },
  }
}

function send(message: FromChild): void {
  if (process.connected) process.send?.(message)
}
