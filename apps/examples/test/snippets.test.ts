import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync, copyFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, it } from 'vitest'

const script = fileURLToPath(new URL('../../../.ci/snippets.mjs', import.meta.url))
const folders: string[] = []

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

/** Runs the check over a small repository of its own. */
function check(readme: string, ...args: string[]): { code: number | null; complaints: string } {
  const folder = mkdtempSync(join(tmpdir(), 'snippets-'))
  folders.push(folder)
  mkdirSync(join(folder, '.ci'))
  mkdirSync(join(folder, 'docs'))
  copyFileSync(script, join(folder, '.ci/snippets.mjs'))
  writeFileSync(join(folder, 'a.ts'), 'first()\n// #region two\n  second()\n// #endregion\n')
  writeFileSync(join(folder, 'README.md'), readme)
  const { status, stderr } = spawnSync(process.execPath, [join(folder, '.ci/snippets.mjs'), ...args], {
    encoding: 'utf8',
  })
  return { code: status, complaints: stderr }
}

it('every code block in README.md and docs/ stands in a file that the tests run', () => {
  const { status, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

it('a block that agrees with its region passes', () => {
  expect(check('<!-- from: a.ts#two -->\n\n```ts\nsecond()\n```\n')).toEqual({ code: 0, complaints: '' })
})

it.each([
  ['differs', '<!-- from: a.ts#two -->\n\n```ts\nthird()\n```\n'],
  ['does not exist', '<!-- from: a.ts#three -->\n\n```ts\nx\n```\n'],
  ['does not exist', '<!-- from: b.ts -->\n\n```ts\nx\n```\n'],
  ['names no file', '```ts\nx\n```\n'],
])('a block that %s fails by name', (fault, readme) => {
  const { code, complaints } = check(readme)
  expect(code).toBe(1)
  expect(complaints).toContain(fault)
})
