import { existsSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { CliError, usageError } from '../errors.ts'
import type { Terminal } from '../terminal.ts'
import type { Entry } from '../formats/format.ts'
import { type Host, type InstalledServer, isLocal, type LocalServer } from '../hosts/host.ts'
import { type Place, thisPlace } from '../hosts/place.ts'
import { isPresent } from '../hosts/presence.ts'
import { throughWsl, type WindowsSide, windowsSide } from '../hosts/wsl.ts'
import { hostOf } from './ask-host.ts'
import { nameFor, serverFrom, type ServerWords } from './server.ts'

/** The options shared by `install` and `uninstall`. */
export const SERVER_OPTIONS = {
  name: {
    type: 'string',
    placeholder: 'NAME',
    help: "the server's name in the host (default: that of its package)",
  },
  env: {
    type: 'string',
    placeholder: 'NAME[=VALUE]',
    multiple: true,
    help: 'a variable of the server; without a value, the entry refers to yours. May be repeated',
  },
  header: {
    type: 'string',
    placeholder: "'K: V'",
    multiple: true,
    help: 'a header for a URL; may be repeated',
  },
  project: { type: 'boolean', help: "edit the file of the current folder's project" },
  dev: {
    type: 'boolean',
    help: 'the entry runs jetway dev, so that the host stays connected while you edit',
  },
  export: { type: 'string', placeholder: 'NAME', help: 'with --dev: the export that is the server' },
  force: { type: 'boolean', help: 'change an entry of another server, too' },
  'dry-run': { type: 'boolean', help: 'print the changes, and make none' },
} as const

export interface ServerArguments {
  readonly values: {
    readonly name?: string
    readonly env?: readonly string[]
    readonly header?: readonly string[]
    readonly project?: boolean
    readonly dev?: boolean
    readonly export?: string
  }
  readonly positionals: readonly string[]
  readonly rest: readonly string[] | undefined
}

/** The request as parsed from a command line. */
export interface HostRequest {
  readonly host: Host
  readonly name: string
  /** The server. Undefined if no target was given. */
  readonly server: InstalledServer | undefined
  readonly entry: Entry | undefined
  /** The files to edit. */
  readonly paths: readonly string[]
  /** The name of this Linux distribution, if this is WSL and the host is on Windows. */
  readonly distribution: string | undefined
}

/** @throws CliError */
export async function hostRequest(
  { values, positionals, rest }: ServerArguments,
  terminal: Terminal,
): Promise<HostRequest> {
  const { env } = terminal.streams
  const found = await hostOf(positionals, terminal)
  const { host } = found
  const [word, unexpected] = found.words
  if (unexpected !== undefined) throw usageError(`There is one target; ${unexpected} is another word`)
  const words: ServerWords = {
    word,
    rest,
    env: values.env ?? [],
    headers: values.header ?? [],
    dev: values.dev === true,
    exportName: values.export,
  }
  const server = withValues(host, serverFrom(words, env['PATH']), env)
  const name = nameFor(values.name, words)
  const place = thisPlace(env)
  const windows = values.project === true || isPresent(host, place) ? undefined : windowsHost(host, place)
  const started = server !== undefined && windows !== undefined ? onWindows(server, windows) : server
  return {
    host,
    name,
    server,
    entry: started === undefined ? undefined : entryOf(host, started, name),
    paths: windows?.paths ?? (values.project === true ? [projectPath(host)] : pathsOf(host.files(place))),
    distribution: windows?.side.distribution,
  }
}

interface WindowsHost {
  readonly side: WindowsSide
  readonly paths: readonly string[]
}

/** In WSL, finds a host that is installed on Windows. */
function windowsHost(host: Host, place: Place): WindowsHost | undefined {
  const side = windowsSide(place)
  if (side === undefined || !isPresent(host, side.place)) return undefined
  return { side, paths: pathsOf(host.files(side.place).map(side.mounted)) }
}

const onWindows = (server: InstalledServer, { side }: WindowsHost): InstalledServer =>
  isLocal(server) ? throughWsl(server, side) : server

/**
 * Adds the values of variables, for a host that does not support references.
 *
 * @throws CliError `usage` if a variable is not set
 */
function withValues(
  { references, title }: Host,
  server: InstalledServer | undefined,
  own: Terminal['streams']['env'],
): InstalledServer | undefined {
  if (server === undefined || !isLocal(server) || references !== 'none') return server
  const values = server.references.map((name) => {
    const value = own[name]
    if (value === undefined)
      throw usageError(`The variable ${name} is not set`, `${title} needs its value: --env ${name}=VALUE`)
    return [name, value] as const
  })
  return {
    ...server,
    env: { ...server.env, ...Object.fromEntries(values) },
    references: [],
  } satisfies LocalServer
}

function entryOf(host: Host, server: InstalledServer, name: string): Entry {
  if (isLocal(server)) return host.local(server, name)
  if (host.remote !== undefined) return host.remote(server, name)
  throw new CliError('failed', `${host.title} takes no URL from its file`, {
    hint: 'Add it in the app: Settings, Connectors',
  })
}

function projectPath({ projectFile, title }: Host): string {
  if (projectFile === undefined) throw usageError(`${title} has no files of projects`)
  return join(process.cwd(), projectFile)
}

/**
 * Returns all existing files, because it is not known which one the host reads. If none exists, returns the
 * first one.
 */
function pathsOf(all: readonly string[]): readonly string[] {
  const existing = all.filter((path) => existsSync(path))
  return existing.length > 0 ? existing : all.slice(0, 1)
}
