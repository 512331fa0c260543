import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { drawBars, type Theme } from './plots/bars.ts'
import { plotsOf } from './plots/plots.ts'
import { mergeReports, type Report, replaceMeasured, toMarkdown } from './report.ts'

const fileAt = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url))

const RESULTS = fileAt('apps/bench/results.json')
const PAGE = fileAt('docs/reference/benchmarks.md')
const THEMES: readonly Theme[] = ['light', 'dark']
/** The number of significant digits in the stored results. */
const DIGITS = 4

/** A file that is generated from the results. */
export interface Drawn {
  readonly path: string
  readonly text: string
}

/** Stores the results of a run. Results of cases that did not run again are preserved. */
export function keepResults(report: Report): void {
  const merged = mergeReports(readResults(), report)
  const rounded = (_name: string, value: unknown): unknown =>
    typeof value === 'number' ? Number(value.toPrecision(DIGITS)) : value
  writeFileSync(RESULTS, `${JSON.stringify(merged, rounded, 2)}\n`)
}

/** Returns the page and the plots for the stored results. */
export function draw(): readonly Drawn[] {
  const report = readResults()
  return [
    { path: PAGE, text: replaceMeasured(readFileSync(PAGE, 'utf8'), toMarkdown(report)) },
    ...plotsOf(report).flatMap(({ name, plot }) =>
      THEMES.map((theme) => ({
        path: fileAt(`docs/public/bench-${name}-${theme}.svg`),
        text: drawBars(plot, theme),
      })),
    ),
  ]
}

/** Writes the page and the plots. */
export function redraw(): void {
  for (const { path, text } of draw()) writeFileSync(path, text)
}

const readResults = (): Report => JSON.parse(readFileSync(RESULTS, 'utf8')) as Report
