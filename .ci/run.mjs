/** The steps of `.ci/run`. Vitest counts by its tests, every other step as one; nothing is skipped. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { complaintsOf, retell } from './failures.mjs'
import { pnpm, root } from './pnpm.mjs'
import { build, install, script, step, tool, types, vitest } from './steps.mjs'

const minute = 60_000
const total = { passed: 0, failed: 0 }
const failures = []

async function one(title, command, timeoutMs = 3 * minute) {
  let output = ''
  const said = (text) => (output = text)
  const ok = (await step(title, command(), { timeoutMs, env: { CI: 'true' }, said })) === 0
  total[ok ? 'passed' : 'failed'] += 1
  if (!ok) failures.push({ title, text: complaintsOf(output) })
  return ok
}

/** Counts by test. A run that fails beyond its tests (a file that does not load, a stray rejection) is one failure more. */
async function tests(title, env = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'jetway-ci-'))
  const file = join(folder, 'vitest.json')
  const command = vitest('--reporter=default', `--reporter=${join(root, '.ci', 'reporter.mjs')}`)
  const code = await step(title, command, {
    timeoutMs: 12 * minute,
    env: { CI: 'true', JETWAY_REPORT: file, ...env },
  })
  const report = readReport(file)
  rmSync(folder, { recursive: true, force: true })
  const beyond = report.failed === 0 && (code !== 0 || report.passed === 0)
  total.passed += report.passed
  total.failed += beyond ? 1 : report.failed
  failures.push(...report.failures.map((failure) => ({ ...failure, title: `${title}: ${failure.title}` })))
  if (beyond && report.failures.length === 0) failures.push({ title: `${title}: no test was seen to fail` })
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return { passed: 0, failed: 0, failures: [{ title: 'it came to no report' }] }
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
  for (const folder of ['apps/runtimes/src/schemas', 'apps/examples/src/schemas', 'apps/examples/schemas']) {
    const jetway = [execPath, join(root, 'packages/cli/dist/main.js')]
    await one(`schema cache ${folder}`, () => [...jetway, 'schemas', 'check', '--out', folder])
  }
  await one('type tests', () => script('type-tests.mjs'), 5 * minute)
  await tests('vitest')
  if (proxy) await tests('behind nginx', { JETWAY_SYSTEM_TESTS: '1' })
  await one('packages', () => script('packages.mjs'), 6 * minute)
  await one(
    'conformance',
    () => [...pnpm(), '--filter', '@jetway-apps/everything', 'run', 'conformance'],
    6 * minute,
  )
  await one(
    'client conformance',
    () => [...pnpm(), '--filter', '@jetway-apps/everything', 'run', 'conformance:client'],
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
  failures.push({ title: 'the steps themselves', text: String(error) })
}
process.exitCode = total.failed === 0 ? 0 : 1
for (const line of retell(failures)) console.log(line)
console.log(`${total.passed} passed, ${total.failed} failed`)
