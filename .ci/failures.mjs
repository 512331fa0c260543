/** What failed, said again in few lines: of a long output often the end is all that is kept. */
import { stripVTControlCharacters } from 'node:util'

/** With what comes after it, the whole stays within the last hundred lines. */
const MAX_LINES = 90
const MAX_LINES_EACH = 7
const MAX_WIDTH = 240
const LAST_LINES = 6

const linesOf = (text) =>
  stripVTControlCharacters(text)
    .split(/\r?\n/)
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')

/** Failures, each of a title and the lines of its text, as many as fit; what matters most stands first in each. */
export function retell(failures) {
  if (failures.length === 0) return []
  const shown = failures.slice(0, failures.length > MAX_LINES ? MAX_LINES - 1 : MAX_LINES)
  const details = Math.min(MAX_LINES_EACH, Math.floor(MAX_LINES / shown.length)) - 1
  const told = shown.flatMap(({ title, text = '' }) => [
    `✗ ${linesOf(title).join(' ')}`,
    ...linesOf(text)
      .slice(0, details)
      .map((line) => `    ${line}`),
  ])
  const rest = failures.length - shown.length
  return [
    `What failed (${failures.length}):`,
    ...told.map((line) => (line.length > MAX_WIDTH ? `${line.slice(0, MAX_WIDTH - 1)}…` : line)),
    ...(rest > 0 ? [`… and ${rest} more`] : []),
  ]
}

/** Of what a step has said, the complaints that are marked as such, with what is indented below them, or else its end. */
export function complaintsOf(output) {
  const lines = linesOf(output)
  let within = false
  const marked = lines.filter((line) => (within = line.startsWith('✗') || (within && /^\s/.test(line))))
  return (marked.length > 0 ? marked : lines.slice(-LAST_LINES)).join('\n')
}
