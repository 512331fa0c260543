/** `npm test`: installs, builds, checks the types (type tests are files of their own) and runs vitest; `--long` runs the long tests. */
import { argv } from 'node:process'
import { build, install, must, script, types, vitest } from './steps.mjs'

const args = argv.slice(2)
const long = args.includes('--long')

await must('install', install(), { quiet: true })
await must('build', build(), { quiet: true })
await must('types', types())
// Some of the long ones are behind nginx.
if (long) await must('nginx', script('nginx.mjs'))
await must(long ? 'long tests' : 'tests', vitest(...args.filter((arg) => arg !== '--long')), {
  env: long ? { JETWAY_LONG_TESTS: '1' } : {},
})
