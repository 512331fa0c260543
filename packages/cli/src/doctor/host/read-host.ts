import { existsSync } from 'node:fs'
import { isObject } from '../../formats/format.ts'
import type { Host } from '../../hosts/host.ts'
import { thisPlace } from '../../hosts/place.ts'
import { type HostList, listsOf } from '../../target/configured.ts'
import type { Terminal } from '../../terminal.ts'
import type { Finding, Section } from '../finding.ts'
import { fault, ok, some, warning } from '../verdicts.ts'
import { secretsIn } from '../../hosts/secrets.ts'
import { readContent, readOther, serverLists } from './content.ts'
import { misplacedFiles } from './misplaced.ts'

/** A server in a host's file. */
export interface HostEntry {
  readonly host: Host
  readonly name: string
  readonly list: HostList
  /** The entry as written in the file. */
  readonly raw: unknown
  /** The file whose entry of the same name takes precedence, if any. */
  readonly replacedBy?: string
}

/** The contents of all of a host's files. */
export interface HostState {
  /** One section for each file. */
  readonly sections: readonly Section[]
  /** The servers, starting with those in the nearest file. */
  readonly entries: readonly HostEntry[]
  /** Values that must not be printed. */
  readonly secrets: readonly string[]
}

const CHECK = 'file'

export async function readHost(host: Host, terminal: Terminal): Promise<HostState> {
  const lists = listsOf(host, terminal)
  const files = [...new Set(lists.map(({ file }) => file))]
  const entries: HostEntry[] = []
  const sections: Section[] = []
  const secrets: string[] = []
  for (const file of files) {
    const { finding, content } = await readFile(host, file)
    secrets.push(...secretsIn(content))
    for (const list of lists.filter((one) => one.file === file))
      entries.push(...entriesOf(host, list, content))
    const names = entries.filter(({ list }) => list.file === file).map(({ name }) => name)
    const findings = finding === undefined ? fileFindings(host, content, names) : [finding]
    sections.push({ name: `${host.title}: ${file}`, findings })
  }
  sections.push(...(await unreadFiles(host, terminal, entries)))
  return { sections, entries: withReplaced(inOrder(entries, lists)), secrets }
}

/** Returns whether the host is used on this machine. */
export const hasFiles = (host: Host, terminal: Terminal): boolean =>
  listsOf(host, terminal).length > 0 ||
  misplacedFiles(host, thisPlace(terminal.streams.env)).some((file) => existsSync(file))

async function readFile(
  host: Host,
  file: string,
): Promise<{ readonly finding?: Finding; readonly content?: unknown }> {
  try {
    return { content: await readContent(host, file) }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reason = code ?? message
    const evidence = `${host.title} cannot read it: ${reason}`
    return { finding: fault(CHECK, evidence, 'Correct it there. Until then, none of its servers is started') }
  }
}

function entriesOf(host: Host, list: HostList, content: unknown): readonly HostEntry[] {
  const servers = list.select(content)
  return isObject(servers) ? Object.entries(servers).map(([name, raw]) => ({ host, name, list, raw })) : []
}

function fileFindings({ key, title }: Host, content: unknown, names: readonly string[]): readonly Finding[] {
  const wrong = [...serverLists(content)].filter(([other]) => other !== key)
  if (wrong.length > 0)
    return wrong.map(([other, servers]) =>
      fault(
        CHECK,
        `${title} does not read "${other}", which has ${some(servers)}`,
        `Rename "${other}" to "${key}"`,
      ),
    )
  return [ok(CHECK, names.length === 0 ? 'It has no servers' : `It has ${some(names)}`)]
}

/** Reports files that contain servers but that the host does not read. */
async function unreadFiles(
  host: Host,
  { streams }: Terminal,
  entries: readonly HostEntry[],
): Promise<readonly Section[]> {
  const place = thisPlace(streams.env)
  // A host reads only the first of the user's files that exists.
  const [read = host.files(place)[0] ?? '', ...others] = host.files(place).filter((file) => existsSync(file))
  const known = new Set(entries.filter(({ list }) => !others.includes(list.file)).map(({ name }) => name))
  const sections: Section[] = []
  for (const file of [...others, ...misplacedFiles(host, place)]) {
    const lists = serverLists(await readOther(file, host.format))
    const names = [...lists.values()].flat().filter((name) => !known.has(name))
    if (names.length === 0) continue
    const advice = `Move them to ${read}, below "${host.key}"`
    const evidence = `${host.title} does not read this file, which has ${some(names)}`
    sections.push({ name: `${host.title}: ${file}`, findings: [fault(CHECK, evidence, advice)] })
  }
  return sections
}

const inOrder = (entries: readonly HostEntry[], lists: readonly HostList[]): readonly HostEntry[] =>
  entries.toSorted((a, b) => lists.indexOf(a.list) - lists.indexOf(b.list))

function withReplaced(entries: readonly HostEntry[]): readonly HostEntry[] {
  return entries.map((entry) => {
    const first = entries.find(({ name }) => name === entry.name)
    return first === undefined || first === entry ? entry : { ...entry, replacedBy: first.list.file }
  })
}

/** Reports an entry whose name also occurs in a file that takes precedence. */
export const replacedFinding = ({ host, name, list }: HostEntry, by: string): Finding =>
  warning(
    'entry',
    `${host.title} takes ${name} of ${by}, and not that of ${list.file}`,
    'Remove one of them, or rename it',
  )
