/**
 * Packs every package as it is published to npm, and checks the tarball: its files, size and manifest
 * (tarball.mjs), its exports (publint), how its types resolve (attw), and that it installs, loads and
 * type-checks in an empty npm or pnpm project (project.mjs). Arguments select packages, such as `core`; by
 * default, all packages are checked. Requires a build and access to the registry.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { argv } from 'node:process'
import { checkInstall } from './packages/project.mjs'
import { checkTarball } from './packages/tarball.mjs'
import { pnpm, root } from '../.ci/pnpm.mjs'
import { run, script, tool } from './steps.mjs'

const folder = mkdtempSync(join(tmpdir(), 'jetway-packages-'))
const names = readdirSync(join(root, 'packages')).filter((name) =>
  existsSync(join(root, 'packages', name, 'package.json')),
)
const selected = argv.length > 2 ? argv.slice(2) : names
const problems = []

async function runCheck(name, command) {
  if ((await run(command, { quiet: true })) !== 0) problems.push(name)
}

function addProblems(name, found) {
  for (const problem of found) problems.push(`${name}: ${problem}`)
}

const manifestOf = (name) => JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'))

/** Packs all packages. Returns the path of each tarball by package name. */
async function pack() {
  const all = ['--filter', './packages/*', '--recursive', 'pack', '--pack-destination', folder]
  await runCheck('pack', [...pnpm(), ...all])
  const tarballs = new Map()
  for (const name of names) {
    const manifest = manifestOf(name)
    const file = `${manifest.name.replace('@', '').replace('/', '-')}-${manifest.version}.tgz`
    tarballs.set(manifest.name, join(folder, file))
  }
  return tarballs
}

try {
  await runCheck('exports.txt', script('scripts/exports.mjs'))
  const tarballs = await pack()
  for (const name of selected) {
    const { name: packageName } = manifestOf(name)
    const path = tarballs.get(packageName)
    const unpacked = join(folder, `${name}-unpacked`)
    mkdirSync(unpacked)
    addProblems(packageName, checkTarball(path, unpacked, name))
    await runCheck(`publint ${packageName}`, tool('publint', path, '--strict', '--pack', 'false'))
    await runCheck(`attw ${packageName}`, tool('attw', path, '--profile', 'esm-only', '--no-emoji'))
    const installs = ['npm', 'pnpm'].map(async (manager) => {
      const project = join(folder, `${name}-${manager}`)
      addProblems(`${packageName} with ${manager}`, await checkInstall(manager, name, tarballs, project))
    })
    await Promise.all(installs)
  }
  console.log(`${selected.length} packages checked, ${problems.length} problems`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

for (const problem of problems) console.error(`✗ ${problem}`)
if (problems.length > 0) process.exitCode = 1
