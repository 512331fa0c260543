/** `npm run check`: type-checks every folder that has a `tsconfig.json`. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../.ci/pnpm.mjs'
import { tool } from './steps.mjs'

const folders = ['packages', 'apps'].flatMap((folder) =>
  readdirSync(join(root, folder)).map((name) => `${folder}/${name}`),
)
const projects = ['.', 'docs', ...folders, ...folders.map((folder) => `${folder}/test`)].filter((folder) =>
  existsSync(join(root, folder, 'tsconfig.json')),
)

// Projects import each other's sources, so several of them report the same error. Print it once.
const printed = new Set()
for (const project of projects) {
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
