/**
 * The catalogue of faults and attacks. Rows must keep their names. A group's letter is determined by its
 * position in `GROUPS`, and its rows are numbered from 1.
 */
import { AUTHORIZATION } from './catalogue/authorization.ts'
import { COMPOSITION } from './catalogue/composition.ts'
import { FLOW_CONTROL } from './catalogue/flow-control.ts'
import { FOLDERS } from './catalogue/folders.ts'
import { FRAMING } from './catalogue/framing.ts'
import { HANDLERS } from './catalogue/handlers.ts'
import { HTTP } from './catalogue/http.ts'
import { JSON_RPC } from './catalogue/json-rpc.ts'
import { NODES } from './catalogue/nodes.ts'
import { PROCESSES } from './catalogue/processes.ts'
import type { Group, Row } from './catalogue/row.ts'
import { SCHEMAS } from './catalogue/schemas.ts'
import { SESSIONS } from './catalogue/sessions.ts'
import { replaceMarked } from './marked.ts'

export const GROUPS: readonly Group[] = [
  FRAMING,
  JSON_RPC,
  HTTP,
  SESSIONS,
  FLOW_CONTROL,
  HANDLERS,
  PROCESSES,
  NODES,
  AUTHORIZATION,
  SCHEMAS,
  FOLDERS,
  COMPOSITION,
]

export const ROWS: readonly Row[] = GROUPS.flatMap(({ rows }) => rows)

/** Returns how many rows have tests, and which rows have none; undefined if every row has tests. */
export function missingRows(): string | undefined {
  const without = ROWS.filter(({ lacks }) => lacks !== undefined).map(({ row }) => row)
  if (without.length === 0) return undefined
  return `${ROWS.length - without.length} of ${ROWS.length} rows have a test. Without one: ${without.join(', ')}.`
}

/** Inserts the catalogue into `docs/reference/reliability.md`. */
export const withCatalogue = (page: string): string =>
  replaceMarked(page, 'catalogue', GROUPS.map(table).join('\n\n'))

function table({ title, rows }: Group): string {
  const cells = rows.map((row) => [row.row, row.fault, row.behaviour, shownBy(row)])
  const lines = [['', 'fault', 'what Jetway does', 'test'], ['---', '---', '---', '---'], ...cells]
  return [`### ${title}`, '', ...lines.map((line) => `| ${line.join(' | ')} |`)].join('\n')
}

function shownBy({ tests, lacks }: Row): string {
  if (tests === undefined) return `none: ${lacks}`
  const files = new Set(tests.map(({ file }) => file))
  return [...files].map((file) => `[${nameOf(file)}](../../${file})`).join(', ')
}

/** Returns a test file's short name, for a table cell. */
const nameOf = (file: string): string => file.slice(file.lastIndexOf('/') + 1).replace(/(?:\.test)?\.ts$/, '')
