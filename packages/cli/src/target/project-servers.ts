import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { askerFor } from '../ask.ts'
import { CliError } from '../errors.ts'
import { isObject } from '../formats/format.ts'
import { settingsFolder, thisPlace } from '../hosts/place.ts'
import { maskEntry } from '../hosts/secrets.ts'
import { readRegularFile } from '../regular-file.ts'
import { printable, type Terminal } from '../terminal.ts'

/**
 * An entry in a project's file. Its command was chosen by the author of the project, which may be a cloned
 * repository.
 */
export interface ProjectServer {
  /** The target's name, such as `cursor:weather`. */
  readonly name: string
  readonly file: string
  /** The entry as it is written in the file. */
  readonly entry: unknown
  /** The folder to which the entry's paths are relative. */
  readonly folder?: string
}

export interface Permission {
  /** `--project`: whether the user trusts the project. */
  readonly project: boolean
  /** Whether to prompt the user when a terminal is available. */
  readonly ask: boolean
}

/**
 * Returns whether a project's server may be started or contacted. This is the case if the user has set
 * `--project`, or has seen the entry and agreed. The agreement is valid until the entry changes.
 *
 * @see https://modelcontextprotocol.io/community/seps/1024
 */
export async function isAllowed(
  server: ProjectServer,
  { project, ask }: Permission,
  terminal: Terminal,
): Promise<boolean> {
  if (project) return true
  const file = allowedFile(terminal)
  const variables = envFileOf(server)
  const digest = digestOf(server, variables)
  if ((await readAllowed(file)).includes(digest)) return true
  if (!ask || !terminal.interactive || !(await hasAgreed(server, variables, terminal))) return false
  // The content may change without changing the digest if the file is unknown.
  if (variables !== 'unknown') await remember(file, digest)
  return true
}

/** @throws CliError if the server may not be started */
export async function requireAllowed(
  server: ProjectServer,
  project: boolean,
  terminal: Terminal,
): Promise<void> {
  if (await isAllowed(server, { project, ask: true }, terminal)) return
  throw new CliError('failed', `${server.name} was not started: ${server.file} is a file of this project`, {
    hint: `Add --project if you trust what it starts: ${describeEntry(server)}`,
  })
}

/** Returns the entry as JSON that is safe to print. The values of variables and headers are omitted. */
export const describeEntry = ({ entry }: ProjectServer): string =>
  printable(JSON.stringify(isObject(entry) ? maskEntry(entry) : entry) ?? '')

/**
 * Returns the content of the entry's `envFile`. It matters because variables can make the command load other
 * code. Returns `unknown` if only the configuration loader can find the file.
 */
function envFileOf({ entry, file, folder = dirname(file) }: ProjectServer): string | undefined {
  const path = isObject(entry) ? entry['envFile'] : undefined
  if (path === undefined) return undefined
  const known = typeof path === 'string' ? path.replaceAll('${workspaceFolder}', folder) : '${'
  if (known.includes('${')) return 'unknown'
  try {
    return new TextDecoder().decode(readRegularFile(resolve(folder, known)))
  } catch {
    return 'unknown'
  }
}

async function hasAgreed(
  server: ProjectServer,
  variables: string | undefined,
  terminal: Terminal,
): Promise<boolean> {
  const question = `${printable(server.file)} is a file of this project, and defines ${printable(server.name)}:
${printable(JSON.stringify(server.entry, undefined, 2) ?? '')}${variables === undefined ? '' : `\nIts envFile contains:\n${printable(variables)}`}
Its command runs with your rights, and its URL receives the variables that it names.
Do you trust it? y/N > `
  const answer = await askerFor(terminal).use((asker) => asker.ask(question))
  return /^y(?:es)?$/i.test(answer?.trim() ?? '')
}

/** The maximum number of remembered agreements. The oldest is forgotten first. */
const MAX_ALLOWED = 1_000

const allowedFile = ({ streams }: Terminal): string =>
  join(settingsFolder(thisPlace(streams.env)), 'jetway', 'project-servers.json')

/**
 * The digest includes the file, because a relative path in the same entry refers to a different program in
 * another project.
 */
const digestOf = ({ file, name, entry }: ProjectServer, variables: string | undefined): string =>
  createHash('sha256')
    .update(JSON.stringify([file, name, entry, variables]))
    .digest('hex')

async function readAllowed(file: string): Promise<readonly string[]> {
  try {
    const digests: unknown = JSON.parse(await readFile(file, 'utf8'))
    return Array.isArray(digests) ? digests.filter((digest) => typeof digest === 'string') : []
  } catch {
    return []
  }
}

async function remember(file: string, digest: string): Promise<void> {
  const digests = [...(await readAllowed(file)), digest].slice(-MAX_ALLOWED)
  const temporary = `${file}.${randomUUID()}.tmp`
  await mkdir(dirname(file), { recursive: true })
  await writeFile(temporary, JSON.stringify(digests), { mode: 0o600 })
  await rename(temporary, file)
}
