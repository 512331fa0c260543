import { existsSync } from 'node:fs'
import { getuid } from 'node:process'
import { stepOrExit } from '../scripts/steps.mjs'

/**
 * Installs a Debian package unless it is already installed.
 *
 * @param {string} name the package
 * @param {string} file a file in the package; if it exists, the package is considered installed
 */
export async function installDebianPackage(name, file) {
  if (existsSync(file)) return
  const sudo = getuid?.() === 0 ? [] : ['sudo', '--non-interactive']
  // Run level 1 (maintenance) prevents the package from starting its service, because the tests start their
  // own.
  const env = ['env', 'DEBIAN_FRONTEND=noninteractive', 'RUNLEVEL=1']
  const apt = (...args) => [...sudo, ...env, 'apt-get', '--quiet', ...args]
  await stepOrExit('apt-get update', apt('update'), { quiet: true })
  await stepOrExit('apt-get install', apt('install', '--yes', '--no-install-recommends', name), {
    quiet: true,
  })
}
