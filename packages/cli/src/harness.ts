/**
 * Runs a server's file: `node harness.js FILE [EXPORT]`. A file that exports an `McpServer` and does not serve it is served
 * over stdio. Reports over IPC how the server can be reached.
 */
import { resolve } from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { serveStdio } from '@jetway/stdio'
import type { HarnessReport } from './harness-report.ts'
import { ExportError, type Exports, findServer, servesNothing } from './server-file/find-server.ts'
import { watchServing } from './server-file/serving.ts'

const [file = '', exportName] = process.argv.slice(2)
let reported = false

function report(message: HarnessReport): void {
  if (reported) return
  reported = true
  // The channel must not keep a server running that has ended.
  process.send?.(message, () => process.channel?.unref())
}

/** Ends after the parent has read the report. */
function giveUp(message: HarnessReport): void {
  report(message)
  process.stdin.resume().once('end', () => process.exit(1))
}

const serving = watchServing(Number(process.env['PORT']))
void serving.input.then(() => report({ serves: 'stdio' }))
void serving.port.then((port) => report({ serves: 'http', port }))
process.once('beforeExit', () => {
  if (!reported) giveUp({ serves: 'nothing', ...servesNothing(file) })
})

// The file sees the arguments that it would see without this program.
const path = resolve(file)
process.argv.splice(1, process.argv.length - 1, path)

const exported = (await import(pathToFileURL(path).href)) as Exports
if (!serving.begun) {
  try {
    const server = findServer(file, exported, exportName)
    if (server !== undefined) await serveStdio(server)
  } catch (error) {
    if (!(error instanceof ExportError)) throw error
    giveUp({ serves: 'unclear', message: error.message, hint: error.hint })
  }
}
