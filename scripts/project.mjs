/**
 * Compares all files that depend on the facts in `.github/project.json` with these facts: manifests, the
 * licence, policy files, and the passages of documents about installing. Without arguments, prints the
 * differences and exits with code 1; `--write` (`npm run project`) updates the files. `--scope @other`
 * renames the scope of the packages in all files of the repository.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { argv, exit } from 'node:process'
import { fileURLToPath } from 'node:url'
import { writtenFiles } from './project/documents.mjs'
import { renameScope } from './project/scope.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

function main() {
  const scope = argv.indexOf('--scope')
  if (scope !== -1) {
    const changed = renameScope(root, argv[scope + 1] ?? '')
    console.log(
      `${changed} files renamed. Run node .ci/pnpm.mjs install, npm run snippets and npm run project next`,
    )
    return
  }
  const { files, problems } = writtenFiles(root)
  const differing = [...files].filter(([, { current, wanted }]) => current !== wanted)
  if (argv.includes('--write'))
    for (const [file, { wanted }] of differing) {
      mkdirSync(dirname(join(root, file)), { recursive: true })
      writeFileSync(join(root, file), wanted)
    }
  else
    problems.push(...differing.map(([file]) => `${file} differs from .github/project.json: npm run project`))
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) exit(1)
}

try {
  main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  exit(1)
}
