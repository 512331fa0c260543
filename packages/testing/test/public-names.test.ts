import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, it } from 'vitest'

const scripts = fileURLToPath(new URL('../../../scripts', import.meta.url))
const folders: string[] = []

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

function run(folder: string, ...args: string[]): { code: number | null; stderr: string } {
  const { status, stderr } = spawnSync(process.execPath, [join(folder, 'exports.mjs'), ...args], {
    encoding: 'utf8',
  })
  return { code: status, stderr }
}

/** Creates a repository with a single package whose entry file contains `source`. */
function repository(source: string, listed: string): string {
  const root = mkdtempSync(join(tmpdir(), 'names-'))
  folders.push(root)
  mkdirSync(join(root, 'scripts'))
  mkdirSync(join(root, 'packages/a'), { recursive: true })
  copyFileSync(join(scripts, 'exports.mjs'), join(root, 'scripts/exports.mjs'))
  const exports = { '.': { 'jetway:source': './index.ts' }, './package.json': './package.json' }
  writeFileSync(join(root, 'packages/a/package.json'), JSON.stringify({ name: 'a', exports }))
  writeFileSync(join(root, 'packages/a/index.ts'), source)
  writeFileSync(join(root, 'packages/a/exports.txt'), listed)
  return root
}

const check = (source: string, listed: string): ReturnType<typeof run> =>
  run(join(repository(source, listed), 'scripts'))

it('exports.txt lists the public names of each package', () => {
  expect(run(scripts)).toEqual({ code: 0, stderr: '' })
})

it.each([
  ["export { one, type Two } from './a.ts'", 'a\n  one\n  type Two\n'],
  ["export type {\n  Two,\n} from './a.ts'\nexport { zero as one } from './b.ts'", 'a\n  one\n  type Two\n'],
  [
    '/** export { not } */\nexport function one(): void {}\nexport interface Two {}',
    'a\n  one\n  type Two\n',
  ],
])('the check accepts a list that equals the exports: %j', (source, listed) => {
  expect(check(source, listed)).toEqual({ code: 0, stderr: '' })
})

it('the check prints names that are missing from the list or from the exports', () => {
  const { code, stderr } = check("export { one, type Two } from './a.ts'", 'a\n  one\n  type Three\n')
  expect(code).toBe(1)
  expect(stderr.split('\n').filter((line) => line.startsWith('  '))).toEqual([
    '  + a: type Two',
    '  - a: type Three',
  ])
})

it('the check updates the list with --write', () => {
  const root = repository("export { one } from './a.ts'", '')
  expect(run(join(root, 'scripts'), '--write').code).toBe(0)
  expect(readFileSync(join(root, 'packages/a/exports.txt'), 'utf8')).toBe('a\n  one\n')
})

it.each(["export * from './a.ts'", 'export default 1'])(
  'the check fails for an entry file with unnamed exports: %s',
  (source) => {
    expect(check(source, 'a\n').code).not.toBe(0)
  },
)
