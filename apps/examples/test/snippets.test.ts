import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync, copyFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, it } from 'vitest'

const script = fileURLToPath(new URL('../../../scripts/snippets.mjs', import.meta.url))
const folders: string[] = []

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

/** Runs the check in a small temporary repository. */
function check(readme: string, ...args: string[]): { code: number | null; problems: string } {
  const folder = mkdtempSync(join(tmpdir(), 'snippets-'))
  folders.push(folder)
  mkdirSync(join(folder, 'scripts'))
  mkdirSync(join(folder, 'docs'))
  copyFileSync(script, join(folder, 'scripts/snippets.mjs'))
  writeFileSync(join(folder, 'a.ts'), 'first()\n// #region two\n  second()\n// #endregion\n')
  writeFileSync(join(folder, 'README.md'), readme)
  const { status, stderr } = spawnSync(process.execPath, [join(folder, 'scripts/snippets.mjs'), ...args], {
    encoding: 'utf8',
  })
  return { code: status, problems: stderr }
}

it('every code block of the READMEs and docs/ equals the file that it comes from', () => {
  const { status, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

it('accepts a block that equals its region', () => {
  expect(check('<!-- from: a.ts#two -->\n\n```ts\nsecond()\n```\n')).toEqual({ code: 0, problems: '' })
})

it.each([
  ['differs', '<!-- from: a.ts#two -->\n\n```ts\nthird()\n```\n'],
  ['does not exist', '<!-- from: a.ts#three -->\n\n```ts\nx\n```\n'],
  ['does not exist', '<!-- from: b.ts -->\n\n```ts\nx\n```\n'],
  ['needs a comment <!-- from: file -->', '```ts\nx\n```\n'],
])('reports a block that %s', (problem, readme) => {
  const { code, problems } = check(readme)
  expect(code).toBe(1)
  expect(problems).toContain(problem)
})
