import { homedir } from 'node:os'
import { basename, dirname, resolve } from 'node:path'
import { isObject, type JsonObject } from '@jetway/core/protocol'
import { ConfigFileError, parseJsonc, readNamedFile } from './config-file.ts'
import { type EntryContext, isDisabled, readEntry } from './server-entry.ts'
import { EntryError, expand } from './variables.ts'
import { answering, type AskForInput } from './inputs.ts'
import type { ServerConfig } from './server-config.ts'

/** A problem in a file. It does not contain values from the file. */
export interface ConfigProblem {
  /** `error` if the server is omitted, or `warning` if the field is ignored. */
  readonly severity: 'error' | 'warning'
  readonly server: string
  /** The field, such as `command` or `env.TOKEN`. Undefined if the problem concerns the whole server. */
  readonly field: string | undefined
  readonly message: string
}

/** The servers in a configuration file, and the problems with it. */
export interface LoadedConfig {
  /** The servers by name, in file order. */
  readonly servers: Readonly<Record<string, ServerConfig>>
  readonly disabled: readonly string[]
  readonly problems: readonly ConfigProblem[]
}

/** Options of `loadConfig`. */
export interface LoadConfigOptions {
  /** The values of `${VAR}` and `${env:VAR}`. @default the environment */
  readonly env?: Readonly<Record<string, string | undefined>>
  /**
   * The base of relative paths, the value of `${workspaceFolder}`, and the directory of processes without
   * `cwd`.
   *
   * @default the file's project for `.mcp.json` and files in `.vscode` and `.cursor`; otherwise the current
   * directory
   */
  readonly workspaceFolder?: string
  /** The value of `${userHome}`. @default the user's home directory */
  readonly userHome?: string
  /** Whether to keep `${…}` unexpanded, as hosts without variables do. @default false */
  readonly literal?: boolean
  /**
   * Parses the file's text, for example as YAML. The result must have a member `mcpServers` or `servers`.
   * Errors thrown by this function are rethrown unchanged.
   *
   * @default JSON, with comments and trailing commas
   */
  readonly parse?: (text: string) => unknown
  /**
   * Asks the user for `${input:…}`, one at a time. Without this function, only inputs with a default have a
   * value.
   */
  readonly input?: AskForInput
  /** The maximum size of the file and of each `envFile`, in bytes. @default 4 MiB */
  readonly maxBytes?: number
}

/** The keys that may contain the servers. VS Code uses `servers`. */
const LISTS = ['mcpServers', 'servers'] as const

/**
 * Loads the configuration files of Claude Desktop, Claude Code, Cursor, VS Code and other hosts that use
 * `mcpServers` or `servers`. Does not start any server. A server that cannot be used is reported as a problem.
 *
 * @throws ConfigFileError if the file cannot be read, is a named pipe or a device, is longer than `maxBytes`,
 * is not JSON, or has no list of servers
 */
export async function loadConfig(file: string, options: LoadConfigOptions = {}): Promise<LoadedConfig> {
  const { env = process.env, userHome = homedir(), maxBytes = 4 * 1024 * 1024 } = options
  const path = resolve(file)
  const text = await readNamedFile(path, maxBytes)
  const content = options.parse === undefined ? await parseJsonc(file, text) : options.parse(text)
  if (!isObject(content)) throw new ConfigFileError(file, 'is not an object')
  const project = options.workspaceFolder ?? projectOf(path, userHome)
  const workspaceFolder = project ?? process.cwd()
  const input = answering(content['inputs'], options.input)
  const variables = { env, userHome, workspaceFolder, input }
  return readServers(listsOf(file, content), {
    cwd: project,
    workspaceFolder,
    maxBytes,
    expand:
      options.literal === true
        ? (value) => Promise.resolve(value)
        : (value, place) => expand(value, place, variables),
  })
}

/**
 * Returns the project to which a file belongs, or undefined for a file outside projects, such as
 * `~/.cursor/mcp.json`.
 */
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
  if (!lists.every(isObject)) throw new ConfigFileError(file, 'has a list of servers that is not an object')
  return lists.flatMap((list) => Object.entries(list))
}

async function readServers(
  entries: readonly (readonly [name: string, entry: unknown])[],
  context: EntryContext,
): Promise<LoadedConfig> {
  const servers = new Map<string, ServerConfig>()
  const disabled: string[] = []
  const problems: ConfigProblem[] = []
  // The servers are read one after another, because each may ask the user.
  for (const [name, entry] of entries) {
    try {
      if (servers.has(name) || disabled.includes(name)) throw new EntryError(undefined, 'appears twice')
      if (!isObject(entry)) throw new EntryError(undefined, 'is not an object')
      if (isDisabled(entry)) {
        disabled.push(name)
        continue
      }
      const { config, unused } = await readEntry(entry, context)
      servers.set(name, config)
      problems.push(...unused.map((field) => problem('warning', name, field, 'is ignored')))
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
