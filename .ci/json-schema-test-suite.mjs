/** Installs Debian's copy of the JSON-Schema-Test-Suite, which is read by a `*.system.test.ts` file. */
import { installDebianPackage } from './debian.mjs'

const folder = '/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance/tests'
await installDebianPackage('libtest-json-schema-acceptance-perl', `${folder}/draft2020-12`)
