/** `npm run check`: type-checks the repository. */
import { spawnSync } from 'node:child_process'
import { root } from '../.ci/pnpm.mjs'
import { tool } from './steps.mjs'

/**
 * As few programs as the options allow, since each parses what it imports again: packages without types of
 * Node, packages with `isolatedDeclarations`, programs of users, and everything else.
 */
const PROJECTS = ['packages/core', 'tsconfig.packages.json', 'apps/type-tests', '.']

// Projects import each other's sources, so several of them report the same error. Print it once.
const printed = new Set()
for (const project of PROJECTS) {
  const [file, ...args] = tool('tsc', '--pretty', 'false', '--project', project)
  const { status, stdout, stderr, error } = spawnSync(file, args, { cwd: root, encoding: 'utf8' })
  if (error) console.error(error.message)
  // The further lines of a message are indented.
  for (const message of (stdout + stderr).split(/\n(?! )/)) {
    if (message !== '' && !printed.has(message)) console.error(message)
    printed.add(message)
  }
  if (status !== 0) process.exitCode = 1
}
