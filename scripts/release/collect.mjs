/**
 * Completes the folder of a release, in which `.ci/run` has put the tested tarballs and a list of what each
 * one installs. Writes `release.json` (names, digests and the upload order) and `notes.md`, and copies the
 * scripts that upload and verify. The argument is the folder.
 */
import { execFileSync } from 'node:child_process'
import { appendFileSync, copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { argv, env } from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { readFacts } from '../project/facts.mjs'
import { notesOf } from '../project/changelog.mjs'
import { integrityOf } from './upload.mjs'

const WORKFLOW = '.github/workflows/release.yml'
const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * @template {{ name: string, needs: readonly string[] }} T
 * @param {readonly T[]} packages @returns {T[]} the packages, each one after its dependencies
 */
export function inOrder(packages) {
  const byName = new Map(packages.map((entry) => [entry.name, entry]))
  const ordered = new Set()
  const add = (entry) => {
    for (const name of entry.needs) if (byName.has(name)) add(byName.get(name))
    ordered.add(entry)
  }
  for (const entry of packages.toSorted((a, b) => (a.name < b.name ? -1 : 1))) add(entry)
  return [...ordered]
}

/**
 * @param {string} folder @param {Record<string, any>} facts the facts of the project
 * @returns {any} the content of `release.json`
 * @throws Error if something is missing
 */
export function describeRelease(folder, { repository, publishing, published }) {
  if (!published)
    throw new Error('Set published to true in .github/project.json first: npm gets the README as it is')
  const tarballs = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  if (tarballs.length === 0)
    throw new Error(`${folder} has no tarballs. JETWAY_RELEASE=<folder> bash .ci/run puts them there`)
  const packages = tarballs.map((file) => {
    const manifest = JSON.parse(
      execFileSync('tar', ['-xOzf', join(folder, file), 'package/package.json'], { encoding: 'utf8' }),
    )
    const sbom = file.replace(/\.tgz$/, '.cdx.json')
    if (!existsSync(join(folder, sbom))) throw new Error(`${sbom} is missing`)
    const { name, version, dependencies = {}, peerDependencies = {} } = manifest
    const needs = Object.keys({ ...dependencies, ...peerDependencies })
    return { needs, name, entry: { name, version, file, sbom, integrity: integrityOf(join(folder, file)) } }
  })
  const versions = new Set(packages.map(({ entry }) => entry.version))
  if (versions.size !== 1) throw new Error(`The packages have several versions: ${[...versions].join(', ')}`)
  const [version] = versions
  return {
    version,
    tag: `v${version}`,
    publishing,
    repository,
    workflow: WORKFLOW,
    packages: inOrder(packages).map(({ entry }) => entry),
  }
}

function main() {
  const [, , folder] = argv
  if (folder === undefined) throw new Error('Name the folder of the release')
  const release = describeRelease(folder, readFacts(root))
  writeFileSync(join(folder, 'release.json'), `${JSON.stringify(release, null, 2)}\n`)
  writeFileSync(
    join(folder, 'notes.md'),
    notesOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), release.version),
  )
  for (const name of ['upload.mjs', 'verify.mjs'])
    copyFileSync(new URL(name, import.meta.url), join(folder, name))
  if (env.GITHUB_OUTPUT !== undefined) appendFileSync(env.GITHUB_OUTPUT, `tag=${release.tag}\n`)
  console.log(`${release.tag}: ${release.packages.map(({ name }) => name).join(', ')}`)
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) main()
