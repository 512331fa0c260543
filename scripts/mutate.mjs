/**
 * `npm run mutate`: changes one place of the sources at a time, and tells which changes no test notices.
 *
 *     npm run mutate -- [--count <n>] [--seed <n>] [--only <path>]... [--tests <path>]... [--system]
 *
 * The mutants are drawn with a seed, which it prints. A first run without mutants learns which
 * test files reach which places, so that a mutant costs the nearest of these only. `--only` limits
 * the sources that are changed, and `--tests` the tests that run. With `--system`, system tests of
 * the packages run too: they need what `.ci/run` installs. Exits with 1 if fewer than 85 % are killed.
 */
import { randomInt } from 'node:crypto'
import process, { stdout } from 'node:process'
import { parseArgs } from 'node:util'
import { runBase } from './mutate/base.mjs'
import { Checkout } from './mutate/checkout.mjs'
import { killerOf } from './mutate/kill.mjs'
import { mutantsOf } from './mutate/mutants.mjs'
import { Suite } from './mutate/suite.mjs'

const MIN_KILLED = 0.85
/**
 * The contracts are tests themselves, and nothing tests the assertions of tests. The tests of the Redis stores
 * need Redis, so they are not among those of `npm test`.
 */
const DRAWN_FROM = [
  ':(glob)packages/*/src/**/*.ts',
  ':!packages/testing/src/contracts',
  ':!packages/redis/src',
]

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '150' },
    seed: { type: 'string', default: `${randomInt(2 ** 31 - 1)}` },
    only: { type: 'string', multiple: true, default: DRAWN_FROM },
    tests: { type: 'string', multiple: true },
    system: { type: 'boolean', default: false },
  },
})

process.exitCode = await main(Number(values.count), Number(values.seed))

async function main(count, seed) {
  const checkout = await Checkout.create()
  console.log(`seed ${seed}, ${checkout.commit()}`)
  const mutants = draw(checkout, count, seed)
  let left = mutants
  for (const suite of suitesOf(checkout)) left = await survivorsOf(suite, left)
  const killed = mutants.length - left.length
  console.log(`${killed} of ${mutants.length} killed (${Math.floor((100 * killed) / mutants.length)} %)`)
  return killed >= MIN_KILLED * mutants.length ? 0 : 1
}

/** System tests come last, since they take the longest: they run for mutants that survive all others. */
function suitesOf(checkout) {
  const suites = [new Suite(checkout, { tests: values.tests ?? [] })]
  if (values.system)
    suites.push(
      new Suite(checkout, { tests: values.tests ?? ['packages/'], env: { JETWAY_SYSTEM_TESTS: '1' } }),
    )
  return suites
}

async function survivorsOf(suite, mutants) {
  const reaching = await runBase(suite, mutants)
  const survivors = []
  for (const [index, mutant] of mutants.entries()) {
    const files = reaching(mutant)
    const killer = await killerOf(suite, mutant, files)
    if (killer === undefined) survivors.push(mutant)
    const { file, line, from, to } = mutant
    const verdict = killer === undefined ? 'SURVIVED' : 'killed  '
    const by = killer === undefined ? `${files.length} test files reach it` : `by ${killer}`
    stdout.write(`${index + 1}/${mutants.length} ${verdict} ${file}:${line}  ${from}  →  ${to}  (${by})\n`)
  }
  suite.end()
  return survivors
}

/** @returns mutants of different places, in the order of the draw */
function draw(checkout, count, seed) {
  const all = checkout.files(values.only).flatMap((file) => mutantsOf(file, checkout.sources[file]))
  const random = seeded(seed)
  const drawn = []
  while (drawn.length < count && all.length > 0)
    drawn.push(...all.splice(Math.floor(random() * all.length), 1))
  return drawn
}

/** xorshift32 */
function seeded(seed) {
  let state = seed | 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}
