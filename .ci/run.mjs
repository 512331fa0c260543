/** The steps of `.ci/run`. Each vitest test counts as one step, and so does each other command. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { extractErrors, summarizeFailures } from './failures.mjs'
import { pnpm, root } from './pnpm.mjs'
import { drawSeed, keepIfFailed, keptSeeds, propertyTests } from './seeds.mjs'
import { BUILT, build, installAll, script, step, tool, types, vitest } from '../scripts/steps.mjs'

const minute = 60_000
const counts = { passed: 0, failed: 0 }
const failures = []

/** Runs a command that counts as one step. */
async function countStep(title, command, timeoutMs = 3 * minute) {
  let output = ''
  const onOutput = (text) => (output = text)
  const ok = (await step(title, command, { timeoutMs, env: { CI: 'true' }, onOutput })) === 0
  counts[ok ? 'passed' : 'failed'] += 1
  if (!ok) failures.push({ title, text: extractErrors(output) })
  return ok
}

/**
 * Counts each test. If no test fails but vitest does (because of a file that does not load, or an unhandled
 * rejection), counts one failure.
 */
async function countTests(title, env = {}, files = []) {
  const folder = mkdtempSync(join(tmpdir(), 'jetway-ci-'))
  const file = join(folder, 'vitest.json')
  const command = vitest('--reporter=default', `--reporter=${join(root, '.ci', 'reporter.mjs')}`, ...files)
  const code = await step(title, command, {
    timeoutMs: 35 * minute,
    env: { CI: 'true', JETWAY_REPORT: file, ...BUILT, ...env },
  })
  const report = readReport(file)
  rmSync(folder, { recursive: true, force: true })
  const failedOutsideTests = report.failed === 0 && (code !== 0 || report.passed === 0)
  counts.passed += report.passed
  counts.failed += failedOutsideTests ? 1 : report.failed
  failures.push(...report.failures.map((failure) => ({ ...failure, title: `${title}: ${failure.title}` })))
  if (failedOutsideTests && report.failures.length === 0)
    failures.push({ title: `${title}: exit code ${code}, but no test failed` })
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return { passed: 0, failed: 0, failures: [{ title: 'vitest wrote no report' }] }
  }
}

/**
 * Runs a tier's tests with a seed that no run has used before. Also runs its property tests with each seed that
 * once failed.
 */
async function countSeededTests(title, seed, { system = false } = {}) {
  const tier = system ? { JETWAY_SYSTEM_TESTS: '1' } : {}
  await countTests(`${title}, JETWAY_SEED=${seed}`, { ...tier, JETWAY_SEED: `${seed}` })
  keepIfFailed(seed, failures)
  for (const kept of keptSeeds().filter((other) => other !== seed)) {
    const env = { ...tier, JETWAY_SEED: `${kept}` }
    await countTests(`property tests, JETWAY_SEED=${kept}`, env, propertyTests({ system }))
  }
}

async function steps() {
  if (!(await countStep('install', installAll(), 5 * minute))) return
  const chromiumInstalled = await countStep('chromium', script('.ci/chromium.mjs'), 5 * minute)
  const nginxInstalled = await countStep('nginx', script('.ci/nginx.mjs'), 5 * minute)
  const redisInstalled = await countStep('redis', script('.ci/redis.mjs'), 5 * minute)
  const prometheusInstalled = await countStep('prometheus', script('.ci/prometheus.mjs'), 5 * minute)
  const suiteInstalled = await countStep(
    'JSON-Schema-Test-Suite',
    script('.ci/json-schema-test-suite.mjs'),
    5 * minute,
  )
  const githubFetched = await countStep('document of GitHub', script('.ci/github-openapi.mjs'), 5 * minute)
  await countStep('format', tool('oxfmt', '--check'))
  await countStep('lint', tool('oxlint', '--deny-warnings'))
  await countStep('types', types())
  await countStep('unused code', tool('knip'))
  await countStep('facts of the project', script('scripts/project.mjs'))
  await countStep('workflows', script('scripts/workflows.mjs'))
  await step('size of core', script('scripts/core-size.mjs'))
  if (!(await countStep('build', build()))) return
  await countStep('type tests', script('.ci/type-tests.mjs'), 5 * minute)
  const seed = drawSeed()
  await countSeededTests('vitest', seed)
  const forSystem = [chromiumInstalled, nginxInstalled, redisInstalled, prometheusInstalled, suiteInstalled]
  if (forSystem.every(Boolean) && githubFetched)
    await countSeededTests('system tests', seed, { system: true })
  await countStep('packages', script('scripts/packages.mjs'), 10 * minute)
  await countStep(
    'conformance',
    [...pnpm(), '--filter', '@jetway-apps/everything', 'run', 'conformance'],
    6 * minute,
  )
  await countStep(
    'client conformance',
    [...pnpm(), '--filter', '@jetway-apps/everything', 'run', 'conformance:client'],
    6 * minute,
  )
  await countStep('inspector', script('.ci/inspector.mjs'))
  const siteBuilt = await countStep('docs', script('scripts/docs.mjs', 'build'))
  if (chromiumInstalled && siteBuilt) await countStep('docs in a browser', script('docs/scripts/look.mjs'))
  await countStep('bench', script('scripts/bench.mjs', '--short'), 4 * minute)
}

try {
  await steps()
} catch (error) {
  console.error(error)
  counts.failed += 1
  failures.push({ title: '.ci/run itself', text: String(error) })
}
process.exitCode = counts.failed === 0 ? 0 : 1
for (const line of summarizeFailures(failures)) console.log(line)
console.log(`${counts.passed} passed, ${counts.failed} failed`)
