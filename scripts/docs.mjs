/**
 * `npm run docs` updates the tables of options, serves the site, and reloads it on changes.
 * `npm run docs:build` builds the site. Both fail if an export has no JSDoc. The build also fails if there is a
 * dead link, or if a table differs from the JSDoc.
 */
import { join } from 'node:path'
import { argv, execPath } from 'node:process'
import { root } from '../.ci/pnpm.mjs'
import { step, stepOrExit } from './steps.mjs'

const docs = join(root, 'docs')
const [command = 'dev'] = argv.slice(2)

const members = [execPath, join(docs, 'scripts', 'members.mjs'), ...(command === 'build' ? [] : ['--write'])]
const membersExitCode = await step('tables of options', members)
const apiExitCode = await step('API reference', [execPath, join(docs, 'scripts', 'api.mjs')])
await stepOrExit('site', [join(docs, 'node_modules', '.bin', 'vitepress'), command, docs])
if (command === 'build') await stepOrExit('links', [execPath, join(docs, 'scripts', 'links.mjs')])
process.exitCode = membersExitCode || apiExitCode
