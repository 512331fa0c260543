/** `npm run pack`: installs, builds and puts the tarballs of all packages into `tarballs/`, as npm would receive them. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pnpm, root } from './pnpm.mjs'
import { build, install, must } from './steps.mjs'

const folder = join(root, 'tarballs')
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)
await must('install', install(), { quiet: true })
await must('build', build(), { quiet: true })
const pack = ['--filter', './packages/*', '--recursive', 'pack', '--pack-destination', folder]
await must('pack', [...pnpm(), ...pack], { quiet: true })
for (const name of readdirSync(folder)) console.log(join('tarballs', name))
