import process from 'node:process'
import type { ServerConfig } from '@jetway/client/config'
import { CliError } from '../../errors.ts'
import { loadOne, pick } from '../../target/configured.ts'
import {
  describeEntry,
  isAllowed,
  type Permission,
  type ProjectServer,
} from '../../target/project-servers.ts'
import type { Terminal } from '../../terminal.ts'
import type { Finding } from '../finding.ts'
import { subjectOf, type Subject } from '../subject.ts'
import { fault, ok, skipped } from '../verdicts.ts'
import { type HostEntry, replacedFinding } from './read-host.ts'

const CHECK = 'entry'

/** The findings about an entry, and the entry's server if it can be examined. */
export interface ReadEntry {
  readonly findings: readonly Finding[]
  readonly subject?: Subject
}

/** @param permission - decides whether a server in a project's file may be used */
export async function readEntry(
  entry: HostEntry,
  permission: Permission,
  terminal: Terminal,
): Promise<ReadEntry> {
  const { host, name, list, raw, replacedBy } = entry
  if (replacedBy !== undefined) return { findings: [replacedFinding(entry, replacedBy)] }
  const literal = host.references === 'none' ? literalFinding(entry) : undefined
  if (literal !== undefined) return { findings: [literal] }
  const { workspaceFolder: folder = process.cwd() } = list
  const server = { name: `${host.id}:${name}`, file: list.file, entry: raw, folder }
  if (list.ofProject && !(await isAllowed(server, permission, terminal)))
    return { findings: [untrustedFinding(server)] }
  let config: ServerConfig
  try {
    const loaded = await loadOne(entry, terminal)
    if (loaded.disabled.includes(name)) return { findings: [skipped(CHECK, 'It is disabled')] }
    config = pick(loaded, name, list.file)
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    return { findings: [problemFinding(error, list.file)] }
  }
  if ('url' in config && host.remote === undefined)
    return {
      findings: [
        fault(
          CHECK,
          `${host.title} takes no "url" from its file`,
          'Remove it, and add the URL in the app: Settings, Connectors',
        ),
      ],
    }
  return { findings: [ok(CHECK, list.file)], subject: subjectIn(entry, config) }
}

const untrustedFinding = (server: ProjectServer): Finding =>
  skipped(
    CHECK,
    `${server.file} is a file of this project. Add --project if you trust what it starts: ${describeEntry(server)}`,
  )

/**
 * Reports an entry that cannot be loaded. This command does not know the values that a host requests from the
 * user.
 */
const problemFinding = ({ message }: CliError, file: string): Finding =>
  /needs the input \S+: /.test(message)
    ? skipped(CHECK, 'It needs an input of the host. Run this in a terminal to give it')
    : fault(CHECK, message, `Correct the entry in ${file}`)

/** Reports references in an entry if the host passes them to the server as plain text. */
function literalFinding({ host, raw }: HostEntry): Finding | undefined {
  const [, name] = /\$\{(?:env:)?(\w+)/.exec(JSON.stringify(raw)) ?? []
  if (name === undefined) return undefined
  return fault(
    CHECK,
    `${host.title} passes the reference to ${name} as it is, and not its value`,
    `Write the value of ${name}, or let the server read it from a file`,
  )
}

function subjectIn({ host, name, list }: HostEntry, config: ServerConfig): Subject {
  const subject = subjectOf({ kind: 'server', config })
  const named = { ...subject, name: `${host.id}:${name}` }
  if (named.kind !== 'program') return named
  const { ofProject } = list
  return { ...named, ofProject, startedBy: host.inTerminal === true ? 'terminal' : 'app' }
}
