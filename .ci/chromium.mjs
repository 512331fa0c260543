/**
 * Installs Debian's Chromium, for `docs/scripts/look.mjs` and for the tests of web pages in `apps/examples`.
 */
import { installDebianPackage } from './debian.mjs'

await installDebianPackage('chromium', '/usr/bin/chromium')
