/** `npm run bench`: installs, builds and measures. Arguments go to the bench, `--short` among them. */
import { argv, execPath } from 'node:process'
import { spawnSync } from 'node:child_process'
import { root } from './pnpm.mjs'
import { build, install, must } from './steps.mjs'

await must('install', install(), { quiet: true })
await must('build', build(), { quiet: true })

const bench = ['apps/bench/dist/main.js', ...argv.slice(2)]
const { status } = spawnSync(execPath, bench, { cwd: root, stdio: 'inherit' })
process.exitCode = status ?? 1
