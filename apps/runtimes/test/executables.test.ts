import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runtime, type RuntimeName } from '@jetway-tools/runtimes'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const folders = ['packages', 'apps'].flatMap((folder) =>
  readdirSync(root + folder).map((name) => join(folder, name)),
)

it.each(['node-19', 'bunny'])('runtime() throws an error that names the missing runtime: %s', (name) => {
  expect(() => runtime(name as RuntimeName)).toThrow(
    new RegExp(`runtime ${name} is not installed for \\S+ \\S+: no dependency of \\.ci/runtimes contains it`),
  )
})

it('no runtimes are in the PATH of npm scripts', () => {
  const found = ['', ...folders, 'docs', '.ci/tools', 'node_modules/.pnpm'].flatMap((folder) => {
    const bin = join(root, folder, 'node_modules', '.bin')
    const names = existsSync(bin) ? readdirSync(bin) : []
    return names
      .filter((name) => /^(?:node|bunx?|deno|workerd)(?:\.|$)/.test(name))
      .map((name) => join(folder, name))
  })
  expect(found).toEqual([])
})
