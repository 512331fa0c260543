import { existsSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import process from 'node:process'
import type { ServerConfig } from '@jetway/client/config'
import type { Arguments } from '../command.ts'
import { usageError } from '../errors.ts'
import type { Terminal } from '../terminal.ts'
import { findInConfig, findInHost } from './configured.ts'
import { withHeaders } from './headers.ts'
import type { TargetOptions } from './options.ts'

/** The server named on a command line. */
export type Target =
  | { readonly kind: 'file'; readonly path: string; readonly exportName: string | undefined }
  | {
      readonly kind: 'server'
      readonly config: ServerConfig
      /** Whether a configuration file names the program. If so, the program may come from a stranger. */
      readonly ofFile?: boolean
    }

/** A target, and the positional arguments that are not part of it. */
export interface FoundTarget {
  readonly target: Target
  readonly positionals: readonly string[]
}

/** The extensions of files that are run as programs. */
const SCRIPTS = ['.ts', '.mts', '.cts', '.tsx', '.js', '.mjs', '.cjs']

/** @throws CliError `usage` if the target is missing or does not exist */
export async function findTarget(args: Arguments<TargetOptions>, terminal: Terminal): Promise<FoundTarget> {
  const { values, positionals, rest } = args
  if (values.server !== undefined && values.config === undefined)
    throw usageError('--server needs --config', 'Name the file: --config FILE --server NAME')
  const named = await findNamed(args, terminal)
  if (named !== undefined)
    return {
      target: {
        kind: 'server',
        config: withHeaders(named, values, terminal),
        ofFile: values.config !== undefined,
      },
      positionals,
    }
  if (rest !== undefined) throw usageError('There is no command after --')
  const [first, ...others] = positionals
  if (first === undefined) throw usageError('There is no target', 'Name a file, a URL, or a command after --')
  return { target: await findByWord(first, args, terminal), positionals: others }
}

/** Finds the server given by `--` or `--config`. */
async function findNamed(
  { values, rest }: Arguments<TargetOptions>,
  terminal: Terminal,
): Promise<ServerConfig | undefined> {
  const [command, ...args] = rest ?? []
  if (values.config !== undefined) {
    if (rest !== undefined) throw usageError('Set either --config or a command after --, not both')
    return findInConfig(values.config, values.server, terminal)
  }
  // The user's environment is passed to a command that the user typed.
  return command === undefined ? undefined : { command, args, inheritEnv: 'all' }
}

async function findByWord(
  word: string,
  { values }: Arguments<TargetOptions>,
  terminal: Terminal,
): Promise<Target> {
  // `URL.canParse` would also accept Windows paths such as c:\server.ts.
  if (/^https?:\/\//i.test(word)) {
    if (!URL.canParse(word))
      throw usageError(`${word} is not a valid URL`, 'Use one such as http://127.0.0.1:3000/mcp')
    return { kind: 'server', config: withHeaders({ url: word }, values, terminal) }
  }
  const path = resolve(word)
  if (existsSync(path)) return findFile(word, path, values.export)
  const [, host, name] = /^([a-z][a-z-]+):(.+)$/.exec(word) ?? []
  if (host !== undefined && name !== undefined)
    return {
      kind: 'server',
      config: withHeaders(await findInHost(host, name, values.project === true, terminal), values, terminal),
      ofFile: true,
    }
  throw usageError(`The file ${word} does not exist`, 'Name a file, a URL, or a command after --')
}

function findFile(word: string, path: string, exportName: string | undefined): Target {
  const extension = extname(path).toLowerCase()
  if (SCRIPTS.includes(extension)) return { kind: 'file', path, exportName }
  if (['.json', '.jsonc'].includes(extension))
    throw usageError(
      `${word} is not a server`,
      `For a server in a configuration file: --config ${word} --server NAME`,
    )
  if (extension === '.py')
    return {
      kind: 'server',
      config: {
        command: process.platform === 'win32' ? 'python' : 'python3',
        args: [path],
        inheritEnv: 'all',
      },
    }
  throw usageError(
    `${word} is not a TypeScript or JavaScript file`,
    'Name the command that starts it, after --',
  )
}
