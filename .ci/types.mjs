/** Checks every TypeScript project of the repository: each folder with a tsconfig.json. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './pnpm.mjs'
import { tool } from './steps.mjs'

const folders = ['packages', 'apps'].flatMap((folder) =>
  readdirSync(join(root, folder)).map((name) => `${folder}/${name}`),
)
const projects = ['.', 'docs', ...folders, ...folders.map((folder) => `${folder}/test`)].filter((folder) =>
  existsSync(join(root, folder, 'tsconfig.json')),
)

// Projects see each other's sources, so that one mistake is reported by each that reaches it. It is said once.
const said = new Set()
for (const project of projects) {
  const [file, ...args] = tool('tsc', '--pretty', 'false', '--project', project)
  const { status, stdout, stderr, error } = spawnSync(file, args, { cwd: root, encoding: 'utf8' })
  if (error) console.error(error.message)
  // A message that goes on over further lines indents them.
  for (const message of (stdout + stderr).split(/\n(?! )/)) {
    if (message !== '' && !said.has(message)) console.error(message)
    said.add(message)
  }
  if (status !== 0) process.exitCode = 1
}
