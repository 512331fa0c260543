/** The steps of `.ci/run`. Vitest counts by its tests, every other step as one; nothing is skipped. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { pnpm, root } from './pnpm.mjs'
import { build, install, script, step, tool, types, vitest } from './steps.mjs'

const minute = 60_000
const total = { passed: 0, failed: 0 }

async function one(title, command, timeoutMs = 3 * minute) {
  const ok = (await step(title, command(), { timeoutMs, env: { CI: 'true' } })) === 0
  total[ok ? 'passed' : 'failed'] += 1
  return ok
}

/** Vitest's own counts. A run that fails beyond its tests (a file that does not load, a stray rejection) is one failure more. */
async function tests(title, env = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'jetway-ci-'))
  const file = join(folder, 'vitest.json')
  const command = vitest('--reporter=default', '--reporter=json', `--outputFile.json=${file}`)
  const code = await step(title, command, { timeoutMs: 8 * minute, env: { CI: 'true', ...env } })
  const report = readReport(file)
  rmSync(folder, { recursive: true, force: true })
  const failed = report.numFailedTests + report.numPendingTests + report.numTodoTests
  total.passed += report.numPassedTests
  total.failed += failed === 0 && (code !== 0 || report.numPassedTests === 0) ? 1 : failed
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0 }
  }
}

async function steps() {
  if (!(await one('install', install, 5 * minute))) return
  const browser = await one('chromium', () => script('chromium.mjs'), 5 * minute)
  const proxy = await one('nginx', () => script('nginx.mjs'), 5 * minute)
  await one('format', () => tool('oxfmt', '--check'))
  await one('lint', () => tool('oxlint', '--deny-warnings'))
  await one('types', types)
  await one('unused code', () => tool('knip'))
  if (!(await one('build', build))) return
  await one('type tests', () => script('type-tests.mjs'), 5 * minute)
  await tests('vitest')
  if (proxy) await tests('behind nginx', { JETWAY_SYSTEM_TESTS: '1' })
  await one('packages', () => script('packages.mjs'))
  await one(
    'conformance',
    () => [...pnpm(), '--filter', '@jetway-apps/everything', 'run', 'conformance'],
    6 * minute,
  )
  await one('inspector', () => script('inspector.mjs'))
  const built = await one('docs', () => script('docs.mjs', 'build'))
  if (browser && built)
    await one('docs in a browser', () => [execPath, join(root, 'docs', 'scripts', 'look.mjs')])
  await one('bench', () => script('bench.mjs', '--short'), 4 * minute)
}

try {
  await steps()
} catch (error) {
  console.error(error)
  total.failed += 1
}
process.exitCode = total.failed === 0 ? 0 : 1
console.log(`${total.passed} passed, ${total.failed} failed`)
