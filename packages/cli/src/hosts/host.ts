import type { Entry, FormatName } from '../formats/format.ts'
import type { Place } from './place.ts'

/** What a host starts. `args` and `command` are absolute where they are paths. */
export interface LocalServer {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Variables that the server needs and whose values stay out of the file. */
  readonly references: readonly string[]
}

/** What a host connects to. */
export interface RemoteServer {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

export type InstalledServer = LocalServer | RemoteServer

export const isLocal = (server: InstalledServer): server is LocalServer => 'command' in server

/** A host whose configuration is a file. */
export interface Host {
  readonly id: string
  readonly title: string
  readonly format: FormatName
  /** The member of the file that has the servers. */
  readonly key: string
  /** The user's files. All are written that exist, or the first. */
  files(place: Place): readonly string[]
  /** The path of the project's file in the project. */
  readonly projectFile?: string
  /** The servers that the user's file has for one project. These come first. */
  ofProject?: (content: unknown, folder: string) => unknown
  /**
   * How an entry refers to a variable instead of having its value: `text` as in `${NAME}`, `members` by a member that has
   * the name. With `none`, it cannot.
   */
  readonly references: 'text' | 'members' | 'none'
  /** Undefined where the host takes no servers at a URL from its file. */
  remote?: (server: RemoteServer, name: string) => Entry
  local: (server: LocalServer, name: string) => Entry
  /** The usual form of an entry that the host reads. Absent where the host has that form. @throws CliError */
  read?: (entry: Entry, env: Place['env']) => Entry
  /** It runs in a terminal and gives its servers the user's environment. Other hosts are apps, with a short `PATH`. */
  readonly inTerminal?: true
  /** It reads its file with `JSON.parse`, which takes neither comments nor trailing commas. */
  readonly strictJson?: true
  /** What the user does next. */
  readonly next: string
  /** A link that installs the entry, for a README. */
  link?: (name: string, entry: Entry) => string
}

/** The members that the command sets. Others in an entry are the user's. */
export const OWNED_MEMBERS: readonly string[] = [
  'type',
  'command',
  'args',
  'cmd',
  'url',
  'uri',
  'serverUrl',
  'httpUrl',
]

/** The usual form of a local server. */
export const commandEntry = (
  { command, args, env, references }: LocalServer,
  reference: (variable: string) => string,
): Entry => {
  const all = { ...env, ...Object.fromEntries(references.map((name) => [name, reference(name)])) }
  return { command, args: [...args], ...(Object.keys(all).length > 0 && { env: all }) }
}

/** The variables of these names that are set. */
export const pick = (env: Place['env'], names: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])))

/** The usual form of headers: no member if there are none. */
export const headersMember = ({ headers }: RemoteServer): { readonly headers?: RemoteServer['headers'] } =>
  Object.keys(headers).length === 0 ? {} : { headers }
