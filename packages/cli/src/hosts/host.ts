import type { Entry, FormatName } from '../formats/format.ts'
import type { Place } from './place.ts'

/** A program that a host starts. Paths in `args` and `command` are absolute. */
export interface LocalServer {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Variables that the server needs. Their values are not stored in the file. */
  readonly references: readonly string[]
}

/** A URL to which a host connects. */
export interface RemoteServer {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

export type InstalledServer = LocalServer | RemoteServer

export const isLocal = (server: InstalledServer): server is LocalServer => 'command' in server

/** A host that is configured with a file. */
export interface Host {
  readonly id: string
  readonly title: string
  readonly format: FormatName
  /** The member of the file that contains the servers. */
  readonly key: string
  /** Returns the paths of the user's files. All existing files are written, or the first one if none exists. */
  files(place: Place): readonly string[]
  /** The path of the project's file, relative to the project. */
  readonly projectFile?: string
  /** Returns the servers in the user's file that apply only to one project. They take precedence. */
  ofProject?: (content: unknown, folder: string) => unknown
  /**
   * How an entry refers to an environment variable: `text` means `${NAME}` in a string, `members` means a
   * member that contains the name, and `none` means that references are not supported, so the entry must
   * contain the value itself.
   */
  readonly references: 'text' | 'members' | 'none'
  /** Converts a server at a URL to an entry. Undefined if the host's file does not support such servers. */
  remote?: (server: RemoteServer, name: string) => Entry
  local: (server: LocalServer, name: string) => Entry
  /**
   * Converts one of the host's entries to the usual format. Absent if the host uses that format. @throws
   * CliError
   */
  read?: (entry: Entry, env: Place['env']) => Entry
  /**
   * Whether the host runs in a terminal and passes on the user's environment. Other hosts are apps with a short
   * `PATH`.
   */
  readonly inTerminal?: true
  /** Whether the host uses `JSON.parse`, which accepts neither comments nor trailing commas. */
  readonly strictJson?: true
  /** The next step for the user after installation. */
  readonly next: string
  /** Returns a link that installs the entry. It is meant for a README. */
  link?: (name: string, entry: Entry) => string
}

/** The members that this command sets. All others belong to the user. */
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

/** Returns a local server in the usual format. */
export const commandEntry = (
  { command, args, env, references }: LocalServer,
  reference: (variable: string) => string,
): Entry => {
  const all = { ...env, ...Object.fromEntries(references.map((name) => [name, reference(name)])) }
  return { command, args: [...args], ...(Object.keys(all).length > 0 && { env: all }) }
}

/** Returns only the named variables that are set. */
export const pick = (env: Place['env'], names: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])))

/** Returns headers in the usual format. The member is omitted if there are no headers. */
export const headersMember = ({ headers }: RemoteServer): { readonly headers?: RemoteServer['headers'] } =>
  Object.keys(headers).length === 0 ? {} : { headers }
