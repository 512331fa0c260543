/** `npm start`: installs, builds and serves the weather server over HTTP. Further arguments are the server's own. */
import { join } from 'node:path'
import { argv, execPath } from 'node:process'
import { pathToFileURL } from 'node:url'
import { root } from './pnpm.mjs'
import { build, install, must } from './steps.mjs'

await must('install', install(), { quiet: true })
await must('build', build(), { quiet: true })

// In this very process: Ctrl-C and every other signal reach the server without a messenger.
const main = join(root, 'apps', 'weather', 'dist', 'main.js')
process.argv = [execPath, main, '--http', ...argv.slice(2)]
await import(pathToFileURL(main).href)

// npm that is ended by its own process id leaves its children running; this one notices and ends as told to.
const parent = process.ppid
setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM')
}, 500).unref()
