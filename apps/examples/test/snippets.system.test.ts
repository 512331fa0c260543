import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, it } from 'vitest'

const scripts = fileURLToPath(new URL('../../../scripts/', import.meta.url))
const folders: string[] = []

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

interface Checked {
  readonly code: number | null
  readonly problems: string
  /** The content of the page after the run. */
  readonly page: string
}

/** Runs the check in a small temporary repository. `files` is keyed by path. */
function check(page: string, files: Readonly<Record<string, string>>, ...args: string[]): Checked {
  const folder = mkdtempSync(join(tmpdir(), 'snippets-'))
  folders.push(folder)
  for (const name of ['snippets.mjs', 'snippets'])
    cpSync(join(scripts, name), join(folder, 'scripts', name), { recursive: true })
  for (const [path, text] of Object.entries({ ...files, 'README.md': '', 'docs/page.md': page })) {
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const { status, stderr } = spawnSync(process.execPath, [join(folder, 'scripts/snippets.mjs'), ...args], {
    encoding: 'utf8',
  })
  return { code: status, problems: stderr, page: readFileSync(join(folder, 'docs/page.md'), 'utf8') }
}

/** Runs `--write` on a page with these sources, and returns the page's code blocks. */
function write(files: Readonly<Record<string, string>>, ...sources: string[]): string[] {
  const page = sources.map((source) => `<!-- from: ${source} -->\n\n\`\`\`ts\n\`\`\`\n`).join('\n')
  const { code, problems, page: written } = check(page, files, '--write')
  expect({ code, problems }).toEqual({ code: 0, problems: '' })
  return [...written.matchAll(/```ts\n([\s\S]*?)\n```/g)].map(([, block = '']) => block)
}

const FILE = { 'a.ts': 'first()\n// #region two\n  second()\n// #endregion\n' }
const BLOCK = '<!-- from: a.ts#two -->\n<sub>[a.ts](../a.ts)</sub>\n\n```ts\nsecond()\n```\n'

it('every code block in the READMEs and docs/ matches its source file', () => {
  const { status, stderr } = spawnSync(process.execPath, [join(scripts, 'snippets.mjs')], {
    encoding: 'utf8',
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

it('accepts a block that matches its region and has a link to its file', () => {
  expect(check(BLOCK, FILE)).toMatchObject({ code: 0, problems: '' })
})

it('rejects a link to the source file in a skill, because skills are copied into other projects', () => {
  const skill = 'docs/skills/a/SKILL.md'
  const plain = '<!-- from: a.ts#two -->\n\n```ts\nsecond()\n```\n'
  expect(check(BLOCK, { ...FILE, [skill]: plain })).toMatchObject({ code: 0, problems: '' })
  expect(check(BLOCK, { ...FILE, [skill]: BLOCK }).problems).toContain('SKILL.md: a.ts#two differs')
})

it.each([
  ['differs', BLOCK.replace('second', 'third')],
  ['differs', BLOCK.replace('../a.ts', 'a.ts')],
  ['differs', BLOCK.replace(/<sub>.*\n/, '')],
  ['differs', '<!-- from: a.ts#two -->\n\nThe next paragraph.\n'],
  ['does not exist', BLOCK.replace('#two', '#three')],
  ['does not exist', '<!-- from: b.ts -->\n'],
  ['does not exist', BLOCK.replace('a.ts#two', 'b.ts')],
  ['needs a comment <!-- from: file -->', '```ts\nx\n```\n'],
])('reports a block that %s', (problem, page) => {
  const { code, problems } = check(page, FILE)
  expect(code).toBe(1)
  expect(problems).toContain(problem)
})

it('reports a line that is too long for the site', () => {
  const files = { 'a.ts': `f('${'x'.repeat(105)}')\n` }
  const { code, problems } = check('<!-- from: a.ts -->\n', files, '--write')
  expect(code).toBe(0)
  expect(problems).toBe('')
  const wider = check('<!-- from: a.ts -->\n', { 'a.ts': `f('${'x'.repeat(106)}')\n` }, '--write')
  expect(wider.code).toBe(1)
  expect(wider.problems).toContain("a.ts is wider than the site's code blocks")
})

it.each([
  ['an empty block', '\n\n```ts\n```\n'],
  ['a comment without a block', '\n'],
  ['a comment and a link without a block', '\n<sub>[a.ts](a.ts)</sub>\n'],
])('writes the link and the code for %s', (_, rest) => {
  const page = `<!-- from: a.ts#two -->${rest}`
  expect(check(page, FILE, '--write').page).toBe(BLOCK)
  expect(check(`${page}\nText.\n\n${page}`, FILE, '--write').page).toBe(`${BLOCK}\nText.\n\n${BLOCK}`)
})

it('shows the imports that a region uses, each only once per page', () => {
  const source = `import first, { second, type Third as Other } from 'one'
import type { Fourth } from 'two'
import * as fifth from 'three'
import { unused } from 'four'

// #region a
second(...fifth.all)
// #endregion
// #region b
const x: Other = second(first, 'unused') // unused
y.unused as Fourth
// #endregion
`
  expect(write({ 'a.ts': source }, 'a.ts#a', 'a.ts#b')).toEqual([
    `import { second } from 'one'\nimport * as fifth from 'three'\n\nsecond(...fifth.all)`,
    `import first, { type Third as Other } from 'one'\nimport type { Fourth } from 'two'\n\n` +
      `const x: Other = second(first, 'unused') // unused\ny.unused as Fourth`,
  ])
})

it.each([
  ['nginx', 'a.conf'],
  ['yaml', 'a.yaml'],
  ['toml', 'a.toml'],
  ['dockerfile', 'Dockerfile'],
])('shows code blocks in %s', (language, file) => {
  const files = { [file]: 'first\n# #region two\n  second\n# #endregion\n' }
  const { code, page } = check(`<!-- from: ${file}#two -->\n`, files, '--write')
  expect(code).toBe(0)
  expect(page).toContain(`\`\`\`${language}\nsecond\n\`\`\``)
  expect(check(page.replace('second', 'third'), files).problems).toContain('differs')
})

it('shows a whole file without region markers', () => {
  expect(write(FILE, 'a.ts')).toEqual(['first()\n  second()'])
})

it('does not repeat an import that is part of the region', () => {
  const source = `// #region a\nimport { one } from 'one'\n\none()\n// #endregion\n`
  expect(write({ 'a.ts': source }, 'a.ts#a')).toEqual([`import { one } from 'one'\n\none()`])
})

it('wraps a long import in the same way as the formatter', () => {
  const names = Array.from({ length: 12 }, (_, index) => `nameNumber${index}`)
  const statement = `import {\n${names.map((name) => `  ${name},\n`).join('')}} from 'one'`
  const code = names.map((name) => `f(${name})`).join('\n')
  const source = `${statement}\n\n// #region a\n${code}\n// #endregion\n`
  expect(write({ 'a.ts': source }, 'a.ts#a')).toEqual([`${statement}\n\n${code}`])
})

it.each(['test/b.ts', 'test/b.ts#b'])(
  'imports another file shown on the page from the same folder: %s',
  (from) => {
    const code = `import { a } from '../src/a.ts'\n\n`
    const files = {
      'src/a.ts': 'export const a = 1\n',
      'test/b.ts': `${code}// #region b\na()\n// #endregion\n`,
    }
    const [, block] = write(files, 'src/a.ts', from)
    expect(block).toContain(`import { a } from './a.ts'\n\n`)
    const { code: exitCode, problems } = check(
      `<!-- from: ${from} -->\n\n\`\`\`ts\n\`\`\`\n`,
      files,
      '--write',
    )
    expect(exitCode).toBe(1)
    expect(problems).toContain('test/b.ts imports ../src/a.ts, which the page does not show')
  },
)
