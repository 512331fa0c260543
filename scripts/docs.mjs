/**
 * `npm run docs` serves the site and reloads it on changes. `npm run docs:build` builds it. Both fail on an export
 * without JSDoc; the build also fails on a dead link.
 */
import { join } from 'node:path'
import { argv, execPath } from 'node:process'
import { root } from '../.ci/pnpm.mjs'
import { step, stepOrExit } from './steps.mjs'

const docs = join(root, 'docs')
const [command = 'dev'] = argv.slice(2)

const apiExitCode = await step('API reference', [execPath, join(docs, 'scripts', 'api.mjs')])
await stepOrExit('site', [join(docs, 'node_modules', '.bin', 'vitepress'), command, docs])
if (command === 'build') await stepOrExit('links', [execPath, join(docs, 'scripts', 'links.mjs')])
process.exitCode = apiExitCode
