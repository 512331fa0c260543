/** Puts Debian's Chromium where the test of the site looks for it. Nothing happens where it is there already. */
import { existsSync } from 'node:fs'
import { getuid } from 'node:process'
import { must } from './steps.mjs'

if (!existsSync('/usr/bin/chromium')) {
  const sudo = getuid?.() === 0 ? [] : ['sudo', '--non-interactive']
  const apt = (...args) => [...sudo, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '--quiet', ...args]
  await must('apt-get update', apt('update'), { quiet: true })
  await must('apt-get install', apt('install', '--yes', '--no-install-recommends', 'chromium'), {
    quiet: true,
  })
}
