/** `npm run chat -- SERVER`: installs, builds and starts `apps/chat` with the given arguments. */
import { join } from 'node:path'
import { argv, execPath } from 'node:process'
import { pathToFileURL } from 'node:url'
import { root } from '../.ci/pnpm.mjs'
import { build, install, stepOrExit } from './steps.mjs'

await stepOrExit('install', install(), { quiet: true })
await stepOrExit('build', build(), { quiet: true })

// The app runs in this process rather than in a child, because it reads the terminal and handles Ctrl-C itself.
const main = join(root, 'apps', 'chat', 'dist', 'main.js')
process.argv = [execPath, main, ...argv.slice(2)]
await import(pathToFileURL(main).href)
