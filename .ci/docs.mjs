/** `npm run docs` serves the site while it is written, `npm run docs:build` builds it; dead links and bare exports fail. */
import { join } from 'node:path'
import { argv, execPath } from 'node:process'
import { root } from './pnpm.mjs'
import { must, step } from './steps.mjs'

const docs = join(root, 'docs')
const [command = 'dev'] = argv.slice(2)

const described = await step('API reference', [execPath, join(docs, 'scripts', 'api.mjs')])
await must('site', [join(docs, 'node_modules', '.bin', 'vitepress'), command, docs])
if (command === 'build') await must('links', [execPath, join(docs, 'scripts', 'links.mjs')])
process.exitCode = described
