/**
 * A user's project: empty but for one package, installed from its tarball by npm or pnpm, on the Node that runs this.
 * Everything it exports is loaded there, and type-checked with the libraries' own declarations.
 */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { exportsOf } from '../exports.mjs'
import { pnpm, root } from '../pnpm.mjs'
import { run } from '../steps.mjs'

const aliased = (name) => join(root, 'apps', 'type-tests', 'node_modules', name, 'bin', 'tsc')
const COMPILERS = [
  ['5.9', aliased('typescript5')],
  ['6', aliased('typescript6')],
  ['7', join(root, 'node_modules', 'typescript', 'bin', 'tsc')],
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

/** The budget of core without zod: packages, and kilobytes on disk. */
const CORE = { packages: 9, kilobytes: 2500 }

const source = (name) => join(root, 'packages', name)
const manifestOf = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

/**
 * @param {string} manager `npm`, which leaves optional peers out, or `pnpm`, which is given them
 * @param {string} name of the package's folder
 * @param {Map<string, string>} tarballs by the names of packages
 * @returns {Promise<string[]>} what is wrong
 */
export async function tryPackage(manager, name, tarballs, folder) {
  const own = manifestOf(source(name))
  mkdirSync(folder)
  writeProject(folder, own, tarballs, manager === 'pnpm')
  if ((await run(INSTALLS[manager](), { quiet: true, cwd: folder })) !== 0) return ['it cannot be installed']
  const wrong = name === 'core' && manager === 'npm' ? judgeFootprint(folder) : []
  const entries = [...exportsOf(source(name))].filter(([entry]) => manager === 'pnpm' || !needsPeer(entry))
  if (!(await loads(folder, entries))) wrong.push('it cannot be loaded')
  // Where pnpm puts things is another matter than what a compiler makes of them: one is enough there.
  for (const [version, compiler] of manager === 'npm' ? COMPILERS : COMPILERS.slice(-1))
    if (!(await compiles(folder, compiler, entries, own)))
      wrong.push(`TypeScript ${version} finds fault with its types`)
  return wrong
}

/** Declarations of what runs on Node speak of Node's. Core has to do without. */
const withNode = (name) => name !== '@jetway/core'

/** What stands for an optional peer, and is loaded by those who have it. */
const needsPeer = (entry) => entry === '@jetway/core/zod3'

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
    devDependencies: withNode(own.name) ? { '@types/node': '^20.19.0' } : {},
    pnpm: { overrides: siblings },
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(project, null, 2))
}

/** A package, and those of this repository that it needs. None of them is in the registry in this version. */
function tarballsOf({ name, dependencies = {}, peerDependencies = {} }, tarballs, found = {}) {
  found[name] = `file:${tarballs.get(name)}`
  for (const needed of Object.keys({ ...dependencies, ...peerDependencies }))
    if (tarballs.has(needed) && !(needed in found))
      tarballsOf(manifestOf(source(needed.slice('@jetway/'.length))), tarballs, found)
  return found
}

function judgeFootprint(folder) {
  const { packages, kilobytes } = footprint(join(folder, 'node_modules'))
  console.log(`@jetway/core installs ${packages} packages, ${kilobytes.toFixed(0)} KB`)
  return packages <= CORE.packages && kilobytes <= CORE.kilobytes
    ? []
    : [`its install is beyond ${CORE.packages} packages or ${CORE.kilobytes} KB`]
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

/** Every entry exports the values that its list names, and no others, under the condition for bundlers too. */
async function loads(folder, entries) {
  const expected = entries.map(([entry, names]) => [entry, names.filter((name) => !name.startsWith('type '))])
  const code = `
import { deepStrictEqual } from 'node:assert/strict'
for (const [entry, names] of ${JSON.stringify(expected)})
  deepStrictEqual(Object.keys(await import(entry)).toSorted(), names.toSorted(), entry)
`
  writeFileSync(join(folder, 'load.mjs'), code)
  for (const conditions of [[], ['--conditions=jetway-edge']])
    if ((await run([execPath, ...conditions, 'load.mjs'], { quiet: true, cwd: folder })) !== 0) return false
  return true
}

async function compiles(folder, compiler, entries, { name }) {
  const imports = entries.map(([entry], at) => `import * as entry${at} from '${entry}'`)
  const all = entries.map((_, at) => `entry${at}`).join(', ')
  writeFileSync(
    join(folder, 'check.ts'),
    `${imports.join('\n')}\nexport const all: readonly object[] = [${all}]\n`,
  )
  const types = withNode(name) ? ['node'] : []
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
