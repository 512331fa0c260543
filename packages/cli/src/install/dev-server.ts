import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import process from 'node:process'
import { usageError } from '../errors.ts'
import type { LocalServer } from '../hosts/host.ts'
import { commandArguments } from '../own-files.ts'

/** The part of a command line that specifies a file and its arguments. */
export interface FileWords {
  /** A file or a URL. */
  readonly word: string | undefined
  /** The arguments after `--`. */
  readonly rest: readonly string[] | undefined
  /** With `--dev`, the name of the export that is the server. */
  readonly exportName?: string | undefined
}

/** Returns the program that runs `jetway dev` for a file over stdio, from any folder. @throws CliError `usage` */
export function devProgram({
  word,
  rest = [],
  exportName,
}: FileWords): Pick<LocalServer, 'command' | 'args'> {
  const file = resolve(word ?? '')
  if (word === undefined || !/\.[cm]?[jt]sx?$/i.test(file))
    throw usageError('--dev needs a file', 'Such as jetway install cursor src/server.ts --dev')
  if (!existsSync(file)) throw usageError(`The file ${word} does not exist`)
  const args = [
    ...commandArguments(),
    'dev',
    file,
    '--stdio',
    // The current folder is passed, because apps start servers in a different folder. It contains `.env`,
    // `tsconfig.json` and the files to which `--watch` refers.
    '--cwd',
    process.cwd(),
    ...(exportName === undefined ? [] : ['--export', exportName]),
    ...(rest.length === 0 ? [] : ['--', ...rest]),
  ]
  return { command: process.execPath, args }
}
