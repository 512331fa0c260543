/** `npm run chat -- SERVER`: installs, builds and chats. The arguments are the app's own. */
import { join } from 'node:path'
import { argv, execPath } from 'node:process'
import { pathToFileURL } from 'node:url'
import { root } from './pnpm.mjs'
import { build, install, must } from './steps.mjs'

await must('install', install(), { quiet: true })
await must('build', build(), { quiet: true })

// In this very process: Ctrl-C and the terminal are the app's.
const main = join(root, 'apps', 'chat', 'dist', 'main.js')
process.argv = [execPath, main, ...argv.slice(2)]
await import(pathToFileURL(main).href)
