/** Checks the files, the manifest and the size of a tarball. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'
import { root } from '../../.ci/pnpm.mjs'

const KB = 1000

/**
 * The maximum size of each tarball in kilobytes, packed and unpacked, with room for normal growth. If a
 * change needs more, raise the number and explain why here.
 */
const BUDGETS = {
  core: { packed: 320, unpacked: 1300 },
  // The client has nine entries, of which a host imports two or three.
  client: { packed: 150, unpacked: 520 },
  // The command contains core, the client, the mount for node:http, the reader of OpenAPI documents, and the schema of
  // the registry.
  cli: { packed: 325, unpacked: 1150 },
  // This package includes an authorization server for tests, and the contracts of adapters, stores and sources.
  testing: { packed: 58, unpacked: 220 },
}
const OTHERS = { packed: 60, unpacked: 240 }

const NEEDED = ['LICENSE', 'README.md', 'package.json']
const ALLOWED = [...NEEDED, 'CHANGELOG.md']
const CODE = /^dist\/.*\.(?:c?js|d\.c?ts)$/
/**
 * Schemas that editors and the command read, and the licence of a schema that is not ours. Its name does not
 * contain "license", because pnpm would then not add our own.
 */
const SCHEMA = /^schemas\/[a-z]+\.schema\.(?:json|notice\.txt)$/
/** Names that are used only inside this repository. */
const INTERNAL = /(?:^|[./-])(?:test|tests|fixtures|spec)(?:[./-]|$)|jetway:source|workspace:/

/**
 * @param {string} tarball @param {string} folder where to unpack it
 * @returns {string[]} problems
 */
export function checkTarball(tarball, folder, name) {
  execFileSync('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1'])
  const files = filesBelow(folder)
  return [
    ...checkFiles(files, templatesOf(name)),
    ...checkManifest(folder),
    ...checkSize(tarball, folder, files, name),
  ]
}

/**
 * Returns the files that `create-jetway` copies. npm leaves out some file names, so a file may be missing
 * from the tarball.
 */
function templatesOf(name) {
  const folder = join(root, 'packages', name, 'templates')
  if (!existsSync(folder)) return []
  return filesBelow(folder).map((file) => `templates/${file}`)
}

const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))

function checkFiles(files, templates) {
  const missing = [...NEEDED, ...templates]
    .filter((file) => !files.includes(file))
    .map((file) => `${file} is missing`)
  const unexpected = files
    .filter((file) => !ALLOWED.includes(file) && !SCHEMA.test(file) && !templates.includes(file))
    .filter((file) => !CODE.test(file) || INTERNAL.test(file))
    .map((file) => `${file} should not be published`)
  return [...missing, ...unexpected]
}

function checkManifest(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const { exports, dependencies, peerDependencies, bin, engines, license, type } = manifest
  const internal = INTERNAL.test(JSON.stringify({ exports, dependencies, peerDependencies, bin }))
  const problems = internal ? ['package.json names a path, condition or protocol of this repository'] : []
  if (engines?.node === undefined) problems.push('package.json has no engines.node')
  if (license !== 'MIT' || type !== 'module')
    problems.push('package.json needs "type": "module" and "license": "MIT"')
  return problems
}

function checkSize(tarball, folder, files, name) {
  const budget = BUDGETS[name] ?? OTHERS
  const scripts = files.filter((file) => file.endsWith('js')).map((file) => readFileSync(join(folder, file)))
  const size = {
    packed: statSync(tarball).size / KB,
    unpacked: files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0) / KB,
  }
  const gzipped = scripts.reduce((sum, code) => sum + gzipSync(code).length, 0) / KB
  const sizes = Object.keys(budget).map((kind) => `${size[kind].toFixed(0)} of ${budget[kind]} KB ${kind}`)
  console.log(`@jetway/${name}: ${sizes.join(', ')}, its JavaScript ${gzipped.toFixed(0)} KB gzipped`)
  return Object.keys(budget)
    .filter((kind) => size[kind] > budget[kind])
    .map(
      (kind) =>
        `${size[kind].toFixed(0)} KB ${kind}, more than the budget of ${budget[kind]} KB in scripts/packages/tarball.mjs`,
    )
}
