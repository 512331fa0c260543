import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { removeEntry, setEntry } from '../../src/formats/edit-text.ts'
import type { Format } from '../../src/formats/format.ts'
import { jsonFormat } from '../../src/formats/json.ts'
import { tomlFormat } from '../../src/formats/toml.ts'
import { yamlFormat } from '../../src/formats/yaml.ts'

const numRuns = 100
const edit = { key: 'servers', name: 'shop' }
const entry = { command: '/bin/node', args: ['/x y.js', '--a="b"'], env: { KEY: 'a#b: c' } }

interface Style {
  readonly indent: string
  readonly comments: boolean
  readonly trailing: boolean
  readonly mark: boolean
  readonly crlf: boolean
  readonly lastLine: boolean
  readonly others: number
}

const style = (indents: readonly string[]): fc.Arbitrary<Style> =>
  fc.record({
    indent: fc.constantFrom(...indents),
    comments: fc.boolean(),
    trailing: fc.boolean(),
    mark: fc.boolean(),
    crlf: fc.boolean(),
    lastLine: fc.boolean(),
    others: fc.integer({ min: 1, max: 3 }),
  })

const finish = (lines: readonly string[], { mark, crlf, lastLine }: Style): string => {
  const eol = crlf ? '\r\n' : '\n'
  return (mark ? '\uFEFF' : '') + lines.join(eol) + (lastLine ? eol : '')
}

const names = ({ others }: Style): readonly string[] => Array.from({ length: others }, (_, at) => `s${at}`)

function json(given: Style): string {
  const { indent, comments, trailing } = given
  const all = names(given)
  const entries = all.flatMap((name, at) => {
    const comma = at < all.length - 1 || trailing ? ',' : ''
    return [
      ...(comments ? [`${indent}${indent}// before ${name}`] : []),
      `${indent}${indent}"${name}": { "command": "x" }${comma}${comments ? ` /* ${name}, */ // }` : ''}`,
    ]
  })
  return finish(
    [
      '{',
      `${indent}"theme": 1,`,
      `${indent}"servers": {`,
      ...entries,
      `${indent}}${trailing ? ',' : ''}`,
      '}',
    ],
    given,
  )
}

function yaml(given: Style): string {
  const { indent, comments } = given
  const entries = names(given).flatMap((name) => [
    ...(comments ? [`${indent}# before ${name}`] : []),
    `${indent}${name}:${comments ? ' # note' : ''}`,
    `${indent}${indent}cmd: 'x'`,
    `${indent}${indent}args:`,
    `${indent}${indent}- "a"`,
  ])
  return finish(
    ['theme: 1', '', 'servers:', ...entries, ...(given.trailing ? ['', '# end', 'z: 2'] : [])],
    given,
  )
}

function toml(given: Style): string {
  const entries = names(given).flatMap((name) => [
    ...(given.comments ? [`# before ${name}`] : []),
    `[servers.${name}]`,
    `command = "x" ${given.comments ? '# note' : ''}`,
    `[servers.${name}.env]`,
    'A = """',
    '[not.a.table]',
    '"""',
    '',
  ])
  return finish(['theme = 1', '', ...entries, ...(given.trailing ? ['[z]', 'a = 1', '# end'] : [])], given)
}

const FORMATS: readonly [
  name: string,
  format: Format,
  print: (style: Style) => string,
  indents: readonly string[],
][] = [
  ['JSON', jsonFormat, json, ['  ', '    ', '\t']],
  ['YAML', yamlFormat, yaml, ['  ', '    ']],
  ['TOML', tomlFormat, toml, ['']],
]

describe.each(FORMATS)('editing %s', (_, format, print, indents) => {
  it('restores the original bytes when an entry is added and then removed', () => {
    fc.assert(
      fc.property(style(indents), (given) => {
        const before = print(given)
        const added = setEntry(format, before, edit, entry)
        expect(removeEntry(format, added, edit)).toBe(before)
      }),
      { numRuns },
    )
  })

  it('keeps all other lines when an entry is replaced', () => {
    fc.assert(
      fc.property(style(indents), (given) => {
        const before = print(given)
        const added = setEntry(format, before, edit, entry)
        const replaced = setEntry(format, added, edit, { ...entry, args: ['other'] })
        expect(removeEntry(format, replaced, edit)).toBe(before)
      }),
      { numRuns },
    )
  })
})
