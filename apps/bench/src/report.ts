import type { ImportCost } from './imports.ts'
import type { Row, Table } from './measure.ts'
import type { SessionMemory } from './session-memory.ts'
import type { FirstAnswer } from './stdio-bench.ts'

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

const HEADINGS = ['', 'requests/s', 'p50 ms', 'p99 ms', 'CPU µs/request', 'ratio', 'starts', 'of']

function toSection({ title, rows }: Table): string {
  const titles = new Map(rows.map((row) => [row.name, row.title]))
  return section(
    title,
    HEADINGS,
    rows.map((row) => cells(row, titles)),
  )
}

function cells(row: Row, titles: ReadonlyMap<string, string>): string[] {
  const { title, requestsPerSecond, p50Ms, p99Ms, cpuMicros, ratio, between, base } = row
  return [
    title,
    requestsPerSecond.toFixed(0),
    p50Ms?.toFixed(2) ?? '',
    p99Ms?.toFixed(2) ?? '',
    cpuMicros.toFixed(1),
    ratio?.toFixed(2) ?? '',
    between?.map((each) => each.toFixed(2)).join('–') ?? '',
    base === undefined ? '' : (titles.get(base) ?? base),
  ]
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

/**
 * Replaces the report between a page's markers.
 *
 * @throws Error if the markers are missing
 */
export function replaceMeasured(page: string, markdown: string): string {
  const { before, after } = aroundMarks(page)
  return `${before}\n\n${markdown}\n${after}`
}

/**
 * Replaces the sections for the measured cases on a page. The other sections remain unchanged.
 *
 * @throws Error if the markers are missing
 */
export function mergeMeasured(page: string, markdown: string): string {
  const { before, measured, after } = aroundMarks(page)
  const sections = new Map<string, string>()
  const [, ...updated] = sectionsOf(markdown)
  for (const text of [...sectionsOf(measured), ...updated]) sections.set(text.split('\n')[0] ?? '', text)
  return `${before}\n\n${[...sections.values()].join('\n\n')}\n\n${after}`
}

/** Returns the text before the first heading, then each section. */
const sectionsOf = (markdown: string): string[] => markdown.split(/^(?=### )/m).map((text) => text.trim())

function aroundMarks(page: string): {
  readonly before: string
  readonly measured: string
  readonly after: string
} {
  const begin = page.indexOf(BEGIN)
  const end = page.indexOf(END)
  if (begin === -1 || end < begin) throw new Error('The page has no place for the tables: its marks are gone')
  const start = begin + BEGIN.length
  return { before: page.slice(0, start), measured: page.slice(start, end), after: page.slice(end) }
}
