/**
 * `npm run bench`: installs, builds and runs the benchmark. Arguments such as `--short` are passed to
 * `apps/bench`.
 */
import { argv, execPath } from 'node:process'
import { spawnSync } from 'node:child_process'
import { root } from '../.ci/pnpm.mjs'
import { build, install, stepOrExit } from './steps.mjs'

await stepOrExit('install', install(), { quiet: true })
await stepOrExit('build', build(), { quiet: true })

const bench = ['apps/bench/dist/main.js', ...argv.slice(2)]
const { status } = spawnSync(execPath, bench, { cwd: root, stdio: 'inherit' })
process.exitCode = status ?? 1
