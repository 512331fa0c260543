/** Puts Debian's Chromium where the test of the site looks for it. */
import { debian } from './debian.mjs'

await debian('chromium', '/usr/bin/chromium')
