import type { Host } from '../../hosts/host.ts'
import { thisPlace } from '../../hosts/place.ts'
import { nearest } from '../../parse.ts'
import type { Terminal } from '../../terminal.ts'
import { examine } from '../examine.ts'
import type { Finding, Section } from '../finding.ts'
import type { Examination } from '../subject.ts'
import { secretsOf } from '../subject.ts'
import { fault, some, warning } from '../verdicts.ts'
import { readEntry } from './entry.ts'
import { checkLog } from './log.ts'
import { type HostEntry, type HostState, readHost } from './read-host.ts'

/** The findings, together with the values that must not be printed. */
export interface HostReport {
  readonly sections: readonly Section[]
  readonly secrets: readonly string[]
}

export interface HostExamination extends Examination {
  /** `--project` */
  readonly project: boolean
  readonly terminal: Terminal
}

/** Examines a host's files, and either all its servers or only the named one. */
export async function examineHost(
  host: Host,
  server: string | undefined,
  examination: HostExamination,
): Promise<HostReport> {
  const { terminal, project } = examination
  // If no server is named, users would be asked about every entry of a project, and would stop reading the
  // entries.
  const permission = { project, ask: server !== undefined }
  const state = await readHost(host, terminal)
  const entries = state.entries.filter(({ name }) => server === undefined || name === server)
  const sections = [...state.sections]
  const secrets = [...state.secrets]
  if (entries.length === 0) sections.push(...(await missing(host, server, state, terminal)))
  for (const entry of entries) {
    const { findings, subject } = await readEntry(entry, permission, terminal)
    const more = subject === undefined ? [] : await examine(subject, examination)
    if (subject !== undefined) secrets.push(...secretsOf(subject))
    const place = thisPlace(terminal.streams.env)
    const log = entry.replacedBy === undefined ? await checkLog(host, entry.name, place) : []
    sections.push({ name: nameOf(entry), findings: [...findings, ...more, ...log] })
  }
  return { sections, secrets }
}

const nameOf = ({ host, name }: HostEntry): string => `${host.id}:${name}`

async function missing(
  host: Host,
  server: string | undefined,
  { sections, entries }: HostState,
  { streams }: Terminal,
): Promise<readonly Section[]> {
  const finding = await missingFinding(host, server, entries, streams.env)
  if (server !== undefined) return [{ name: `${host.id}:${server}`, findings: [finding] }]
  // The findings about the files have already been added.
  return sections.length > 0 ? [] : [{ name: host.title, findings: [finding] }]
}

async function missingFinding(
  host: Host,
  server: string | undefined,
  entries: readonly HostEntry[],
  env: Terminal['streams']['env'],
): Promise<Finding> {
  const names = entries.map(({ name }) => name)
  const [file = ''] = host.files(thisPlace(env))
  if (server === undefined)
    return warning('file', `There is no file ${file}`, `Add a server: jetway install ${host.id} server.js`)
  const near = await nearest(server, names)
  const has = names.length === 0 ? 'no servers' : some(names)
  return fault(
    'entry',
    `${host.title} has no server ${server}. It has ${has}`,
    near === undefined
      ? `Add it: jetway install ${host.id} server.js --name ${server}`
      : `Did you mean ${host.id}:${near}?`,
  )
}
