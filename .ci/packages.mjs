/**
 * Packs every published package as npm would receive it and holds the tarball to two judges: publint (manifest
 * and files agree) and attw (types resolve for ESM consumers). Needs a build.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pnpm, root } from './pnpm.mjs'
import { run, tool } from './steps.mjs'

const folder = mkdtempSync(join(tmpdir(), 'jetway-packages-'))
const failed = []

async function judge(name, command) {
  if ((await run(command, { quiet: true })) !== 0) failed.push(name)
}

try {
  await judge('pack', [
    ...pnpm(),
    '--filter',
    './packages/*',
    '--recursive',
    'pack',
    '--pack-destination',
    folder,
  ])
  const tarballs = readdirSync(folder).filter((file) => file.endsWith('.tgz'))
  const expected = readdirSync(join(root, 'packages')).length
  if (tarballs.length !== expected) failed.push(`pack (${tarballs.length} tarballs of ${expected})`)
  for (const tarball of tarballs) {
    const path = join(folder, tarball)
    await judge(`publint ${tarball}`, tool('publint', path, '--strict', '--pack', 'false'))
    await judge(`attw ${tarball}`, tool('attw', path, '--profile', 'esm-only', '--no-emoji'))
  }
  console.log(`${tarballs.length} packages judged, ${failed.length} complaints`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

for (const name of failed) console.error(`failed: ${name}`)
if (failed.length > 0) process.exitCode = 1
