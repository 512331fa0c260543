/** Determines which mutants pass the type check. The type check is part of `.ci/run`. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'

/** A mutant may leave an import unused, which does not affect behaviour, so the compiler must accept that. */
const TSC =
  '--project tsconfig.packages.json --pretty false --noUnusedLocals false --noUnusedParameters false --allowUnreachableCode true'

/**
 * Each run of the compiler checks one mutant in each file. An error always occurs in the file of its mutant,
 * because all exports declare their types.
 *
 * @param {import('./checkout.mjs').Checkout} checkout
 * @param {{ file: string, start: number, end: number, to: string }[]} mutants
 * @returns the mutants that compile
 */
export function compiling(checkout, mutants) {
  const wrong = new Set()
  for (let left = mutants; left.length > 0;) {
    const byFile = new Map(left.map((mutant) => [mutant.file, mutant]))
    for (const { file, start, end, to } of byFile.values()) {
      const source = checkout.sources[file]
      writeFileSync(checkout.path(file), source.slice(0, start) + to + source.slice(end))
    }
    for (const file of filesWithErrors(checkout)) if (byFile.has(file)) wrong.add(byFile.get(file))
    checkout.restore()
    left = left.filter((mutant) => byFile.get(mutant.file) !== mutant)
  }
  return mutants.filter((mutant) => !wrong.has(mutant))
}

function filesWithErrors(checkout) {
  const tsc = checkout.path('node_modules/.bin/tsc')
  const { status, stdout, error } = spawnSync(tsc, TSC.split(' '), {
    cwd: checkout.path('.'),
    encoding: 'utf8',
    maxBuffer: Infinity,
  })
  if (error) throw error
  const files = new Set([...stdout.matchAll(/^(\S+?)\(\d+,\d+\): error/gm)].map(([, file]) => file))
  if (status !== 0 && files.size === 0) throw new Error(`tsc failed: ${stdout}`)
  return files
}
