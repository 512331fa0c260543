/**
 * Writes `docs/reference/reliability.md` after the long tests. The page shows which bars held, with their
 * figures.
 *
 *     node apps/reliability/dist/page.js <the JSON report of vitest> <short or full>
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'
import { BARS, type Bar } from './bars.ts'
import { replaceMarked } from './marked.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const PAGE = `${root}docs/reference/reliability.md`
const COMMAND = 'npm run test:long'

interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly startTime: number
    readonly endTime: number
    readonly assertionResults: readonly Assertion[]
  }[]
}

interface Assertion {
  readonly fullName: string
  readonly status: string
  /** The figure that a test stores in `task.meta.figure`. */
  readonly meta?: { readonly figure?: string }
}

/** Whether tests that would take too long for each run ran in short form or in full. */
type Form = 'short' | 'full'

function main(path: string, form: Form): void {
  const report = JSON.parse(readFileSync(path, 'utf8')) as Report
  const rows = BARS.map((bar) => row(form === 'full' ? bar : asShort(bar), report))
  const table = ['| bar | promise | held | figure |', '| --- | --- | --- | --- |', ...rows].join('\n')
  writeFileSync(PAGE, replaceMarked(readFileSync(PAGE, 'utf8'), 'measured', table))
}

const asShort = (bar: Bar): Bar =>
  bar.short === undefined
    ? bar
    : {
        ...bar,
        lacks: `${bar.short} in the short form; the full one is \`JETWAY_LONG_TESTS=full ${COMMAND}\`.`,
      }

function row(bar: Bar, report: Report): string {
  const results = report.testResults.filter(({ name }) => bar.files?.some((file) => name.endsWith(file)))
  const tests = results.flatMap(({ assertionResults }) => assertionResults)
  const failed = tests.filter(({ status }) => status !== 'passed')
  const figures = tests.flatMap(({ meta }) => meta?.figure ?? [])
  const seconds = results.reduce((sum, { startTime, endTime }) => sum + (endTime - startTime) / 1000, 0)
  const measured =
    tests.length === 0
      ? []
      : [`${tests.length - failed.length} of ${tests.length} tests in ${Math.round(seconds)} s`]
  const text = [
    ...figures,
    ...failed.map(({ fullName }) => `failed: ${fullName}`),
    ...measured,
    bar.lacks ?? [],
  ].flat()
  return `| ${[bar.name, bar.promise, held(bar, tests, failed), text.join('. ').replaceAll('..', '.')].map(escape).join(' | ')} |`
}

function held(bar: Bar, tests: readonly Assertion[], failed: readonly Assertion[]): string {
  if (tests.length === 0) return 'not measured'
  if (failed.length > 0) return 'no'
  return bar.lacks === undefined ? 'yes' : 'in part'
}

const escape = (text: string): string => text.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ')

const [path, form] = argv.slice(2)
if (path === undefined) throw new Error(`Run ${COMMAND}, which calls this with the report of vitest`)
main(path, form === 'full' ? 'full' : 'short')
