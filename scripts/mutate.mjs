/**
 * `npm run mutate`: changes the sources in one place at a time, and lists the changes that neither tests nor
 * types detect.
 *
 *     npm run mutate -- [--count <n>] [--seed <n>] [--only <path>]... [--tests <path>]...
 *
 * The mutants are drawn at random, with a seed that is printed. A first run without mutants determines which
 * test files reach which places, so that for each mutant only the nearest of these files have to run. `--only`
 * limits the sources that are changed, and `--tests` limits the tests that run. Types are checked for the
 * mutants that no test detects. The script exits with code 1 if fewer than 85 % of the mutants are killed.
 */
import { randomInt } from 'node:crypto'
import process, { stdout } from 'node:process'
import { parseArgs } from 'node:util'
import { runBase } from './mutate/base.mjs'
import { Checkout } from './mutate/checkout.mjs'
import { compiling } from './mutate/compiling.mjs'
import { killerOf } from './mutate/kill.mjs'
import { mutantsOf } from './mutate/mutants.mjs'

const MIN_KILLED = 0.85
/**
 * Mutants are not drawn from the contracts, because these are tests, and nothing tests the assertions in
 * tests. The tests of the Redis stores require Redis, so they are not part of `npm test`.
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
    tests: { type: 'string', multiple: true, default: [] },
  },
})

// Without an explicit exit, the process that runs the tests would keep this one alive.
process.exit(await main(Number(values.count), Number(values.seed)))

async function main(count, seed) {
  const checkout = await Checkout.create()
  console.log(`seed ${seed}, ${checkout.commit()}`)
  const mutants = draw(checkout, count, seed)
  const unnoticed = await survivors(checkout, mutants)
  report('tests', unnoticed, mutants)
  const left = compiling(checkout, unnoticed)
  report('tests and types', left, mutants)
  for (const mutant of left) console.log(`left     ${nameOf(mutant)}`)
  return mutants.length - left.length >= MIN_KILLED * mutants.length ? 0 : 1
}

/** @returns the mutants that no test detects */
async function survivors(checkout, mutants) {
  const reaching = await runBase(checkout, mutants, values.tests)
  const unnoticed = []
  for (const [index, mutant] of mutants.entries()) {
    const files = reaching(mutant)
    const killer = await killerOf(checkout, mutant, files)
    if (killer === undefined) unnoticed.push(mutant)
    const verdict = killer === undefined ? 'SURVIVED' : 'killed  '
    const by = killer === undefined ? `${files.length} test files reach it` : `by ${killer}`
    stdout.write(`${index + 1}/${mutants.length} ${verdict} ${nameOf(mutant)}  (${by})\n`)
  }
  return unnoticed
}

function nameOf({ file, line, from, to }) {
  return `${file}:${line}  ${from}  →  ${to}`
}

function report(by, left, all) {
  const killed = all.length - left.length
  console.log(`${killed} of ${all.length} killed by ${by} (${Math.floor((100 * killed) / all.length)} %)`)
}

/** @returns mutants of different places, in the order in which they were drawn */
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
