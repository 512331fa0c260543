import { createValidator, type JsonSchema } from '@jetway/json-schema'
import { describe, expect, it } from 'vitest'
import { expectSame } from './support/expect-same.ts'

const TEXT = { type: 'string' }
const DRAFT_07 = 'http://json-schema.org/draft-07/schema#'
const DRAFT_2019 = 'https://json-schema.org/draft/2019-09/schema'
const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema'

/** A valid and an invalid value for a schema whose property refers to a string schema. */
const VALUES = [{ p: 'x' }, { p: 1 }]

// https://www.rfc-editor.org/rfc/rfc3986#section-5.2
describe('a $ref resolved against an $id', () => {
  it.each([
    ['http://a.test/b/c/d', '../e', 'http://a.test/b/e'],
    ['http://a.test/b/c/d', '../../../e', 'http://a.test/e'],
    ['http://a.test/b/c/d', './e', 'http://a.test/b/c/e'],
    ['http://a.test/b/c/d', '.', 'http://a.test/b/c/'],
    ['http://a.test/b/c/d', '..', 'http://a.test/b/'],
    ['http://a.test/b/c/d', 'e/..', 'http://a.test/b/c/'],
    ['http://a.test/b', '//C.test/d', 'http://c.test/d'],
    ['https://a.test/b/c', '/d/../e', 'https://a.test/e'],
    ['https://a.test/b?x', '?y', 'https://a.test/b?y'],
    ['https://a.test/b?x', 'c?y', 'https://a.test/c?y'],
    ['HTTPS://A.test/b', 'https://a.test/%63', 'https://a.test/c'],
    ['https://a.test/b', 'c%2fd', 'https://a.test/c%2Fd'],
    ['https://a.test', 'c', 'https://a.test/c'],
    ['/a/b', '../../c', '/c'],
    ['urn:a:b', 'urn:a:c', 'urn:a:c'],
    ['ftp://a.test', 'ftp://b.test', 'ftp://b.test'],
    ['x://h', 'c', 'x://h/c'],
  ])('with the $id %s, %s resolves to %s', ($id, $ref, target) => {
    const $defs = { t: { $id: target, ...TEXT } }
    expect(expectSame({ $id, $defs, properties: { p: { $ref } } }, VALUES)).toEqual([true, false])
  })
})

