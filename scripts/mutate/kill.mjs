/** Runs the tests that reach a mutant until one fails. */
import { writeFileSync } from 'node:fs'

/**
 * How much testing each run adds, measured as the total time that its tests took in the baseline run. Most mutants
 * are killed in the first run. A failure after the last run would be a coincidence in an unrelated test.
 */
const RUNS_MS = [2_000, 10_000, 120_000]

/**
 * @param {import('./checkout.mjs').Checkout} checkout
 * @param {{ file: string, start: number, end: number, to: string }} mutant
 * @param {import('./base.mjs').TestFile[]} reaching the test files that run the mutant's place
 * @returns {Promise<string | undefined>} the test file that fails, or the reason; undefined if the mutant
 * survives
 */
export async function killerOf(checkout, { file, start, end, to }, reaching) {
  const source = checkout.sources[file]
  writeFileSync(checkout.path(file), source.slice(0, start) + to + source.slice(end))
  try {
    for (const files of inRuns(file, reaching)) {
      const timeoutMs = 5 * sum(files) + 30_000
      const failed = await checkout.failure(
        files.map(({ path }) => path),
        { changed: file, timeoutMs },
      )
      if (failed !== undefined) return failed
    }
    return undefined
  } finally {
    writeFileSync(checkout.path(file), source)
  }
}

const sum = (files) => files.reduce((total, { ms }) => total + ms, 0)

/** Sorts by distance, then by speed. */
function inRuns(source, files) {
  const left = files.toSorted((a, b) => nearness(source, b.path) - nearness(source, a.path) || a.ms - b.ms)
  return RUNS_MS.map((most) => {
    const run = []
    while (left.length > 0 && (run.length === 0 || sum(run) + left[0].ms <= most)) run.push(left.shift())
    return run
  }).filter((run) => run.length > 0)
}

/**
 * Returns how many names two paths have in common at their start. This works because the tests' folders mirror
 * those of the sources.
 */
function nearness(source, test) {
  const names = (path) =>
    path
      .replace(/(\.test)?\.ts$/, '')
      .split('/')
      .filter((name) => name !== 'src' && name !== 'test')
  const others = names(test)
  const different = names(source).findIndex((name, index) => name !== others[index])
  return different === -1 ? Infinity : different
}
