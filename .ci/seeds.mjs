/** The seeds for property tests: a new seed for each CI run, and the seeds that once failed. */
import { execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './pnpm.mjs'

/** Commit this file when `.ci/run` has changed it. */
const FILE = join(root, '.ci', 'seeds.json')
/** More seeds would take too much time in CI. The oldest one is dropped first. */
const MAX_KEPT = 5

export const drawSeed = () => Number(process.env['JETWAY_SEED'] ?? randomInt(2 ** 31 - 1))

/** @returns {number[]} the seeds, newest first */
export const keptSeeds = () => JSON.parse(readFileSync(FILE, 'utf8'))

/**
 * Keeps the seed if a property test failed with it. fast-check states the seed in its message.
 *
 * @param {number} seed
 * @param {readonly { text?: string }[]} failures
 */
export function keepIfFailed(seed, failures) {
  const kept = withFailed(keptSeeds(), seed, failures)
  if (kept !== undefined) writeFileSync(FILE, `${JSON.stringify(kept)}\n`)
}

/** @param {readonly number[]} kept */
export function withFailed(kept, seed, failures) {
  const failed = failures.some(({ text = '' }) => text.includes(`seed: ${seed},`))
  return failed && !kept.includes(seed) ? [seed, ...kept].slice(0, MAX_KEPT) : undefined
}

/**
 * Returns the system tests or the ordinary tests that contain property tests.
 *
 * @param {{ system: boolean }} tier
 */
export const propertyTests = ({ system }) =>
  execFileSync('git', ['grep', '-lE', "from 'fast-check'", '--', '*.test.ts'], {
    cwd: root,
    encoding: 'utf8',
  })
    .trim()
    .split('\n')
    .filter((file) => !file.endsWith('.long.test.ts') && file.endsWith('.system.test.ts') === system)
