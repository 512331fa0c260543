import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import process from 'node:process'
import { askForInput } from '@jetway-apps/terminal'
import {
  ConfigFileError,
  loadConfig,
  type LoadConfigOptions,
  type LoadedConfig,
  type ServerConfig,
} from '@jetway/client/config'
import { askerFor } from '../ask.ts'
import { CliError, usageError } from '../errors.ts'
import { formatOf } from '../formats/format-of.ts'
import { isObject } from '../formats/format.ts'
import { findHost } from '../hosts/find-host.ts'
import type { Host } from '../hosts/host.ts'
import { thisPlace } from '../hosts/place.ts'
import type { Terminal } from '../terminal.ts'
import { requireAllowed } from './project-servers.ts'
import { MAX_BYTES } from '../regular-file.ts'
import { unknownName } from '../unknown-name.ts'

/** Finds a server in `--config FILE`: the one named by `--server`, or the only one. @throws CliError */
export async function findInConfig(
  file: string,
  server: string | undefined,
  terminal: Terminal,
): Promise<ServerConfig> {
  const loaded = await load(file, terminal)
  const names = Object.keys(loaded.servers)
  const [only] = names
  if (server === undefined && (only === undefined || names.length > 1))
    throw usageError(`${file} has ${names.length} servers`, `Name one: --server ${names.join(' or ')}`)
  const name = server ?? only ?? ''
  if (!knows(loaded, name)) throw await unknownName('The server', name, names)
  return pick(loaded, name, file)
}

/**
 * Finds a host's server, such as `cursor:weather`. The user's own entry takes precedence over a project's
 * entry.
 *
 * @param project - whether the user trusts the project's files
 * @throws CliError, for example if the user does not agree to start a project's server
 */
export async function findInHost(
  id: string,
  server: string,
  project: boolean,
  terminal: Terminal,
): Promise<ServerConfig> {
  const host = await findHost(id)
  const known: string[] = []
  const lists = listsOf(host, terminal)
  for (const list of [...lists.filter(isUsers), ...lists.filter((each) => !isUsers(each))]) {
    const servers = await readServers(host, list, terminal)
    known.push(...Object.keys(servers))
    if (!Object.hasOwn(servers, server)) continue
    const { file, ofProject, workspaceFolder: folder = process.cwd() } = list
    const entry = servers[server]
    if (ofProject) await requireAllowed({ name: `${id}:${server}`, file, entry, folder }, project, terminal)
    return pick(await loadOne({ host, list, name: server, raw: entry }, terminal), server, file)
  }
  throw await unknownName(`The server of ${id}`, server, [...new Set(known)])
}

/** A list of servers in a host's file. */
export interface HostList {
  readonly file: string
  readonly select: (content: unknown) => unknown
  /** The folder to which paths are relative. */
  readonly workspaceFolder?: string
  /** Whether the file belongs to the project in the current folder rather than to the user. */
  readonly ofProject: boolean
}

const isUsers = ({ ofProject }: HostList): boolean => !ofProject

/** Returns the existing lists, in order of precedence. */
export function listsOf(host: Host, { streams }: Terminal): readonly HostList[] {
  const { key, projectFile } = host
  const folder = process.cwd()
  const users = host.files(thisPlace(streams.env))
  const select = (content: unknown): unknown => (isObject(content) ? content[key] : undefined)
  const lists: readonly HostList[] = [
    ...users.map((file) => ({
      file,
      select: (content: unknown) => host.ofProject?.(content, folder),
      workspaceFolder: folder,
      ofProject: false,
    })),
    // In the home folder, the project's file is also the user's file.
    ...(projectFile === undefined || users.includes(join(folder, projectFile))
      ? []
      : [{ file: join(folder, projectFile), select, workspaceFolder: folder, ofProject: true }]),
    ...users.map((file) => ({ file, select, ofProject: false })),
  ]
  return lists.filter(({ file }) => existsSync(file))
}

/** Reads the entries of a list as they are written in the file. */
async function readServers(
  host: Host,
  { file, select }: HostList,
  terminal: Terminal,
): Promise<Readonly<Record<string, unknown>>> {
  const syntax = await formatOf(host.format)
  let servers: unknown
  await load(file, terminal, {
    parse(text) {
      servers = select(syntax.parse(text))
      return { mcpServers: {} }
    },
  })
  return isObject(servers) ? servers : {}
}

/** A server in one of a host's lists. */
export interface ListedServer {
  readonly host: Host
  readonly list: HostList
  readonly name: string
  /** The entry as it was previously read from the file. */
  readonly raw: unknown
}

/**
 * Loads only one server from a list, because other servers could ask the user for inputs.
 *
 * @throws CliError if the entry has changed since it was read, because the user agreed to the previous entry
 */
export async function loadOne(
  { host, list: { file, select, workspaceFolder }, name: server, raw }: ListedServer,
  terminal: Terminal,
): Promise<LoadedConfig> {
  const syntax = await formatOf(host.format)
  const { env } = terminal.streams
  return load(file, terminal, {
    ...(workspaceFolder !== undefined && { workspaceFolder }),
    literal: host.references !== 'text',
    parse(text) {
      const content = syntax.parse(text)
      const list = select(content)
      if (!isObject(list) || !Object.hasOwn(list, server)) return { mcpServers: {} }
      const entry = list[server]
      if (JSON.stringify(entry) !== JSON.stringify(raw))
        throw new CliError('failed', `${file} has changed meanwhile`, { hint: 'Run the command again' })
      const usual = isObject(entry) ? (host.read?.(entry, env) ?? entry) : entry
      return {
        mcpServers: { [server]: usual },
        inputs: isObject(content) ? content['inputs'] : undefined,
      }
    },
  })
}

async function load(
  file: string,
  terminal: Terminal,
  options: LoadConfigOptions = {},
): Promise<LoadedConfig> {
  try {
    const { interactive } = terminal
    return await loadConfig(resolve(file), {
      env: terminal.streams.env,
      userHome: thisPlace(terminal.streams.env).home,
      maxBytes: MAX_BYTES,
      ...(interactive && { input: (input) => askerFor(terminal).use((asker) => askForInput(asker, input)) }),
      ...options,
    })
  } catch (error) {
    if (error instanceof ConfigFileError) throw new CliError('failed', error.message, { cause: error })
    if (error instanceof SyntaxError)
      throw new CliError('failed', `${file} cannot be read: ${error.message}`, { cause: error })
    throw error
  }
}

const knows = ({ servers, disabled, problems }: LoadedConfig, name: string): boolean =>
  Object.hasOwn(servers, name) ||
  disabled.includes(name) ||
  problems.some(({ severity, server }) => severity === 'error' && server === name)

/** @throws CliError for a server that is disabled or invalid */
export function pick(loaded: LoadedConfig, name: string, file: string): ServerConfig {
  const found = Object.hasOwn(loaded.servers, name) ? loaded.servers[name] : undefined
  if (found !== undefined) return found
  if (loaded.disabled.includes(name))
    throw new CliError('failed', `The server ${name} is disabled in ${file}`)
  const problem = loaded.problems.find(({ server }) => server === name)
  throw new CliError('failed', `${problem?.message ?? `The server ${name} cannot be read`} (${file})`)
}
