import { existsSync, readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig, type ViteUserConfig } from 'vitest/config'

const root = fileURLToPath(new URL('.', import.meta.url))

/** Workspace packages export their source under this condition, so nothing has to be built to be tested. */
const conditions = ['jetway:source', 'node', 'import', 'module', 'default']

/** Tests that take minutes are named `*.long.test.ts` and run by `npm run test:long` alone. */
const long = process.env['JETWAY_LONG_TESTS'] !== undefined

/** Tests that need a package of the system are named `*.system.test.ts` and run by `bash .ci/run` alone, which installs it. */
const system = process.env['JETWAY_SYSTEM_TESTS'] !== undefined

const kinds: readonly string[] = ['test/**/*.long.test.ts', 'test/**/*.system.test.ts']
const kind = long ? kinds[0] : system ? kinds[1] : undefined

const members = ['packages', 'apps'].flatMap((folder) =>
  readdirSync(root + folder)
    .map((name) => `${folder}/${name}`)
    .filter((member) => existsSync(`${root}${member}/package.json`)),
)

// Vitest 4 reads a file of this name only when told to: `vitest --config vitest.workspace.ts`.
const config: ViteUserConfig = defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: [kind ?? 'test/**/*.test.ts'],
    exclude: kind === undefined ? [...kinds] : [],
    // Most of the time of the tests with real sockets and processes is spent waiting, even on two processors.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // No test is timed: these end one that hangs, on a machine that is slow or busy.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    setupFiles: [`${root}vitest.setup.ts`],
    dangerouslyIgnoreUnhandledErrors: false,
    passWithNoTests: false,
    projects: members.map((member) => ({
      extends: true,
      test: { name: member, root: root + member },
    })),
  },
})

export default config
