import { existsSync } from 'node:fs'
import { basename, dirname, extname, isAbsolute, join, resolve } from 'node:path'
import process from 'node:process'
import { CliError, usageError } from '../errors.ts'
import type { InstalledServer, LocalServer, RemoteServer } from '../hosts/host.ts'
import { isObject } from '../formats/format.ts'
import { readRegularFile } from '../regular-file.ts'
import { findProgram } from '../start/find-program.ts'
import { belongsToVersion } from '../start/short-lived.ts'
import { devProgram, type FileWords } from './dev-server.ts'

/** The part of a command line that specifies a server. */
export interface ServerWords extends FileWords {
  /** `NAME=value`, or `NAME` for a reference. */
  readonly env: readonly string[]
  /** `Name: value` */
  readonly headers: readonly string[]
  /** Whether `jetway dev` runs the file, with the arguments after `--`. */
  readonly dev: boolean
}

const JAVASCRIPT = ['.js', '.mjs', '.cjs']
const TYPESCRIPT = ['.ts', '.mts', '.cts']

/**
 * Returns the server that a host should start or connect to. Undefined if no target was given. @throws CliError
 * `usage`
 */
export function serverFrom(words: ServerWords, path: string | undefined): InstalledServer | undefined {
  const { word, rest } = words
  if (words.dev) return { ...devProgram(words), ...environment(words.env) }
  if (word !== undefined && rest !== undefined)
    throw usageError('There are two targets', `Remove ${word}, or the command after --`)
  if (word === undefined && rest === undefined) return undefined
  if (word !== undefined && /^https?:\/\//i.test(word)) return remote(word, words)
  if (words.headers.length > 0)
    throw usageError('--header needs a URL', 'A local server gets its values with --env')
  const [command, ...args] = word === undefined ? (rest ?? []) : programOf(word)
  if (command === undefined) throw usageError('There is no command after --')
  return {
    ...startable(process.platform, { name: command, path: absolute(command, path), args }),
    ...environment(words.env),
  }
}

/**
 * Returns the command that a host uses to start a program. On Windows, hosts that run on Node.js can start
 * `npx.cmd` only through `cmd`. The name is passed to `cmd` instead of the path, because the correct quoting of
 * a path with spaces would depend on the arguments.
 */
export const startable = (
  platform: NodeJS.Platform,
  { name, path, args }: { readonly name: string; readonly path: string; readonly args: readonly string[] },
): Pick<LocalServer, 'command' | 'args'> =>
  platform === 'win32' && /\.(?:cmd|bat)$/i.test(path)
    ? { command: 'cmd', args: ['/c', name, ...args] }
    : { command: path, args }

/**
 * Returns a server for a link. The link must work on every machine and contain no secrets. @throws CliError
 * `usage`
 */
export function remoteOrCommand(words: ServerWords): InstalledServer {
  const { word, rest, env, headers } = words
  if (headers.length > 0 || env.some((text) => text.includes('=')))
    throw usageError('A link must have no secrets', 'Give --env without a value, and no --header')
  if (word !== undefined && /^https?:\/\//i.test(word)) return remote(word, words)
  const [command, ...args] = rest ?? []
  if (word !== undefined || command === undefined)
    throw usageError('A link is for other machines', 'Name a URL, or a command such as -- npx -y package')
  return { command, args, ...environment(env) }
}

function remote(url: string, { env, headers }: ServerWords): RemoteServer {
  if (!URL.canParse(url)) throw usageError(`${url} is not a valid URL`)
  if (env.length > 0) throw usageError('--env needs a local server', 'A URL gets its values with --header')
  return { url, headers: Object.fromEntries(headers.map(parseHeader)) }
}

function parseHeader(text: string): readonly [string, string] {
  const [, name, value] = /^([^:\s]+):\s*(.+)$/.exec(text) ?? []
  if (name === undefined || value === undefined)
    throw usageError(
      '--header has another form than Name: value',
      "Such as --header 'Authorization: Bearer …'",
    )
  return [name, value]
}

/** Resolves programs to absolute paths, because apps have a minimal `PATH`. */
function programOf(word: string): readonly string[] {
  const file = resolve(word)
  if (!existsSync(file))
    throw usageError(`The file ${word} does not exist`, 'Name a file, a URL, or a command after --')
  const extension = extname(file).toLowerCase()
  if (TYPESCRIPT.includes(extension) && !runsTypeScript())
    throw usageError(
      `${word} is TypeScript, which this Node.js does not run`,
      'Build it, and install the JavaScript file',
    )
  if (![...JAVASCRIPT, ...TYPESCRIPT].includes(extension))
    throw usageError(`${word} is not a JavaScript file`, 'Name the command that starts it, after --')
  return [process.execPath, file]
}

const runsTypeScript = (): boolean =>
  Boolean((process.features as { readonly typescript?: unknown }).typescript)

/** @throws CliError `usage` if the program is not found */
function absolute(command: string, path: string | undefined): string {
  if (isAbsolute(command)) return command
  if (/[\\/]/.test(command)) return resolve(command)
  const found = findProgram(command, path)
  if (found !== undefined) return found
  throw usageError(`The program ${command} is not in PATH`, 'Name it by its absolute path')
}

function environment(given: readonly string[]): Pick<LocalServer, 'env' | 'references'> {
  const env: Record<string, string> = {}
  const references: string[] = []
  for (const text of given) {
    const [, name, , value] = /^([A-Za-z_][A-Za-z0-9_]*)(=([\s\S]*))?$/.exec(text) ?? []
    if (name === undefined) throw usageError('--env has another form than NAME=value or NAME')
    if (value === undefined) references.push(name)
    else env[name] = value
  }
  return { env, references }
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/

/**
 * Returns the name of an entry: the given name, or one derived from the package, from the URL's host or from
 * the file.
 * @throws CliError
 */
export function nameFor(given: string | undefined, { word, rest }: ServerWords): string {
  const name = given ?? derivedName(word, rest)
  if (name === undefined) throw usageError('There is no name for the server', 'Choose one with --name')
  if (!NAME.test(name))
    throw usageError(`The name ${name} must be 1 to 64 letters, digits, - or _`, 'Choose one with --name')
  return name
}

function derivedName(word: string | undefined, rest: readonly string[] | undefined): string | undefined {
  if (word === undefined)
    return rest === undefined ? undefined : basename(rest[0] ?? '').replace(/\.(?:exe|cmd|bat)$/i, '')
  if (/^https?:\/\//i.test(word))
    return URL.canParse(word) ? new URL(word).hostname.replaceAll('.', '-') : undefined
  return packageName(dirname(resolve(word))) ?? basename(word, extname(word))
}

/** Returns the name of the nearest package without its scope. */
function packageName(folder: string): string | undefined {
  const manifest = join(folder, 'package.json')
  if (existsSync(manifest)) {
    const name = manifestName(manifest)
    if (typeof name === 'string') return name.replace(/^@[^/]*\//, '').replaceAll('.', '-')
  }
  const parent = dirname(folder)
  return parent === folder ? undefined : packageName(parent)
}

/** @throws CliError if the manifest cannot be read */
function manifestName(manifest: string): unknown {
  try {
    const content: unknown = JSON.parse(readRegularFile(manifest).toString())
    return isObject(content) ? content['name'] : undefined
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'it is not valid JSON' : (error as Error).message
    throw new CliError('failed', `Cannot read ${manifest}: ${reason}`, {
      cause: error,
      hint: 'Choose a name for the server with --name',
    })
  }
}

export function pathWarnings(server: InstalledServer): readonly string[] {
  if (!('command' in server)) return []
  return [server.command, ...server.args]
    .filter(belongsToVersion)
    .map((path) => `${path} belongs to a version or a cache. Install again after an update`)
}
