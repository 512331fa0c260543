/**
 * Runs a server's file: `node harness.js FILE EXPORT [ARGUMENTS]`, where EXPORT may be empty. Serves an exported `McpServer`
 * over stdio unless the file serves it. Reports over IPC how the file serves.
 */
import { createServer } from 'node:http'
import { resolve } from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import type { Servable } from '@jetway/core/http'
import { serveStdio } from '@jetway/stdio'
import type { HarnessReport } from './harness-report.ts'
import { ExportError, type Exports, findServer, servesNothing } from './server-file/find-server.ts'
import { importFailure } from './server-file/import-failure.ts'
import { watchServing } from './server-file/serving.ts'

const [file = '', exportName = '', ...args] = process.argv.slice(2)
let reported = false
/** The name of the export that this process serves. */
let definition: string | undefined

function report(message: HarnessReport): void {
  if (reported) return
  reported = true
  // The IPC channel must not keep a finished server running.
  process.send?.(message, () => process.channel?.unref())
}

/** Exits the process after the parent has read the report. */
function giveUp(message: HarnessReport): void {
  report(message)
  process.stdin.resume().once('end', () => process.exit(1))
}

const serving = watchServing(Number(process.env['PORT']))
void serving.input.then(() => report({ serves: 'stdio', ...(definition !== undefined && { definition }) }))
void serving.port.then((port) => report({ serves: 'http', port }))
process.once('beforeExit', () => {
  if (!reported) giveUp({ serves: 'nothing', ...servesNothing(file) })
})

// The file receives the arguments that it would receive if it were run directly.
const path = resolve(file)
process.argv.splice(1, process.argv.length - 1, path, ...args)

async function importFile(): Promise<Exports | undefined> {
  try {
    return (await import(pathToFileURL(path).href)) as Exports
  } catch (error) {
    const failure = importFailure(path, error)
    if (failure === undefined) throw error
    giveUp({ serves: 'nothing', ...failure })
    return undefined
  }
}

const exported = await importFile()
if (exported !== undefined && !serving.begun) {
  try {
    const server = findServer(file, exported, exportName === '' ? undefined : exportName)
    if (server !== undefined) {
      definition = Object.keys(exported).find((name) => exported[name] === server)
      if ('connect' in server) await serveStdio(server)
      else {
        // A server of `@jetway/core/edge` has no connections, so it is served over HTTP.
        const { mcp } = await import('@jetway/node')
        const edge: Servable = server
        createServer(mcp({ server: edge })).listen(Number(process.env['PORT']), '127.0.0.1')
      }
    }
  } catch (error) {
    if (!(error instanceof ExportError)) throw error
    giveUp({ serves: 'unclear', message: error.message, hint: error.hint })
  }
}