describe('$ref', () => {
  const root = {
    $id: 'http://a.test/r',
    $defs: {
      a: TEXT,
      '': TEXT,
      'a b': TEXT,
      'a/b%': TEXT,
      list: { anyOf: [{}, TEXT] },
      chain: { $ref: '#/$defs/link' },
      link: { $ref: '#/$defs/a' },
      word: { $anchor: '_x-1.y', ...TEXT },
      inner: { $id: 'i', $defs: { s: { $ref: '#/$defs/k' }, k: TEXT }, ...TEXT },
      one: { $id: 'http://a.test/1', $anchor: 'x', ...TEXT },
      two: { $id: 'http://a.test/2', $anchor: 'x', type: 'number' },
    },
  }

  it.each([
    '#/$defs/a',
    '#/$defs/',
    '#/$defs/a%20b',
    '#/$defs/a~1b%25',
    '#/$defs/list/anyOf/1',
    '#/$defs/chain',
    '#_x-1.y',
    'i',
    'i#',
    '#/$defs/inner/$defs/s',
    'i#/$defs/s',
    'http://a.test/1#x',
  ])('resolves to a subschema: %s', ($ref) => {
    expect(expectSame({ ...root, properties: { p: { $ref } } }, VALUES)).toEqual([true, false])
  })

  it.each([
    '#/$defs/none',
    '#/toString',
    '#$defs/a',
    '#none',
    'none#x',
    'none#/$defs/a',
    'i#none',
    '#/$defs/a/type/x',
    '#/$defs/a/type/length',
    '#x$defs/a',
  ])('throws if it does not resolve to a schema: %s', ($ref) => {
    const schema = { ...root, properties: { p: { $ref } } }
    expect(() => createValidator(schema)).toThrow(`can't resolve reference ${$ref} from id http://a.test/r`)
  })

  it.each<[string, object]>([
    ['the URI of the schema', { $id: 'own.json', properties: { p: { $ref: 'own.json' } } }],
    [
      'its URI with an empty fragment',
      { $id: 'http://a.test/', properties: { p: { $ref: 'http://a.test/#' } } },
    ],
    ['its root', { properties: { p: { $ref: '#' } } }],
    ['its root with a slash', { properties: { p: { $ref: '#/' } } }],
  ])('resolves to the whole schema: %s', (_, schema) => {
    const values = ['x', { p: 'x' }, { p: { p: 'x' } }, { p: 1 }, 1]
    const verdicts = expectSame({ type: ['string', 'object'], ...schema }, values)
    expect(verdicts).toEqual([true, true, true, false, false])
  })

  it.each([
    ['items', [TEXT, { $id: 'y', ...TEXT }]],
    ['allOf', [{}, { $id: 'y', ...TEXT }]],
    ['anyOf', [{}, { $id: 'y', ...TEXT }]],
    ['oneOf', [{}, { $id: 'y', ...TEXT }]],
    ['$defs', { 'a/b~c': { $id: 'y', ...TEXT } }],
    ['definitions', { 'a/b~c': { $id: 'y', ...TEXT } }],
    ['properties', { $id: { $id: 'y', ...TEXT } }],
    ['patternProperties', { 'a/b': { $id: 'y', ...TEXT } }],
    ['dependencies', { a: { $id: 'y', ...TEXT } }],
  ])('resolves to a schema whose $id is nested in %s', (keyword, value) => {
    const $schema = DRAFT_2019
    const schema = { $schema, $defs: { z: { [keyword]: value } }, properties: { p: { $ref: 'y' } } }
    expect(expectSame(schema, VALUES)).toEqual([true, false])
  })

  it.each([DRAFT_07, DRAFT_2019, DRAFT_2020])(
    'resolves to the metaschema %s by either of its two URIs',
    ($schema) => {
      const values = [{ p: { type: 'string' } }, { p: { type: 'strin' } }, { p: true }, { p: 1 }]
      for (const $ref of [$schema, 'http://json-schema.org/schema'])
        expect(expectSame({ $schema, properties: { p: { $ref } } }, values)).toEqual([
          true,
          false,
          true,
          false,
        ])
    },
  )

  it('distinguishes two schemas whose ids differ only in the query', () => {
    const schema = {
      $defs: {
        a: { $id: 'http://a.test/x?1', ...TEXT },
        b: { $id: 'http://a.test/x?2', type: 'number' },
      },
      properties: { p: { $ref: 'http://a.test/x?1' }, q: { $ref: 'http://a.test/x?2' } },
    }
    expect(expectSame(schema, [...VALUES, { q: 1 }, { q: 'x' }])).toEqual([true, false, true, false])
  })

  it.each([
    [DRAFT_2019, ['core', 'applicator', 'validation', 'meta-data', 'format', 'content']],
    [
      DRAFT_2020,
      ['core', 'applicator', 'unevaluated', 'validation', 'meta-data', 'format-annotation', 'content'],
    ],
  ] as const)('resolves to the vocabularies of the metaschema %s', ($schema, names) => {
    for (const name of names) {
      const $ref = $schema.replace(/schema$/, `meta/${name}`)
      const validator = createValidator({ $schema, properties: { p: { $ref } } })
      expect(
        [{}, true, 1].map((p) => validator.isValid({ p })),
        name,
      ).toEqual([true, true, false])
    }
  })
})

