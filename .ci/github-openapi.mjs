/**
 * Fetches the OpenAPI document of GitHub, about 1,200 operations, which a `*.system.test.ts` file reads. It comes from a
 * package of npm that has 400 MB of other documents, so the package is no dependency: one file is taken out of its
 * tarball.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { stepOrExit } from '../scripts/steps.mjs'
import { root } from './pnpm.mjs'

const PACKAGE = '@octokit/openapi@23.0.2'
const INTEGRITY =
  'sha512-pV8M7L9GY23AybNvTmo2nyjmpmnt6+2sRE/tqr0ZLQcPS4lnw7u5eZGNmwRNkBC3D7gZXbFx5AHzLUVRBXGDhg=='
const FILE = 'generated/api.github.com.json'

/** Where the document is. */
const path = join(root, 'node_modules', '.cache', 'jetway', '23.0.2', 'api.github.com.json')

if (!existsSync(path)) {
  const folder = mkdtempSync(join(tmpdir(), 'jetway-github-'))
  try {
    await stepOrExit('npm pack', ['npm', 'pack', PACKAGE, '--pack-destination', folder, '--loglevel=error'], {
      quiet: true,
    })
    const tarball = join(folder, readdirSync(folder)[0])
    const digest = createHash('sha512').update(readFileSync(tarball)).digest('base64')
    if (`sha512-${digest}` !== INTEGRITY) throw new Error(`${PACKAGE} is another file than expected`)
    await stepOrExit('tar', ['tar', '-xzf', tarball, '-C', folder, `package/${FILE}`], { quiet: true })
    mkdirSync(dirname(path), { recursive: true })
    // Copied first, because /tmp may be on another file system, and a document that is half written must not stay.
    await stepOrExit('cp', ['cp', join(folder, 'package', FILE), `${path}.part`], { quiet: true })
    renameSync(`${path}.part`, path)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
