/**
 * Installs one package from its tarball into an empty project with npm or pnpm, and then imports and
 * type-checks all of its entries there, as a user would. `skipLibCheck` is off, so the declarations of its
 * dependencies are checked as well.
 */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { exportsOf } from '../exports.mjs'
import { pnpm, root } from '../../.ci/pnpm.mjs'
import { run } from '../steps.mjs'

const compilerOf = (name) => join(root, 'apps', 'type-tests', 'node_modules', name, 'bin', 'tsc')
const COMPILER = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
const OLDER_COMPILERS = [
  ['5.9', compilerOf('typescript5')],
  ['6', compilerOf('typescript6')],
]

const NPM = [
  'npm',
  'install',
  '--prefer-offline',
  '--no-audit',
  '--no-fund',
  '--no-package-lock',
  '--loglevel=error',
]
const INSTALLS = {
  npm: () => NPM,
  pnpm: () => [
    ...pnpm(),
    'install',
    '--prefer-offline',
    '--ignore-workspace',
    '--no-lockfile',
    '--reporter=silent',
  ],
}

/** The most that an installation may add: the number of packages, and the kilobytes on disk. */
const FOOTPRINTS = {
  // This excludes zod.
  core: { packages: 9, kilobytes: 2500 },
  // The package itself with 12 dependencies (fflate packs bundles), tsx with esbuild and its binary, and the types
  // of Node and undici.
  cli: { packages: 18, kilobytes: 32_000 },
}

const source = (name) => join(root, 'packages', name)
const manifestOf = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

/**
 * @param {string} manager `npm` (without the optional peers) or `pnpm` (with them)
 * @param {string} name the package's folder
 * @param {Map<string, string>} tarballs paths by package name
 * @returns {Promise<string[]>} problems
 */
export async function checkInstall(manager, name, tarballs, folder) {
  const own = manifestOf(source(name))
  mkdirSync(folder)
  writeProject(folder, own, tarballs, manager === 'pnpm')
  if ((await run(INSTALLS[manager](), { quiet: true, cwd: folder })) !== 0) return ['the install fails']
  const problems = manager === 'npm' ? checkFootprint(folder, name) : []
  const entries = [...exportsOf(source(name))]
  if (!(await loads(folder, entries)))
    problems.push('importing its entries fails, or their names differ from its source')
  if (!(await compiles(folder, COMPILER, entries, own)))
    problems.push('TypeScript 7 reports errors in its types')
  return problems
}

/**
 * Type-checks the entries of all packages in one project with the older versions of TypeScript, which take
 * seconds to start. They differ from the newest in how they read declarations, but not in how they find them.
 *
 * @param {readonly string[]} names the packages' folders
 * @param {Map<string, string>} tarballs paths by package name
 * @returns {Promise<string[]>} problems
 */
export async function checkOlderCompilers(names, tarballs, folder) {
  const all = { name: 'all', peerDependencies: {} }
  for (const name of names) {
    const own = manifestOf(source(name))
    Object.assign(all.peerDependencies, own.peerDependencies, { [own.name]: own.version })
  }
  mkdirSync(folder)
  writeProject(folder, all, tarballs, true)
  if ((await run(INSTALLS.npm(), { quiet: true, cwd: folder })) !== 0) return ['the install fails']
  const entries = names.flatMap((name) => [...exportsOf(source(name))])
  const problems = []
  for (const [version, compiler] of OLDER_COMPILERS)
    if (!(await compiles(folder, compiler, entries, all)))
      problems.push(`TypeScript ${version} reports errors in the types`)
  return problems
}

/** The declarations of all other packages use Node's types. Those of these packages must compile without them. */
const needsNodeTypes = (name) => !['@jetway/core', '@jetway/json-schema'].includes(name)

function writeProject(folder, own, tarballs, everything) {
  const siblings = tarballsOf(own, tarballs)
  const { peerDependencies: peers = {}, peerDependenciesMeta: meta = {} } = own
  const needed = Object.entries(peers).filter(
    ([peer]) => !tarballs.has(peer) && (everything || !meta[peer]?.optional),
  )
  const project = {
    name: 'project',
    private: true,
    type: 'module',
    dependencies: { ...siblings, ...Object.fromEntries(needed) },
    devDependencies: needsNodeTypes(own.name) ? { '@types/node': '^20.19.0' } : {},
    pnpm: { overrides: siblings },
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(project, null, 2))
}

/**
 * Returns the tarballs of a package and of its dependencies in this repository, because none of these
 * versions is published yet.
 */
function tarballsOf({ name, dependencies = {}, peerDependencies = {} }, tarballs, specs = {}) {
  if (tarballs.has(name)) specs[name] = `file:${tarballs.get(name)}`
  for (const needed of Object.keys({ ...dependencies, ...peerDependencies }))
    if (tarballs.has(needed) && !(needed in specs))
      tarballsOf(manifestOf(source(needed.replace('@jetway/', ''))), tarballs, specs)
  return specs
}

function checkFootprint(folder, name) {
  const budget = FOOTPRINTS[name]
  if (budget === undefined) return []
  const { packages, kilobytes } = footprint(join(folder, 'node_modules'))
  console.log(`@jetway/${name} installs ${packages} packages, ${kilobytes.toFixed(0)} KB`)
  return packages <= budget.packages && kilobytes <= budget.kilobytes
    ? []
    : [`installing it adds more than ${budget.packages} packages or ${budget.kilobytes} KB`]
}

function footprint(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  const manifests = files.filter((file) =>
    /node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+[\\/]package\.json$/.test(file),
  )
  return {
    packages: manifests.length,
    kilobytes: files.reduce((sum, file) => sum + statSync(file).size, 0) / 1000,
  }
}

/** Checks that every entry exports the values in its list, and no others. */
async function loads(folder, entries) {
  const expected = entries.map(([entry, names]) => [entry, names.filter((name) => !name.startsWith('type '))])
  const code = `
import { deepStrictEqual } from 'node:assert/strict'
for (const [entry, names] of ${JSON.stringify(expected)})
  deepStrictEqual(Object.keys(await import(entry)).toSorted(), names.toSorted(), entry)
`
  writeFileSync(join(folder, 'load.mjs'), code)
  return (await run([execPath, 'load.mjs'], { quiet: true, cwd: folder })) === 0
}

async function compiles(folder, compiler, entries, { name }) {
  const imports = entries.map(([entry], at) => `import * as entry${at} from '${entry}'`)
  const all = entries.map((_, at) => `entry${at}`).join(', ')
  writeFileSync(
    join(folder, 'check.ts'),
    `${imports.join('\n')}\nexport const all: readonly object[] = [${all}]\n`,
  )
  const types = needsNodeTypes(name) ? ['node'] : []
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2022',
    strict: true,
    skipLibCheck: false,
    noEmit: true,
    types,
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['check.ts'] }))
  return (await run([execPath, compiler, '--pretty', 'false'], { quiet: true, cwd: folder })) === 0
}
