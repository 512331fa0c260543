import { existsSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { CliError, usageError } from '../errors.ts'
import { nearest } from '../parse.ts'
import type { Terminal } from '../terminal.ts'
import type { Entry } from '../formats/format.ts'
import { type Host, type InstalledServer, isLocal, type LocalServer } from '../hosts/host.ts'
import { HOSTS } from '../hosts/index.ts'
import { type Place, thisPlace } from '../hosts/place.ts'
import { nameFor, serverFrom, type ServerWords } from './server.ts'

/** The options of install and uninstall that say what is meant. */
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
  force: { type: 'boolean', help: 'change an entry of another server, too' },
  'dry-run': { type: 'boolean', help: 'print the changes, and make none' },
} as const

export interface ServerArguments {
  readonly values: {
    readonly name?: string
    readonly env?: readonly string[]
    readonly header?: readonly string[]
    readonly project?: boolean
  }
  readonly positionals: readonly string[]
  readonly rest: readonly string[] | undefined
}

/** What a command line asks for. */
export interface HostRequest {
  readonly host: Host
  readonly name: string
  /** Undefined without a target. */
  readonly server: InstalledServer | undefined
  readonly entry: Entry | undefined
  /** The files to edit. */
  readonly paths: readonly string[]
}

/** @throws CliError */
export async function hostRequest(
  { values, positionals, rest }: ServerArguments,
  { streams: { env } }: Terminal,
): Promise<HostRequest> {
  const [id, word, unexpected] = positionals
  if (unexpected !== undefined) throw usageError(`There is one target; ${unexpected} is another word`)
  const host = await findHost(id)
  const words: ServerWords = { word, rest, env: values.env ?? [], headers: values.header ?? [] }
  const server = withValues(host, serverFrom(words, env['PATH']), env)
  const name = nameFor(values.name, words)
  return {
    host,
    name,
    server,
    entry: server === undefined ? undefined : entryOf(host, server, name),
    paths: pathsOf(host, values.project === true, thisPlace(env)),
  }
}

async function findHost(id: string | undefined): Promise<Host> {
  const ids = HOSTS.map((host) => host.id)
  const list = `Name one of: ${ids.join(', ')}`
  if (id === undefined) throw usageError('There is no host', list)
  const host = HOSTS.find((one) => one.id === id)
  if (host !== undefined) return host
  const near = await nearest(id, ids)
  throw usageError(`The host ${id} is unknown`, near === undefined ? list : `Did you mean ${near}?`)
}

/** For a host without references, the values must be in the file. @throws CliError `usage` if there is none */
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

/** All files that exist, since it is not known which one is read; else the first one. */
function pathsOf(host: Host, project: boolean, place: Place): readonly string[] {
  if (project) {
    if (host.projectFile === undefined) throw usageError(`${host.title} has no files of projects`)
    return [join(process.cwd(), host.projectFile)]
  }
  const all = host.files(place)
  const existing = all.filter((path) => existsSync(path))
  return existing.length > 0 ? existing : all.slice(0, 1)
}
