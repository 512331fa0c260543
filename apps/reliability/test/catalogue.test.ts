import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { env } from 'node:process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { GROUPS, ROWS, withCatalogue } from '../src/catalogue.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const PAGE = `${root}docs/reference/reliability.md`
const UPDATE = 'UPDATE_DOCS=1 npx vitest run apps/reliability'

/** The paths of tests, and of contracts that several test files run. */
const TESTS = /^(?:apps|packages)\/[^/]+\/(?:test|src\/contracts)\/.+\.ts$/

describe('catalogue', () => {
  it('contains each row once, in order', () => {
    const names = GROUPS.map(({ rows }, group) =>
      rows.map((_, row) => `${String.fromCharCode(65 + group)}${row + 1}`),
    )
    expect(GROUPS.map(({ rows }) => rows.map(({ row }) => row))).toEqual(names)
  })

  it.each(ROWS.map((row) => [row.row, row] as const))(
    'names a test for %s, or explains why there is none',
    (_, row) => {
      expect([row.fault, row.behaviour]).not.toContain('')
      if (row.tests === undefined) expect(row.lacks).toMatch(/\.$/)
      else expect(row.tests.length).toBeGreaterThan(0)
    },
  )

  it.each(ROWS.flatMap(({ row, tests = [] }) => tests.map(({ file, name }) => [row, file, name] as const)))(
    'names an existing test for %s: %s, %s',
    (_, file, name) => {
      expect(file).toMatch(TESTS)
      expect(existsSync(root + file), `there is no ${file}`).toBe(true)
      expect(titles(file).filter((line) => line.includes(name))).not.toEqual([])
    },
  )

  it('matches the table in docs/reference/reliability.md', () => {
    const page = readFileSync(PAGE, 'utf8')
    const written = withCatalogue(page)
    if (env['UPDATE_DOCS'] === '1') writeFileSync(PAGE, written)
    else expect(page, `out of date, run: ${UPDATE}`).toBe(written)
  })
})

/** Returns possible titles or parts of titles: quoted strings and the keys of tables, but not comments. */
function titles(file: string): readonly string[] {
  const lines = readFileSync(root + file, 'utf8').split('\n')
  const code = lines.filter((line) => !/^\s*(?:\/\/|\/?\*|import )/.test(line))
  return code.flatMap((line) => line.match(/(['"`]).*\1|^\s*\w+(?=:)/g) ?? [])
}
