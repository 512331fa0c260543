import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig, type ViteUserConfig } from 'vitest/config'
import { members } from './scripts/members.mjs'

const root = fileURLToPath(new URL('.', import.meta.url))

/** Workspace packages export their source under `jetway:source`, so tests need no build. */
const conditions = ['jetway:source', 'node', 'module']

/** `npm run test:long` runs the `*.long.test.ts` files, which take minutes. */
const long = process.env['JETWAY_LONG_TESTS'] !== undefined

/** `bash .ci/run` runs the `*.system.test.ts` files, which need system packages that it installs, or a build. */
const system = process.env['JETWAY_SYSTEM_TESTS'] !== undefined

const kinds: readonly string[] = ['test/**/*.long.test.ts', 'test/**/*.system.test.ts']
const kind = long ? kinds[0] : system ? kinds[1] : undefined

const config: ViteUserConfig = defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: [kind ?? 'test/**/*.test.ts'],
    exclude: kind === undefined ? [...kinds] : [],
    // At least two, even on two processors: tests with sockets and processes spend most of their time waiting.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // Long enough for a slow or busy machine. They only end tests that hang.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    setupFiles: [`${root}vitest.setup.ts`],
    dangerouslyIgnoreUnhandledErrors: false,
    passWithNoTests: false,
    projects: members
      .filter((member) => existsSync(`${root}${member}/test`))
      .map((member) => ({
        extends: true,
        test: { name: member, root: root + member },
      })),
  },
})

export default config
