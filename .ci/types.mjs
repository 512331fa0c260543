/** Checks every TypeScript project of the repository: each folder with a tsconfig.json. */
import { readdirSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './pnpm.mjs'
import { run, tool } from './steps.mjs'

const folders = ['packages', 'apps'].flatMap((folder) =>
  readdirSync(join(root, folder)).map((name) => `${folder}/${name}`),
)
const projects = ['.', ...folders, ...folders.map((folder) => `${folder}/test`)].filter((folder) =>
  existsSync(join(root, folder, 'tsconfig.json')),
)

for (const project of projects) {
  if ((await run(tool('tsc', '--project', project))) !== 0) process.exitCode = 1
}
