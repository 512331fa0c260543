/**
 * `npm run cluster`: installs, builds and starts Redis, three processes of one server, and a load balancer.
 */
import { join } from 'node:path'
import { execPath } from 'node:process'
import { pathToFileURL } from 'node:url'
import { root } from '../.ci/pnpm.mjs'
import { build, install, stepOrExit } from './steps.mjs'

await stepOrExit('install', install(), { quiet: true })
await stepOrExit('build', build(), { quiet: true })

// The cluster runs in this process rather than in a child, so that Ctrl-C and other signals reach it directly.
const main = join(root, 'apps', 'cluster', 'dist', 'main.js')
process.argv = [execPath, main]
await import(pathToFileURL(main).href)

// `kill <pid of npm>` ends npm but not its children. Therefore, the cluster also stops when the parent process
// changes.
const parent = process.ppid
setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM')
}, 500).unref()
