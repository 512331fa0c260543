/**
 * Runs a server's file: `node harness.js FILE [EXPORT]`. A file that exports an `McpServer` and does not serve it is served
 * over stdio. Reports over IPC how the server can be reached.
 */
import { Server } from 'node:net'
import { resolve } from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { serveStdio, type StdioServer } from '@jetway/stdio'
import type { HarnessReport } from './harness-report.ts'

const [file = '', exportName] = process.argv.slice(2)
let reported = false

function report(message: HarnessReport): void {
  if (reported) return
  reported = true
  // The channel must not keep a server running that has ended.
  process.send?.(message, () => process.channel?.unref())
}

/** A program that answers HTTP requests is reached over HTTP. Servers without them only look for a free port. */
const listen = Reflect.get(Server.prototype, 'listen') as (...args: never[]) => Server
Server.prototype.listen = function (this: Server, ...args: never[]): Server {
  this.once('listening', () => {
    const address = this.address()
    if (this.listenerCount('request') > 0 && address !== null && typeof address === 'object')
      report({ serves: 'http', port: address.port })
  })
  return Reflect.apply(listen, this, args)
}

/** A program that reads its input serves stdio. */
process.stdin.on('newListener', (event: string) => {
  if (event === 'data' || event === 'readable') report({ serves: 'stdio' })
})

// The file sees the arguments that it would see without this program.
const path = resolve(file)
process.argv.splice(1, process.argv.length - 1, path)

const exported = (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>
if (!reported) {
  const server = findServer(exported)
  if (server !== undefined) await serveStdio(server)
  else if (exportName !== undefined) report({ serves: 'nothing', exports: Object.keys(exported) })
}

function findServer(from: Readonly<Record<string, unknown>>): StdioServer | undefined {
  if (exportName !== undefined) return asServer(from[exportName])
  return [from['default'], from['server'], ...Object.values(from)]
    .map(asServer)
    .find((found) => found !== undefined)
}

/** Not `instanceof`: the file may have another copy of `@jetway/core`. */
function asServer(value: unknown): StdioServer | undefined {
  const server = value as Partial<StdioServer> | null | undefined
  return typeof server === 'object' && typeof server?.connect === 'function' && 'addTool' in server
    ? (server as StdioServer)
    : undefined
}
