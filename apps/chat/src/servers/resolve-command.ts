import { extname } from 'node:path'
import process from 'node:process'
import type { StdioServer } from '@jetway/client/config'
import { UsageError } from '../errors.ts'

/**
 * The `--conditions` flags are passed on, so that this process and its servers resolve packages in the same
 * way.
 */
const CONDITION_FLAGS = process.execArgv.filter((arg) => /^(?:-C|--conditions)=/.test(arg))

/**
 * Returns the command for a server's script, based on its extension.
 *
 * @throws UsageError for an unknown extension
 */
export function resolveCommand(path: string, platform: NodeJS.Platform = process.platform): StdioServer {
  switch (extname(path).toLowerCase()) {
    case '.ts':
    case '.mts':
    case '.cts':
    case '.tsx':
      return {
        command: process.execPath,
        args: [...CONDITION_FLAGS, '--import', import.meta.resolve('tsx'), path],
      }
    case '.js':
    case '.mjs':
    case '.cjs':
      return { command: process.execPath, args: [...CONDITION_FLAGS, path] }
    case '.py':
      return { command: platform === 'win32' ? 'python' : 'python3', args: [path] }
    case '.jar':
      return { command: 'java', args: ['-jar', path] }
    default:
      throw new UsageError(
        `Cannot start ${path}: a server is a .ts, .js, .mjs, .cjs, .py or .jar file, a URL, or a .json configuration file`,
      )
  }
}
