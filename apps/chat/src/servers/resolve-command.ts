import { extname } from 'node:path'
import process from 'node:process'
import type { StdioServer } from '@jetway/client/config'
import { UsageError } from '../errors.ts'

/** How this process was started from TypeScript's sources, its servers are too: both find packages in the same place. */
const CONDITIONS = process.execArgv.filter((arg) => /^(?:-C|--conditions)=/.test(arg))

/**
 * The command that runs a server's script, by its extension.
 *
 * @throws UsageError for an extension that says nothing
 */
export function resolveCommand(path: string, platform: NodeJS.Platform = process.platform): StdioServer {
  switch (extname(path).toLowerCase()) {
    case '.ts':
    case '.mts':
    case '.cts':
    case '.tsx':
      return {
        command: process.execPath,
        args: [...CONDITIONS, '--import', import.meta.resolve('tsx'), path],
      }
    case '.js':
    case '.mjs':
    case '.cjs':
      return { command: process.execPath, args: [...CONDITIONS, path] }
    case '.py':
      return { command: platform === 'win32' ? 'python' : 'python3', args: [path] }
    case '.jar':
      return { command: 'java', args: ['-jar', path] }
    default:
      throw new UsageError(
        `A server is a .ts, .js, .mjs, .cjs, .py or .jar file, an address, or a .json file: ${path}`,
      )
  }
}
