import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig, type ViteUserConfig } from 'vitest/config'
import { BARS } from './apps/reliability/src/bars.ts'
import { members } from './scripts/members.mjs'

const root = fileURLToPath(new URL('.', import.meta.url))

/**
 * Export conditions. Workspace packages export their source under `jetway:source`, so tests need no build.
 * `module` is left out because its files are for bundlers, and Node cannot load them in some packages.
 */
const conditions = ['jetway:source', 'node']

/**
 * `npm run test:long` runs the `*.long.test.ts` files, which take minutes, and all other tests that the
 * reliability page reports.
 */
const long = process.env['JETWAY_LONG_TESTS'] !== undefined

/**
 * `bash .ci/run` also runs the `*.system.test.ts` files. They require a build or system packages, or take more
 * than a few seconds, most because they start programs.
 */
const system = process.env['JETWAY_SYSTEM_TESTS'] !== undefined

/** Returns patterns for the test files of all packages and apps whose names end with `end`. */
const named = (end: string): string[] => members.map((member) => `${member}/test/**/*${end}`)

/** The tests of the templates run in place. */
const ofTemplates = long || system ? [] : ['packages/create-jetway/templates/*/test/*.test.ts']

const include = long
  ? BARS.flatMap(({ files = [] }) => files)
  : named(system ? '.system.test.ts' : '.test.ts')
const exclude = long || system ? [] : [...named('.long.test.ts'), ...named('.system.test.ts')]

/**
 * Test files that replace modules or measure their own process. All other files share processes, so that modules loaded
 * by one file are ready for the next, because loading them takes most of the time.
 */
const ISOLATED = [
  'packages/{fastify,hono}/test/seam.test.ts',
  'packages/client/test/stdio/exit-guard.test.ts',
  'packages/client/test/stdio/windows.test.ts',
  'packages/core/test/schema/validate/tiered.test.ts',
]

/** Long tests that measure time or memory, so nothing else may run at the same time. */
const ALONE = [
  'drain',
  'event-loop',
  'nodes-crossings',
  'nodes-isolation',
  'open-streams',
  'slow-sockets',
  'soak',
].map((name) => `apps/reliability/test/${name}.long.test.ts`)

const config: ViteUserConfig = defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    // There are more workers than processors, because tests with sockets and processes spend most of their time
    // waiting.
    maxWorkers: Math.max(4, availableParallelism()),
    // The number of concurrent tests within one file. They install packages, or start compilers and servers.
    maxConcurrency: 3,
    // The timeouts are long enough for a slow or busy machine. They only end tests that hang.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 20_000 } },
    setupFiles: [`${root}vitest.setup.ts`],
    // Vitest must not intercept the console, because the setup file fails tests that print.
    disableConsoleIntercept: true,
    dangerouslyIgnoreUnhandledErrors: false,
    passWithNoTests: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: [...include, ...ofTemplates],
          exclude: [...ISOLATED, ...ALONE, ...exclude],
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: 'isolated', include: ISOLATED, exclude: long || system ? ['**'] : [] },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          include: ALONE,
          exclude: long ? [] : ['**'],
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})

export default config
