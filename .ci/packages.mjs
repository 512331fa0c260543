/**
 * Packs every published package as npm would receive it and judges it as users will meet it: its files, its weight and
 * its manifest (tarball.mjs), manifest and files together (publint), how its types resolve (attw), and what becomes of
 * it in an empty project of npm and of pnpm (project.mjs). Needs a build, and the registry.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { argv } from 'node:process'
import { tryPackage } from './packages/project.mjs'
import { judgeTarball } from './packages/tarball.mjs'
import { pnpm, root } from './pnpm.mjs'
import { run, script, tool } from './steps.mjs'

const folder = mkdtempSync(join(tmpdir(), 'jetway-packages-'))
const names = readdirSync(join(root, 'packages'))
/** All of them, unless some are named on the command line. */
const judged = argv.length > 2 ? argv.slice(2) : names
const failed = []

async function judge(what, command) {
  if ((await run(command, { quiet: true })) !== 0) failed.push(what)
}

function found(what, wrong) {
  for (const fault of wrong) failed.push(`${what}: ${fault}`)
}

/** The tarballs by the names of the packages. */
async function pack() {
  const all = ['--filter', './packages/*', '--recursive', 'pack', '--pack-destination', folder]
  await judge('pack', [...pnpm(), ...all])
  const tarballs = new Map()
  for (const name of names) {
    const manifest = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'))
    const file = `${manifest.name.replace('@', '').replace('/', '-')}-${manifest.version}.tgz`
    tarballs.set(manifest.name, join(folder, file))
  }
  return tarballs
}

try {
  await judge('exports.txt', script('exports.mjs'))
  const tarballs = await pack()
  for (const name of judged) {
    const packageName = `@jetway/${name}`
    const path = tarballs.get(packageName)
    const unpacked = join(folder, `${name}-unpacked`)
    mkdirSync(unpacked)
    found(packageName, judgeTarball(path, unpacked, name))
    await judge(`publint ${packageName}`, tool('publint', path, '--strict', '--pack', 'false'))
    await judge(`attw ${packageName}`, tool('attw', path, '--profile', 'esm-only', '--no-emoji'))
    const tries = ['npm', 'pnpm'].map(async (manager) => {
      const project = join(folder, `${name}-${manager}`)
      found(`${packageName} by ${manager}`, await tryPackage(manager, name, tarballs, project))
    })
    await Promise.all(tries)
  }
  console.log(`${judged.length} packages judged, ${failed.length} complaints`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

for (const complaint of failed) console.error(`failed: ${complaint}`)
if (failed.length > 0) process.exitCode = 1