describe('createValidator', () => {
  it.each<[string, object, string]>([
    ['an $id that is not a string', { $id: 5 }, 'schema $id must be string'],
    ['the $id of a metaschema', { $id: DRAFT_2020 }, `schema with key or id "${DRAFT_2020}" already exists`],
    [
      'one $id for two different schemas',
      { $defs: { a: { $id: 'x', ...TEXT }, b: { $id: 'x', type: 'number' } } },
      'reference "jetway:x" resolves to more than one schema',
    ],
    [
      'one $id for the root and another schema',
      { $id: 'http://a.test/x', $defs: { a: { $id: 'http://a.test/x', ...TEXT } } },
      'schema with key or id "http://a.test/x" already exists',
    ],
    [
      'one anchor for two different schemas',
      { $defs: { a: { $anchor: 'x', ...TEXT }, b: { $anchor: 'x', type: 'number' } } },
      'resolves to more than one schema',
    ],
    ['an anchor that begins with a digit', { $defs: { a: { $anchor: '1x' } } }, 'invalid anchor "1x"'],
    ['an anchor with a space', { $defs: { a: { $anchor: 'a b' } } }, 'invalid anchor "a b"'],
  ])('throws for %s', (_, schema, message) => {
    expect(() => createValidator({ ...schema }, { validateSchema: false })).toThrow(message)
  })

  it('throws for a $schema that is not a string', () => {
    expect(() => createValidator({ $schema: 5 })).toThrow('the dialect 5 is not supported')
  })
})

it.each<[string, JsonSchema, boolean]>([
  [DRAFT_07, { enum: [1, 1] }, false],
  [DRAFT_07, { enum: [] }, false],
  [DRAFT_07, { enum: [1], default: 1, const: 1 }, true],
  [DRAFT_2020, { $dynamicRef: 5 }, false],
  [DRAFT_2020, { $dynamicAnchor: '1' }, false],
  [DRAFT_2019, { $recursiveAnchor: 5 }, false],
  [DRAFT_2020, { properties: null }, false],
  [DRAFT_2019, { enum: [1, 1] }, true],
  [DRAFT_2020, { required: ['a', 'a'] }, false],
  [DRAFT_2020, { required: [] }, true],
  [DRAFT_2020, { minLength: -1 }, false],
  [DRAFT_2020, { minLength: 0 }, true],
  [DRAFT_2020, { multipleOf: 0 }, false],
  [DRAFT_2020, { multipleOf: 0.5 }, true],
  [DRAFT_2020, { type: [] }, false],
  [DRAFT_2020, { type: ['string'] }, true],
  [DRAFT_2020, { type: ['string', 'string'] }, false],
  [DRAFT_2020, { allOf: [] }, false],
  [DRAFT_2020, { allOf: [true] }, true],
  [DRAFT_2020, { prefixItems: [] }, false],
  [DRAFT_2019, { prefixItems: [] }, true],
  [DRAFT_2019, { items: [] }, false],
  [DRAFT_2019, { items: [true] }, true],
  [DRAFT_2020, { items: [true] }, false],
  [DRAFT_2019, { unevaluatedItems: 1 }, false],
  [DRAFT_2020, { unevaluatedItems: 1 }, false],
  [DRAFT_2020, { $anchor: '_a' }, true],
  [DRAFT_2019, { $anchor: '_a' }, false],
  [DRAFT_2020, { dependencies: { a: ['x'] } }, true],
  [DRAFT_2020, { dependencies: { a: 1 } }, false],
  [DRAFT_2020, { default: 1, const: 1, examples: [] }, true],
])('`createValidator` checks a schema against the metaschema %s: %j is valid: %s', ($schema, part, valid) => {
  const validator = createValidator({ $schema, properties: { p: { $ref: $schema } } })
  expect(validator.isValid({ p: part })).toBe(valid)
  const create = (): unknown => createValidator({ $schema, properties: { a: part } })
  if (valid) expect(create).not.toThrow()
  else expect(create).toThrow()
})
