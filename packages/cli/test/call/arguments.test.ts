import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { declaredNames, readArguments } from '../../src/call/arguments.ts'

const schema = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    count: { type: 'integer' },
    price: { type: ['number', 'null'] },
    full: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    sizes: { type: 'array', items: { type: 'number' } },
    place: { type: 'object' },
    either: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
    size: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    level: { enum: [1, 2] },
    mixed: { oneOf: [true, { type: 'boolean' }, { enum: ['a'] }] },
    lists: { type: 'array' },
    flags: { type: ['array', 'null'], items: { type: 'boolean' } },
    any: true,
  },
}
const read = (words: readonly string[], given: { text?: string; file?: string } = {}) =>
  readArguments({ words, text: given.text, file: given.file }, schema)

describe('readArguments', () => {
  it.each([
    ['text=12', { text: '12' }],
    ['text=', { text: '' }],
    ['text=a=b', { text: 'a=b' }],
    ['text:=12', { text: 12 }],
    ['count=12', { count: 12 }],
    ['count=-1e3', { count: -1000 }],
    ['count=twelve', { count: 'twelve' }],
    ['count=', { count: '' }],
    ['price=1.5', { price: 1.5 }],
    ['price=null', { price: null }],
    ['full=true', { full: true }],
    ['full=yes', { full: 'yes' }],
    ['tags=a', { tags: ['a'] }],
    ['tags=["a","b"]', { tags: ['a', 'b'] }],
    ['sizes=1', { sizes: [1] }],
    ['place={"x":1}', { place: { x: 1 } }],
    ['either=1', { either: '1' }],
    ['size=1', { size: 1 }],
    ['level=2', { level: 2 }],
    ['unknown=1', { unknown: '1' }],
    ['unknown:={"a":[1]}', { unknown: { a: [1] } }],
    ['constructor=1', { constructor: '1' }],
    ['count= ', { count: ' ' }],
    ['count=Infinity', { count: 'Infinity' }],
    ['full=false', { full: false }],
    ['full=TRUE', { full: 'TRUE' }],
    ['price=nil', { price: 'nil' }],
    ['text=null', { text: 'null' }],
    ['mixed=true', { mixed: 'true' }],
    ['any=1', { any: '1' }],
    ['lists=1', { lists: ['1'] }],
    ['lists= ["a"]', { lists: ['a'] }],
    ['flags=true', { flags: [true] }],
    ['flags=null', { flags: null }],
    ['a:b=c', { 'a:b': 'c' }],
  ])('reads %s', (word, expected) => {
    expect(read([word])).toEqual(expected)
  })

  it('collects repeated arguments in a list if the schema expects a list; otherwise, the last value wins', () => {
    expect(read(['sizes=1', 'sizes=2', 'text=a', 'text=b'])).toEqual({ sizes: [1, 2], text: 'b' })
  })

  it('collects repeated positional arguments in a list, which replaces the value from --args', () => {
    expect(read(['tags=a'], { text: '{"tags":["x"]}' })).toEqual({ tags: ['a'] })
    expect(read(['tags=a', 'tags:=["b"]'])).toEqual({ tags: ['b'] })
    expect(read(['tags=a', 'tags=b', 'tags=["c"]'])).toEqual({ tags: ['a', 'b', 'c'] })
  })

  it('reads strings if there is no schema', () => {
    expect(readArguments({ words: ['a=1'], text: undefined, file: undefined }, {})).toEqual({ a: '1' })
  })

  it('prefers positional arguments over --args, and --args over the file', () => {
    const file = join(tmpdir(), `jetway-cli-arguments-${process.pid}.json`)
    writeFileSync(file, '{"text":"file","count":1,"full":true}')
    expect(read(['count=3'], { file, text: '{"text":"args","count":2}' })).toEqual({
      text: 'args',
      count: 3,
      full: true,
    })
  })

  it.each([
    [['text'], {}, 'text is not an argument'],
    [['=a'], {}, '=a is not an argument'],
    [[':=a'], {}, ':=a is not an argument'],
    [['place={'], {}, 'The value of place is not valid JSON'],
    [['tags=['], {}, 'The value of tags is not valid JSON'],
    [['text:={'], {}, 'The value of text is not valid JSON'],
    [[], { text: '{' }, '--args is not valid JSON'],
    [[], { text: '[]' }, '--args must be a JSON object'],
    [[], { file: '/no/such/file' }, 'The file /no/such/file cannot be read: ENOENT'],
  ] as const)('rejects the arguments %j with the options %j', (words, given, message) => {
    expect(() => read(words, given)).toThrow(expect.objectContaining({ code: 'usage', message }))
  })
})

it.each([
  [{ properties: { a: {} } }, ['a']],
  [{ properties: {}, additionalProperties: false }, []],
  [{ properties: { a: {} }, additionalProperties: {} }, undefined],
  [{ properties: { a: {} }, additionalProperties: true }, undefined],
  [{ properties: { a: {} }, patternProperties: { '^x-': {} } }, undefined],
  [{ properties: { a: {} }, allOf: [{}] }, undefined],
  [{}, undefined],
])('declaredNames(%j) returns %j', (given, names) => {
  expect(declaredNames(given)).toEqual(names)
})
