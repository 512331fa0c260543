/**
 * `npm run docs` updates the tables of options, serves the site and reloads it on changes.
 * `npm run docs:build` builds it. Both fail on an export without JSDoc; the build also fails on a dead link,
 * and on a table that differs from the JSDoc.
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
