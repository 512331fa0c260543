import type { ImportCost } from './imports.ts'
import type { SessionMemory } from './session-memory.ts'
import type { FirstAnswer } from './stdio-bench.ts'
import type { Compared, Row, Table } from './summary.ts'

/** The results of one run. */
export interface Report {
  readonly machine: string
  readonly tables: readonly Table[]
  readonly imports: readonly ImportCost[]
  readonly firstAnswers: readonly FirstAnswer[]
  readonly memory: readonly SessionMemory[]
}

/** Returns the report as Markdown, which is also readable in a terminal. */
export function toMarkdown({ machine, tables, imports, firstAnswers, memory }: Report): string {
  const parts = [`Measured on ${machine}.`, ...tables.map(toSection)]
  if (imports.length > 0) {
    parts.push(
      section(
        'Importing packages in a new process',
        ['', 'files', 'CPU ms'],
        imports.map(({ title, files, cpuMs }) => [title, String(files), cpuMs.toFixed(0)]),
      ),
    )
  }
  for (const tools of new Set(firstAnswers.map((answer) => answer.tools))) {
    parts.push(
      section(
        `stdio, ${tools} tools, first answer after the process is started`,
        ['', 'ms', '÷ raw Node', 'CPU ms', '÷ raw Node'],
        firstAnswers
          .filter((answer) => answer.tools === tools)
          .map(({ title, ms, ratio, cpuMs, cpuRatio }) => [
            title,
            ms.toFixed(0),
            ratio.toFixed(2),
            cpuMs.toFixed(0),
            cpuRatio.toFixed(2),
          ]),
      ),
    )
  }
  if (memory.length > 0) {
    parts.push(
      section(
        'Resident memory of an idle session',
        ['', 'sessions', 'KB each'],
        memory.map(({ title, sessions, kilobytes }) => [title, String(sessions), kilobytes.toFixed(1)]),
      ),
    )
  }
  return `${parts.join('\n\n')}\n`
}

interface Column {
  readonly heading: string
  readonly cell: (row: Row) => string
}

const figure = (value: number | undefined, digits: number): string => value?.toFixed(digits) ?? ''
const ratio = (compared: Compared | undefined): string => figure(compared?.ratio, 2)
const starts = (compared: Compared | undefined): string =>
  compared?.between?.map((each) => each.toFixed(2)).join('–') ?? ''

const BY_WRITE: readonly Column[] = [
  { heading: '÷ write', cell: (row) => figure(row.perWrite, 2) },
  { heading: 'ratio', cell: ({ byWrite }) => ratio(byWrite) },
  { heading: 'starts', cell: ({ byWrite }) => starts(byWrite) },
]
const BY_CPU: readonly Column[] = [
  { heading: 'CPU µs', cell: (row) => row.cpuMicros.toFixed(1) },
  { heading: 'CPU ratio', cell: ({ byCpu }) => ratio(byCpu) },
  { heading: 'starts', cell: ({ byCpu }) => starts(byCpu) },
]
const RATE: Column = { heading: 'requests/s', cell: (row) => row.requestsPerSecond.toFixed(0) }
const BY_RATE: readonly Column[] = [
  { heading: 'rate ratio', cell: ({ byRate }) => ratio(byRate) },
  { heading: 'starts', cell: ({ byRate }) => starts(byRate) },
]
const LATENCY: readonly Column[] = [
  { heading: 'p50 ms', cell: (row) => figure(row.p50Ms, 2) },
  { heading: 'p99 ms', cell: (row) => figure(row.p99Ms, 2) },
]

/** Returns columns only for what was measured. The table's first ratio is the most important one. */
function columnsOf({ rows, waits = false }: Table): readonly Column[] {
  const has = (member: keyof Row): boolean => rows.some((row) => row[member] !== undefined)
  const titles = new Map(rows.map((row) => [row.name, row.title]))
  const compared = has('base')
  return [
    { heading: '', cell: ({ title }) => title },
    ...(has('perWrite') ? BY_WRITE : []),
    ...(waits ? [RATE, ...BY_RATE] : []),
    ...BY_CPU.slice(0, compared ? undefined : 1),
    ...(waits ? [] : [RATE]),
    ...(has('p50Ms') ? LATENCY : []),
    ...(compared
      ? [{ heading: 'of', cell: ({ base }: Row) => (base === undefined ? '' : (titles.get(base) ?? base)) }]
      : []),
  ]
}

function toSection(table: Table): string {
  const columns = columnsOf(table)
  return section(
    table.title,
    columns.map(({ heading }) => heading),
    table.rows.map((row) => columns.map(({ cell }) => cell(row))),
  )
}

function section(title: string, headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [headings, ...rows]
  const widths = headings.map((_, column) => Math.max(3, ...all.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join(' | ')} |`
  const rule = `|${widths.map((width, i) => (i === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`
  return [`### ${title}`, '', line(headings), rule, ...rows.map(line)].join('\n')
}

const BEGIN = '<!-- measured: npm run bench -- --write -->'
const END = '<!-- end of what was measured -->'

/** Merges two reports. Cases that did not run again keep their earlier results. */
export function mergeReports(earlier: Report, later: Report): Report {
  const tables = new Map([...earlier.tables, ...later.tables].map((table) => [table.name, table]))
  const newer = <T>(before: readonly T[], after: readonly T[]): readonly T[] =>
    after.length > 0 ? after : before
  return {
    machine: later.machine,
    tables: [...tables.values()],
    imports: newer(earlier.imports, later.imports),
    firstAnswers: newer(earlier.firstAnswers, later.firstAnswers),
    memory: newer(earlier.memory, later.memory),
  }
}

/**
 * Replaces the report between a page's markers.
 *
 * @throws Error if the markers are missing
 */
export function replaceMeasured(page: string, markdown: string): string {
  const begin = page.indexOf(BEGIN)
  const end = page.indexOf(END)
  if (begin === -1 || end < begin) throw new Error('The page has no place for the tables: its marks are gone')
  return `${page.slice(0, begin + BEGIN.length)}\n\n${markdown}\n${page.slice(end)}`
}
