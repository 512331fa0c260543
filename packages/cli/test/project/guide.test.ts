import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readJetwayJson } from '../../src/project/jetway-json.ts'
import { jetwaySchema } from '../../src/schema-files.ts'
import { folderOf } from '../support/folder.ts'

const guide = readFileSync(new URL('../../../../docs/guide/publishing.md', import.meta.url), 'utf8')

it('the jetway.json in the guide is valid', async () => {
  const [, block = ''] = /```json\n([\s\S]*?)```/.exec(guide) ?? []
  expect(await readJetwayJson(folderOf({ 'jetway.json': block }))).toMatchObject({ entry: 'dist/main.js' })
})

it('the guide documents every key of jetway.json', () => {
  const { properties } = jetwaySchema() as { readonly properties: object }
  const table = guide.slice(guide.indexOf('| key | |'))
  for (const key of Object.keys(properties)) if (key !== '$schema') expect(table, key).toContain(`\`${key}\``)
})
