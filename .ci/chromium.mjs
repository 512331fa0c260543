/** Installs Debian's Chromium, which `docs/scripts/look.mjs` opens the site with. */
import { installDebianPackage } from './debian.mjs'

await installDebianPackage('chromium', '/usr/bin/chromium')
