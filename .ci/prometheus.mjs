/** Installs Debian's Prometheus, which the `*.system.test.ts` files start. */
import { installDebianPackage } from './debian.mjs'

await installDebianPackage('prometheus', '/usr/bin/prometheus')
