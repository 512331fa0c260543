/** Installs Debian's redis-server and redis-sentinel, which the `*.system.test.ts` files start. */
import { installDebianPackage } from './debian.mjs'

await installDebianPackage('redis-server', '/usr/bin/redis-server')
await installDebianPackage('redis-sentinel', '/usr/bin/redis-sentinel')
