/**
 * `npm run pack`: installs, builds and packs all packages into `tarballs/`, in the form in which they are
 * published to npm.
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pnpm, root } from '../.ci/pnpm.mjs'
import { build, install, stepOrExit } from './steps.mjs'

const folder = join(root, 'tarballs')
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)
await stepOrExit('install', install(), { quiet: true })
await stepOrExit('build', build(), { quiet: true })
const pack = ['--filter', './packages/*', '--recursive', 'pack', '--pack-destination', folder]
await stepOrExit('pack', [...pnpm(), ...pack], { quiet: true })
for (const name of readdirSync(folder)) console.log(join('tarballs', name))
