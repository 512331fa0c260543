/**
 * `npm test`: installs, builds and runs vitest. Types are checked by `.ci/run`. `--long` runs the reliability tests
 * instead, and writes the results to `docs/reference/reliability.md`. With `JETWAY_LONG_TESTS=full`, tests that
 * also have a short form run in full. All other arguments are passed to vitest.
 */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { argv, env, exit, pid } from 'node:process'
import { BUILT, build, install, script, step, stepOrExit, vitest } from './steps.mjs'

const args = argv.slice(2)

await stepOrExit('install', install(), { quiet: true })
await stepOrExit('build', build(), { quiet: true })
if (args.includes('--long')) exit(await long(args.filter((arg) => arg !== '--long')))
exit(await step('tests', vitest(...args), { env: BUILT }))

/** @param {readonly string[]} rest */
async function long(rest) {
  // Some long tests run behind nginx, or with Redis.
  await stepOrExit('nginx', script('.ci/nginx.mjs'))
  await stepOrExit('redis', script('.ci/redis.mjs'))
  const form = env['JETWAY_LONG_TESTS'] ?? 'short'
  const report = join(tmpdir(), `jetway-long-tests-${pid}.json`)
  const command = vitest('--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...rest)
  const code = await step('long tests', command, { env: { ...BUILT, JETWAY_LONG_TESTS: form } })
  // If only some files had run, all others would be reported as not measured.
  const all = rest.every((arg) => arg.startsWith('-'))
  if (all) await stepOrExit('page', script('apps/reliability/dist/page.js', report, form))
  return code
}
