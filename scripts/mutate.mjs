/**
 * `npm run mutate`: changes one place of the sources at a time, and tells which changes no test notices.
 *
 *     npm run mutate -- [--count <n>] [--seed <n>] [--only <path>]...
 *
 * The mutants are drawn with a seed, which it prints. They live in a checkout of HEAD in the system's temporary folder, so
 * that no mutant can be committed. Exits with 1 if fewer than 85 % are killed.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import process, { stdout } from 'node:process'
import { parseArgs } from 'node:util'
import { pnpm, root } from '../.ci/pnpm.mjs'
import { mutantsOf } from './mutants.mjs'
import { stepOrExit } from './steps.mjs'

const MIN_KILLED = 0.85
/** Twice what the slowest stage takes on a busy machine. */
const TIMEOUT_MS = 600_000
/** The tests that go through several packages. */
const SPANNING = [
  'packages/testing/test',
  'packages/fastify/test',
  'packages/hono/test',
  'packages/stdio/test',
]

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '150' },
    seed: { type: 'string', default: `${randomInt(2 ** 31 - 1)}` },
    only: { type: 'string', multiple: true, default: ['packages/*/src/**/*.ts'] },
  },
})

const copy = join(mkdtempSync(join(tmpdir(), 'jetway-mutants-')), 'jetway')
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' })

process.once('exit', () => {
  git('worktree', 'remove', '--force', copy)
  rmSync(dirname(copy), { recursive: true, force: true })
})
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

git('worktree', 'add', '--quiet', '--detach', copy, 'HEAD')
const install = [...pnpm(), 'install', '--frozen-lockfile', '--prefer-offline']
await stepOrExit('install', install, { quiet: true, cwd: copy })
// Some tests look at the build.
await stepOrExit('build', [join(copy, 'node_modules', '.bin', 'tsdown')], { quiet: true, cwd: copy })
process.exitCode = main(Number(values.count), Number(values.seed))

function main(count, seed) {
  console.log(`seed ${seed}, ${git('rev-parse', '--short', 'HEAD').trim()}`)
  const mutants = draw(count, seed)
  checkBase(mutants)
  const survivors = []
  for (const [index, mutant] of mutants.entries()) {
    const killed = isKilled(mutant)
    if (!killed) survivors.push(mutant)
    const { file, line, from, to } = mutant
    const verdict = killed ? 'killed  ' : 'SURVIVED'
    stdout.write(`${index + 1}/${mutants.length} ${verdict} ${file}:${line}  ${from}  →  ${to}\n`)
  }
  const killed = mutants.length - survivors.length
  console.log(`${killed} of ${mutants.length} killed (${Math.round((100 * killed) / mutants.length)} %)`)
  return killed >= MIN_KILLED * mutants.length ? 0 : 1
}

/** @returns mutants of different places, in the order of the draw */
function draw(count, seed) {
  const files = git('ls-files', '--', ...values.only)
    .trim()
    .split('\n')
  const all = files.flatMap((file) => mutantsOf(file, readFileSync(join(copy, file), 'utf8')))
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

/** Tests that fail without a mutant would kill them all. */
function checkBase(mutants) {
  const stages = mutants.flatMap(({ file }) => stagesOf(file))
  const folders = stages.flat().filter((path) => /^packages\/[^/]+\/test$/.test(path))
  const { status } = test([...new Set(folders)], {})
  if (status !== 0) throw new Error('The tests fail, or take too long, without any mutant. Mend them first.')
}

/** Runs the nearest tests first, because most mutants die there. */
function isKilled({ file, start, end, to }) {
  const path = join(copy, file)
  const source = readFileSync(path, 'utf8')
  writeFileSync(path, source.slice(0, start) + to + source.slice(end))
  try {
    // A mutant that makes a test hang is killed too.
    return stagesOf(file).some(
      (tests) => test(tests, { timeout: TIMEOUT_MS, killSignal: 'SIGKILL' }).status !== 0,
    )
  } finally {
    writeFileSync(path, source)
  }
}

function test(paths, options) {
  const vitest = join(copy, 'node_modules', '.bin', 'vitest')
  return spawnSync(vitest, ['run', '--bail=1', ...paths], { cwd: copy, stdio: 'ignore', ...options })
}

/** @param {string} file such as `packages/core/src/http/guard/host.ts` @returns {string[][]} paths of tests */
function stagesOf(file) {
  const [, member, inner] = /^(packages\/[^/]+)\/src\/(.*)$/.exec(file)
  const folder = join(member, 'test', dirname(inner))
  const near = dirname(inner) !== '.' && hasTests(folder) ? [folder] : namesake(member, inner)
  return [near, [`${member}/test`], SPANNING.filter((path) => path !== `${member}/test`)].filter(
    (tests) => tests.length > 0 && tests.every((path) => existsSync(join(copy, path))),
  )
}

function hasTests(folder) {
  const path = join(copy, folder)
  return existsSync(path) && readdirSync(path).some((name) => name.endsWith('.test.ts'))
}

function namesake(member, inner) {
  const path = `${member}/test/${basename(inner, '.ts')}.test.ts`
  return existsSync(join(copy, path)) ? [path] : []
}
