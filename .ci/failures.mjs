/**
 * Creates the summary of failures that `.ci/run` prints at its end. It is short, because CI often keeps only
 * the end of a log.
 */
import { stripVTControlCharacters } from 'node:util'

/** Leaves some of the 100 lines for the last lines of `.ci/run`. */
const MAX_LINES = 90
const MAX_LINES_EACH = 7
const MAX_WIDTH = 240
/** The number of lines to show from an output without error lines. */
const LAST_LINES = 6

const linesOf = (text) =>
  stripVTControlCharacters(text)
    .split(/\r?\n/)
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')

/**
 * Returns the lines of the summary: a heading and at most `MAX_LINES`. The more failures there are, the fewer
 * lines each failure gets.
 *
 * @param {{ title: string, text?: string }[]} failures
 * @returns {string[]}
 */
export function summarizeFailures(failures) {
  if (failures.length === 0) return []
  const shown = failures.slice(0, failures.length > MAX_LINES ? MAX_LINES - 1 : MAX_LINES)
  const details = Math.min(MAX_LINES_EACH, Math.floor(MAX_LINES / shown.length)) - 1
  const lines = shown.flatMap(({ title, text = '' }) => [
    `✗ ${linesOf(title).join(' ')}`,
    ...linesOf(text)
      .slice(0, details)
      .map((line) => `    ${line}`),
  ])
  const rest = failures.length - shown.length
  return [
    `Failures (${failures.length}):`,
    ...lines.map((line) => (line.length > MAX_WIDTH ? `${line.slice(0, MAX_WIDTH - 1)}…` : line)),
    ...(rest > 0 ? [`… and ${rest} more`] : []),
  ]
}

/**
 * Returns the lines of a step's output that begin with `✗`, with the indented lines below each of them. If
 * there are none, returns the last lines.
 */
export function extractErrors(output) {
  const lines = linesOf(output)
  let inError = false
  const errors = lines.filter((line) => (inError = line.startsWith('✗') || (inError && /^\s/.test(line))))
  return (errors.length > 0 ? errors : lines.slice(-LAST_LINES)).join('\n')
}
