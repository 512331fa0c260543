/**
 * `npm run auth-demo`: installs, builds and starts an authorization server, and a weather server that
 * requires its tokens. Arguments are passed on.
 */
import { join } from 'node:path'
import { argv, execPath } from 'node:process'
import { pathToFileURL } from 'node:url'
import { root } from '../.ci/pnpm.mjs'
import { build, install, stepOrExit } from './steps.mjs'

await stepOrExit('install', install(), { quiet: true })
await stepOrExit('build', build(), { quiet: true })

// The servers run in this process rather than in a child, so that Ctrl-C and other signals reach them directly.
const main = join(root, 'apps', 'auth-server', 'dist', 'main.js')
process.argv = [execPath, main, ...argv.slice(2)]
await import(pathToFileURL(main).href)

// `kill <pid of npm>` ends npm but not its children. When the parent process changes, the servers are also
// stopped.
const parent = process.ppid
setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM')
}, 500).unref()
