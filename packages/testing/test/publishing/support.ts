import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

export const root: URL = new URL('../../../../', import.meta.url)

/** Imports a script from this repository. */
export const load = async <T>(path: string): Promise<T> => (await import(new URL(path, root).href)) as T

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'publishing-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Facts for a project in which everything has been decided. The addresses belong to nobody. */
export const DECIDED: Readonly<Record<string, unknown>> = {
  owner: 'acme',
  repository: 'https://github.com/acme/jetway',
  homepage: 'https://jetway.example',
  docs: 'https://docs.jetway.example',
  copyright: 'Acme',
  securityContact: 'security@jetway.example',
  securityDays: 7,
  conductContact: 'conduct@jetway.example',
  maintainers: ['@alice', '@acme/core'],
  mcpNamespace: 'io.github.acme',
  publishing: 'staged',
  published: true,
}

const COPIED = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'LICENSE', '.github', 'docs']

/** The files to copy from each package. */
const OF_PACKAGES = ['package.json', 'README.md']

/** Returns whether a file or folder is generated or installed. */
const isExtra = (path: string): boolean =>
  ['node_modules', 'dist', 'cache'].includes(basename(path)) || path.includes(join('reference', 'api'))

/** Copies the documents, manifests and scripts of this repository. */
export function copyRepository(): string {
  const folder = temporaryFolder()
  const copy = (path: string): void =>
    cpSync(fileURLToPath(new URL(path, root)), join(folder, path), {
      recursive: true,
      filter: (source) => !isExtra(source),
    })
  for (const path of [...COPIED, 'scripts', 'apps/examples/deploy']) copy(path)
  const packages = readdirSync(new URL('packages', root)).filter((name) =>
    existsSync(new URL(`packages/${name}/package.json`, root)),
  )
  for (const name of packages) for (const file of OF_PACKAGES) copy(`packages/${name}/${file}`)
  return folder
}

/** Writes the facts into a copy of the repository. */
export function decide(folder: string, facts: Readonly<Record<string, unknown>>): void {
  writeFileSync(join(folder, '.github', 'project.json'), `${JSON.stringify(facts, null, 2)}\n`)
}

/** Runs `scripts/project.mjs` in a copy of the repository. */
export function project(
  folder: string,
  ...args: readonly string[]
): { code: number | null; problems: string } {
  const { status, stderr } = spawnSync(process.execPath, [join(folder, 'scripts/project.mjs'), ...args], {
    encoding: 'utf8',
  })
  return { code: status, problems: stderr }
}

/** Reads all files in a folder whose names match. Returns their texts, keyed by path. */
export function textsIn(folder: string, pattern: RegExp): ReadonlyMap<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return new Map(
    names
      .filter((name) => pattern.test(name) && dirname(name) !== 'scripts')
      .map((name) => [name.replaceAll('\\', '/'), readFileSync(join(folder, name), 'utf8')]),
  )
}
