/** Installs Debian's nginx, which the `*.system.test.ts` files start. */
import { installDebianPackage } from './debian.mjs'

await installDebianPackage('nginx', '/usr/sbin/nginx')
