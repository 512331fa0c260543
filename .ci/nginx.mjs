/** Puts Debian's nginx where the tests behind it look for it. */
import { debian } from './debian.mjs'

await debian('nginx', '/usr/sbin/nginx')
