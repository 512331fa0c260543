/** Puts packages of Debian in place for the steps that need them. Nothing happens where they are there already. */
import { existsSync } from 'node:fs'
import { getuid } from 'node:process'
import { must } from './steps.mjs'

/**
 * @param {string} name of the package
 * @param {string} file that it brings
 */
export async function debian(name, file) {
  if (existsSync(file)) return
  const sudo = getuid?.() === 0 ? [] : ['sudo', '--non-interactive']
  // The run level of maintenance: a package that brings a service must not start it, the tests start their own.
  const env = ['env', 'DEBIAN_FRONTEND=noninteractive', 'RUNLEVEL=1']
  const apt = (...args) => [...sudo, ...env, 'apt-get', '--quiet', ...args]
  await must('apt-get update', apt('update'), { quiet: true })
  await must('apt-get install', apt('install', '--yes', '--no-install-recommends', name), { quiet: true })
}
