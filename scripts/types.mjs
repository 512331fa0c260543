/** `npm run check`: type-checks the repository. */
import { spawnSync } from 'node:child_process'
import { root } from '../.ci/pnpm.mjs'
import { tool } from './steps.mjs'

/**
 * Each program parses its imports again, so there are as few programs as the options allow: packages without
 * Node's types, packages with `isolatedDeclarations`, programs written by users, and everything else.
 */
const PROJECTS = ['packages/core', 'tsconfig.packages.json', 'apps/type-tests', '.']

// Projects import each other's sources, so several projects may report the same error, which is printed only once.
const printed = new Set()
for (const project of PROJECTS) {
  const [file, ...args] = tool('tsc', '--pretty', 'false', '--project', project)
  const { status, stdout, stderr, error } = spawnSync(file, args, { cwd: root, encoding: 'utf8' })
  if (error) console.error(error.message)
  // Continuation lines of a message are indented, so each other line starts a message.
  for (const message of (stdout + stderr).split(/\n(?! )/)) {
    if (message !== '' && !printed.has(message)) console.error(message)
    printed.add(message)
  }
  if (status !== 0) process.exitCode = 1
}
