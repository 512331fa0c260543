import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { RECIPES, tableOf } from './support/recipes.ts'

it('the table in the guide matches the capabilities of the tested recipes', () => {
  const guide = readFileSync(new URL('../../../../docs/guide/recipes.md', import.meta.url), 'utf8')
  const table = guide.split('\n').filter((line) => line.startsWith('|'))
  expect(table.slice(0, RECIPES.length + 2).join('\n')).toBe(tableOf(RECIPES))
})
