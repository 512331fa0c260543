/**
 * Packs every package as it is published to npm, and checks the tarball: its files, size and manifest
 * (tarball.mjs), its exports (publint), how its types resolve (attw), and that it installs, loads and
 * type-checks in an empty npm and pnpm project (project.mjs). Arguments select packages, such as `core`; by
 * default, all packages are checked. Requires a build and the registry. If the environment variable
 * JETWAY_RELEASE names a folder, the tarballs are kept there, each with the list of what it installs
 * (sbom.mjs). A release uploads exactly these files.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { argv, env } from 'node:process'
import { checkInstall, checkOlderCompilers } from './packages/project.mjs'
import { sbomOf } from './packages/sbom.mjs'
import { checkTarball } from './packages/tarball.mjs'
import { pnpm, root } from '../.ci/pnpm.mjs'
import { run, script, tool } from './steps.mjs'

const folder = mkdtempSync(join(tmpdir(), 'jetway-packages-'))
const names = readdirSync(join(root, 'packages')).filter((name) =>
  existsSync(join(root, 'packages', name, 'package.json')),
)
const selected = argv.length > 2 ? argv.slice(2) : names
const problems = []
/** The number of packages that are checked at the same time. */
const LANES = 3

async function runCheck(name, command) {
  if ((await run(command, { quiet: true })) !== 0) problems.push(name)
}

function addProblems(name, found) {
  for (const problem of found) problems.push(`${name}: ${problem}`)
}

const manifestOf = (name) => JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'))

/** Packs all packages. Returns the tarballs' paths, keyed by package name. */
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

/** Keeps a tarball that has passed the check, so that it can be released. */
function keep(tarball, project, { name, version }) {
  const release = resolve(root, env.JETWAY_RELEASE)
  mkdirSync(release, { recursive: true })
  copyFileSync(tarball, join(release, basename(tarball)))
  const sbom = sbomOf(project, name, version)
  writeFileSync(join(release, basename(tarball).replace(/\.tgz$/, '.cdx.json')), sbom)
}

/** Checks the tarball of a package, and keeps it for a release. */
async function check(name, tarballs) {
  const manifest = manifestOf(name)
  const path = tarballs.get(manifest.name)
  const unpacked = join(folder, `${name}-unpacked`)
  mkdirSync(unpacked)
  addProblems(manifest.name, checkTarball(path, unpacked, name))
  await runCheck(`publint ${manifest.name}`, tool('publint', path, '--strict', '--pack', 'false'))
  await runCheck(`attw ${manifest.name}`, tool('attw', path, '--profile', 'esm-only', '--no-emoji'))
  const installs = ['npm', 'pnpm'].map(async (manager) => {
    const project = join(folder, `${name}-${manager}`)
    addProblems(`${manifest.name} with ${manager}`, await checkInstall(manager, name, tarballs, project))
  })
  await Promise.all(installs)
  if (env.JETWAY_RELEASE !== undefined && problems.length === 0)
    keep(path, join(folder, `${name}-npm`), manifest)
}

try {
  await runCheck('exports.txt', script('scripts/exports.mjs'))
  const tarballs = await pack()
  // The lanes share one iterator. Installing mostly waits for the registry.
  const waiting = selected.values()
  const lane = async () => {
    for (const name of waiting) await check(name, tarballs)
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  addProblems('all packages', await checkOlderCompilers(selected, tarballs, join(folder, 'all')))
  console.log(`${selected.length} packages checked, ${problems.length} problems`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

for (const problem of problems) console.error(`✗ ${problem}`)
if (problems.length > 0) process.exitCode = 1
