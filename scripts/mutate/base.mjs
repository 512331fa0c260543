/** The baseline run. It determines which test files reach which places, and how long each test file takes. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { Sources } from './scopes.mjs'

/** @typedef {{ path: string, ms: number, places: Set<number> }} TestFile */

/**
 * @param {import('./checkout.mjs').Checkout} checkout
 * @param {object[]} mutants
 * @param {string[]} tests the paths of test files or folders; if empty, all tests run
 * @returns {Promise<(mutant: object) => TestFile[]>} the test files that reach a mutant
 */
export async function runBase(checkout, mutants, tests) {
  const sources = new Sources(checkout.sources)
  const ids = new Map()
  const idOf = ({ file, scope }) => {
    const key = `${file}:${scope.start}`
    if (!ids.has(key)) ids.set(key, { id: ids.size, file, scope })
    return ids.get(key).id
  }
  const places = new Map(mutants.map((mutant) => [mutant, sources.running(mutant).map(idOf)]))
  insertProbes(checkout, [...ids.values()])
  const failed = await checkout.test(tests, { oneByOne: true })
  checkout.restore()
  const failing = await failingAgain(checkout, failed)
  const files = readLog(checkout).filter(({ path }) => !failing.includes(path))
  return (mutant) => files.filter((file) => places.get(mutant).some((id) => file.places.has(id)))
}

/**
 * Every process that runs a probe finds the log by the path in the probe, regardless of its environment
 * variables. In runtimes that may not write to the log, probes do nothing.
 */
function insertProbes(checkout, probes) {
  const require = `globalThis.process.getBuiltinModule('module').createRequire(${JSON.stringify(checkout.path('/'))})`
  const load = `try { return ${require}('./scripts/mutate/reached.cjs').place } catch { return () => {} }`
  const place = `globalThis.jetwayReached ??= (() => { ${load} })()`
  for (const file of new Set(probes.map((probe) => probe.file))) {
    const inserted = []
    for (const { id, scope } of probes.filter((probe) => probe.file === file)) {
      const call = `(${place})(${id})`
      if (scope.expressionEnd === undefined) inserted.push({ at: scope.body, text: `;${call};` })
      else inserted.push({ at: scope.body, text: `(${call}, ` }, { at: scope.expressionEnd, text: ')' })
    }
    inserted.sort((a, b) => b.at - a.at)
    const probed = inserted.reduce(
      (text, { at, text: added }) => text.slice(0, at) + added + text.slice(at),
      checkout.sources[file],
    )
    writeFileSync(checkout.path(file), probed)
  }
  appendFileSync(
    checkout.path('vitest.setup.ts'),
    `import { createRequire } from 'node:module'
    import { expect } from 'vitest'
    createRequire(import.meta.url)('./scripts/mutate/reached.cjs').testFile(expect.getState().testPath)\n`,
  )
}

/**
 * Returns the tests that fail even without probes. They would kill every mutant. Tests that read the sources
 * fail only because of the probes.
 */
async function failingAgain(checkout, failed) {
  const files = failed.filter((name) => name.endsWith('.ts'))
  if (files.length < failed.length) console.log(`Without mutants, there was: ${failed.join(', ')}`)
  if (files.length === 0) return []
  console.log(`Failed with probes, runs again without: ${files.join(', ')}`)
  const again = await checkout.test(files)
  if (again.length > 0) console.log(`Fails without a mutant, so it kills none: ${again.join(', ')}`)
  return again
}

/** @returns {TestFile[]} */
function readLog(checkout) {
  const files = []
  for (const line of readFileSync(checkout.path('scripts/mutate/reached.log'), 'utf8').trim().split('\n')) {
    const [, time, path] = /^(\d+) (.*)$/.exec(line) ?? []
    if (time === undefined) files.at(-1)?.places.add(Number(line))
    else files.push({ path: checkout.relative(path), start: Number(time), places: new Set() })
  }
  const ends = [...files.slice(1).map(({ start }) => start), Date.now()]
  return files.map(({ path, start, places }, index) => ({ path, places, ms: ends[index] - start }))
}
