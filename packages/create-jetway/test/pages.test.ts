import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parseArguments } from '../src/arguments.ts'
import { HELP } from '../src/help.ts'
import { TEMPLATE_NAMES } from '../src/template-names.ts'

const page = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), 'utf8')

const PAGES = [
  ['docs/guide/create.md', page('docs/guide/create.md')],
  ['packages/create-jetway/README.md', page('packages/create-jetway/README.md')],
  ['--help', HELP],
] as const

describe.each(PAGES)('%s', (_, text) => {
  it('lists every template', () => {
    for (const name of TEMPLATE_NAMES) expect(text).toMatch(new RegExp(`(?:\`|^ +)${name}(?:\`| )`, 'm'))
  })

  it('lists the main options, and only options that the command supports', () => {
    const named = [...text.matchAll(/^(?:\| `| {2})--([\w-]+)/gm)].map(([, name]) => name)
    expect(named).toEqual(expect.arrayContaining(['template', 'pm', 'no-install', 'no-git', 'yes']))
    for (const name of named) expect(HELP).toContain(`  --${name}`)
  })

  it('shows only commands that the argument parser accepts', () => {
    const commands = [...text.matchAll(/(?:npm|pnpm) create jetway(?:@latest)? (?!\[)([^`\n]+)/g)]
    expect(commands.length).toBeGreaterThan(0)
    for (const [, words = ''] of commands)
      expect(parseArguments(words.trim().split(' '), {})).toMatchObject({ folder: 'my-server' })
  })
})
