import { homedir } from 'node:os'
import { basename, dirname, resolve } from 'node:path'
import { isObject, type JsonObject } from '@jetway/core/protocol'
import { ConfigFileError, parseJsonc, readTextFile } from './config-file.ts'
import { type EntryContext, isDisabled, readEntry } from './entries.ts'
import { EntryError } from './entry-error.ts'
import { answering, type AskForInput } from './inputs.ts'
import type { ServerConfig } from './server-config.ts'

/** Something in a file that does not count, or that one server cannot be used for. It repeats no value of the file's. */
export interface ConfigProblem {
  /** With `error` the server is not among the `servers`; with `warning` it is, without what the message names. */
  readonly severity: 'error' | 'warning'
  readonly server: string
  /** Such as `command`, or `env.TOKEN`; undefined for the server as a whole. */
  readonly field: string | undefined
  /** For people: names the server and the field. */
  readonly message: string
}

/** What a file has. */
export interface LoadedConfig {
  /** By the names of the file, in its order. */
  readonly servers: Readonly<Record<string, ServerConfig>>
  /** Names of servers that the file has switched off. */
  readonly disabled: readonly string[]
  readonly problems: readonly ConfigProblem[]
}

/** Options of {@link loadConfig}. */
export interface LoadConfigOptions {
  /** What `${VAR}` and `${env:VAR}` stand for. @default the environment of this process */
  readonly env?: Readonly<Record<string, string | undefined>>
  /**
   * What `${workspaceFolder}` stands for, what relative paths begin at, and where processes run that say nothing else.
   *
   * @default the project that the file is in, for `.mcp.json` and for files in `.vscode` and `.cursor`; for others this
   *   process's own folder, and processes run wherever it does
   */
  readonly workspaceFolder?: string
  /** What `${userHome}` stands for. @default the home folder of whoever runs this process */
  readonly userHome?: string
  /** Asks the user for `${input:…}`, one input after the other, each once. Without it inputs have their defaults alone. */
  readonly input?: AskForInput
  /** How long the file may be, and each `envFile`. @default 4 MiB */
  readonly maxBytes?: number
}

/** The words for the list of servers: VS Code has one of its own. */
const LISTS = ['mcpServers', 'servers'] as const

/**
 * Reads the servers of a host's configuration file: Claude Desktop, Claude Code, Cursor, VS Code, and whoever writes
 * `mcpServers` or `servers` as they do. Nothing is started; a server that cannot be used is a problem, and no
 * obstacle to the others.
 *
 * @throws ConfigFileError where the file cannot be read, is longer than `maxBytes`, is no JSON or lists no servers
 */
export async function loadConfig(file: string, options: LoadConfigOptions = {}): Promise<LoadedConfig> {
  const { env = process.env, userHome = homedir(), maxBytes = 4 * 1024 * 1024 } = options
  const path = resolve(file)
  const content = await parseJsonc(file, await readTextFile(path, maxBytes))
  if (!isObject(content)) throw new ConfigFileError(file, 'is no object: it has no servers')
  const project = options.workspaceFolder ?? projectOf(path, userHome)
  const workspaceFolder = project ?? process.cwd()
  const input = answering(content['inputs'], options.input)
  return readServers(listsOf(file, content), {
    cwd: project,
    maxBytes,
    variables: { env, userHome, workspaceFolder, input },
  })
}

/** The folder that a file is about. One in the home folder's own `.cursor` is about none. */
function projectOf(path: string, userHome: string): string | undefined {
  const folder = dirname(path)
  if (basename(path) === '.mcp.json') return folder
  const isOfProject =
    ['.vscode', '.cursor'].includes(basename(folder)) && dirname(folder) !== resolve(userHome)
  return isOfProject ? dirname(folder) : undefined
}

function listsOf(file: string, content: JsonObject): readonly (readonly [name: string, entry: unknown])[] {
  const lists = LISTS.map((name) => content[name]).filter((list) => list !== undefined)
  if (lists.length === 0) throw new ConfigFileError(file, 'has neither mcpServers nor servers')
  if (!lists.every(isObject))
    throw new ConfigFileError(file, 'lists its servers as something other than an object')
  return lists.flatMap((list) => Object.entries(list))
}

async function readServers(
  entries: readonly (readonly [name: string, entry: unknown])[],
  context: EntryContext,
): Promise<LoadedConfig> {
  const servers = new Map<string, ServerConfig>()
  const disabled: string[] = []
  const problems: ConfigProblem[] = []
  // One after the other: each may ask the user something.
  for (const [name, entry] of entries) {
    try {
      if (servers.has(name) || disabled.includes(name)) throw new EntryError(undefined, 'is there twice')
      if (!isObject(entry)) throw new EntryError(undefined, 'is no object')
      if (isDisabled(entry)) {
        disabled.push(name)
        continue
      }
      const { config, unused } = await readEntry(entry, context)
      servers.set(name, config)
      problems.push(...unused.map((field) => problem('warning', name, field, 'does nothing here')))
    } catch (error) {
      if (!(error instanceof EntryError)) throw error
      problems.push(problem('error', name, error.field, error.message))
    }
  }
  return { servers: Object.fromEntries(servers), disabled, problems }
}

const problem = (
  severity: ConfigProblem['severity'],
  server: string,
  field: string | undefined,
  what: string,
): ConfigProblem => ({
  severity,
  server,
  field,
  message: `The server ${JSON.stringify(server)}${field === undefined ? '' : `: ${field}`} ${what}`,
})
