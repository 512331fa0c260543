import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import type { McpServer } from '@jetway/core'
import { register } from 'tsx/esm/api'
import { ExportError, type Exports, findServer, servesNothing } from '../../server-file/find-server.ts'
import { type ImportFailure, importFailure } from '../../server-file/import-failure.ts'
import { type Serving, watchServing } from '../../server-file/serving.ts'
import type { ChildJob, FromChild, ToChild } from './child-messages.ts'

/** Runs in the process that `jetway dev` starts: imports the file, and serves what it exports. */
export async function runServerProcess(text: string): Promise<void> {
  const job = JSON.parse(text) as ChildJob
  process.on('disconnect', () => process.exit(1))
  const imports = reportImports()
  const packages = commonPackages(job.file)
  // With tsx's hooks, imports take twice as long.
  await preload(packages.filter(isInstalled))
  register({ onImport: imports.add, ...(job.tsconfig === undefined ? {} : { tsconfig: job.tsconfig }) })
  await preload(packages)
  const serving = watchServing(Number(process.env['PORT']), (port) =>
    send({ type: 'port-in-use', ...(port !== undefined && { port }) }),
  )
  const serve = await loadServe(job.transport)
  const [message] = (await once(process, 'message')) as [ToChild]
  if (message.type !== 'start') return
  // Neither the IPC channel nor its listeners may keep a program running.
  process.channel?.unref()
  process.argv = [process.execPath, job.file, ...job.args]
  reportServing(job, serving)
  try {
    const exported = (await import(pathToFileURL(job.file).href)) as Exports
    const server = serving.begun ? undefined : findServer(job.file, exported, job.exportName)
    if (server !== undefined) send({ type: 'ready', ...(await serve(server)) })
    else if (job.transport === 'stdio') setTimeout(() => send({ type: 'ready' }), UNNOTICED_MS).unref()
  } catch (error) {
    // The file does not exist, but it may be created later.
    const { code, url } = error as { readonly code?: unknown; readonly url?: unknown }
    if (code === 'ERR_MODULE_NOT_FOUND' && typeof url === 'string') imports.add(url)
    imports.flush()
    fail(error, importFailure(job.file, error))
  }
}

/**
 * The time, in ms, after which a program counts as ready even if it does not read stdin itself, such as a
 * wrapper.
 */
const UNNOTICED_MS = 200

/** Reports when a program serves on its own, or exits without serving. */
function reportServing({ file, transport }: ChildJob, serving: Serving): void {
  if (transport === 'stdio') void serving.input.then(() => send({ type: 'ready' }))
  else void serving.port.then((port) => send({ type: 'ready', port }))
  process.once('beforeExit', () => {
    if (serving.begun) return
    const { message, hint } = servesNothing(file)
    fail(new ExportError(message, hint))
  })
}

function fail(error: unknown, failure?: ImportFailure): void {
  const failed: FromChild = {
    type: 'failed',
    message: failure === undefined ? describe(error) : `${failure.message}\n${failure.hint}`,
    needsChange: error instanceof ExportError || failure !== undefined,
  }
  process.send?.(failed, () => process.exit(1))
}

function describe(error: unknown): string {
  if (error instanceof ExportError) return `${error.message}\n${error.hint}`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

type Serve = (server: McpServer) => Promise<{ readonly port?: number }>

/** Returns the URLs of packages that most files import and that have no side effects. */
function commonPackages(file: string): readonly string[] {
  return ['@jetway/core', 'zod'].flatMap((name) => {
    try {
      // The second argument of `import.meta.resolve` requires a Node.js flag, which the parent process sets.
      return [import.meta.resolve(name, pathToFileURL(file))]
    } catch {
      return []
    }
  })
}

const isInstalled = (url: string): boolean => url.includes('/node_modules/')

async function preload(urls: readonly string[]): Promise<void> {
  for (const url of urls)
    try {
      await import(url)
    } catch {
      // If the file needs this package, importing the file will report the error.
    }
}

/** Imports the packages that serve a definition. */
async function loadServe(transport: ChildJob['transport']): Promise<Serve> {
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

/**
 * Declares `listChanged` for all lists, because clients learn which lists may change only at the start of a
 * session.
 */
function promiseLists(server: McpServer): void {
  // A server of `@jetway/core/edge` observes nothing.
  if (!('observe' in server)) return
  const none = (): [] => []
  server.observe({
    tools: none,
    resources: none,
    resourceTemplates: none,
    prompts: none,
    onChange: () => () => {},
  })
}

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
