/**
 * `npm test`: installs, builds, checks types and runs vitest. `--long` runs the long tests instead. Passes other
 * arguments to vitest.
 */
import { argv } from 'node:process'
import { BUILT, build, install, script, stepOrExit, types, vitest } from './steps.mjs'

const args = argv.slice(2)
const long = args.includes('--long')

await stepOrExit('install', install(), { quiet: true })
await stepOrExit('build', build(), { quiet: true })
await stepOrExit('types', types())
// Some long tests run behind nginx.
if (long) await stepOrExit('nginx', script('.ci/nginx.mjs'))
await stepOrExit(long ? 'long tests' : 'tests', vitest(...args.filter((arg) => arg !== '--long')), {
  env: { ...BUILT, ...(long ? { JETWAY_LONG_TESTS: '1' } : {}) },
})
