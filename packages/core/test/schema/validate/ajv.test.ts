import { FORMATS } from '@jetway/json-schema'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../../../src/schema/types.ts'
import { compileWithAjv } from '../../../src/schema/validate/ajv.ts'
import { interpret } from '../../../src/schema/validate/interpret.ts'

/** The verdicts of compiled code, which are those of the interpreter. */
async function verdicts(schema: JsonSchema, values: readonly unknown[]): Promise<boolean[]> {
  const compiled = await compileWithAjv(schema)
  const interpreted = interpret(schema, 'author')
  return values.map((value) => {
    expect(compiled(value), JSON.stringify(value)).toBe(interpreted.isValid(value))
    return compiled(value)
  })
}

const TREE = {
  type: 'object',
  properties: { name: { type: 'string', minLength: 2 }, children: { type: 'array', items: { $ref: '#' } } },
  required: ['name'],
  additionalProperties: false,
}

describe('compiled code has the verdicts of the interpreter', () => {
  it.each<[string, JsonSchema, readonly unknown[], readonly unknown[]]>([
    [
      'uniqueItems',
      { uniqueItems: true },
      [[1, '1', [1], { a: 1 }], [], 1],
      [
        [1, 1],
        [
          { a: 1, b: [2] },
          { b: [2], a: 1 },
        ],
      ],
    ],
    ['uniqueItems that is off', { uniqueItems: false }, [[1, 1]], []],
    [
      'uniqueItems in alternatives',
      { anyOf: [{ uniqueItems: true }, { maxItems: 2 }] },
      [[1, 1]],
      [[1, 1, 1]],
    ],
    ['patterns with the flag u', { pattern: '^\\p{Lu}$' }, ['Ä'], ['a']],
    ['patterns that are none with the flag u', { pattern: '^[\\w-.]+$' }, ['a-b.c'], ['a b']],
    [
      'recursion',
      TREE,
      [{ name: 'ab', children: [{ name: 'cd' }] }],
      [{ name: 'ab', children: [{}] }, { x: 1 }],
    ],
    ['names that objects have anyway', { required: ['constructor'] }, [{ constructor: 1 }], [{}]],
    ['unknown keywords and formats', { type: 'string', format: 'constructor', 'x-a': 1 }, ['a'], [1]],
    ['relative references', { $defs: { a: { $id: 'a.json', type: 'string' } }, $ref: 'a.json' }, ['a'], [1]],
    ['$async', { $async: true, type: 'string' }, ['a'], [1]],
    [
      'draft-07',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        definitions: { a: { type: 'string' } },
        properties: {
          t: { items: [{}], additionalItems: false },
          r: { $ref: '#/definitions/a', maxLength: 1 },
        },
      },
      [{ t: [1], r: 'long' }],
      [{ t: [1, 2] }, { r: 1 }],
    ],
    [
      '2019-09',
      {
        $schema: 'https://json-schema.org/draft/2019-09/schema',
        $recursiveAnchor: true,
        properties: { a: { $recursiveRef: '#' } },
        unevaluatedProperties: false,
      },
      [{ a: { a: {} } }],
      [{ a: { b: 1 } }],
    ],
  ])('%s', async (_, schema, good, bad) => {
    expect(await verdicts(schema, [...good, ...bad])).toEqual([
      ...good.map(() => true),
      ...bad.map(() => false),
    ])
  })

  it.each(Object.keys(FORMATS))('the format %s', async (format) => {
    const texts = [
      '',
      'a',
      '2024-02-29',
      '12:00:00Z',
      '2024-02-29T12:00:00Z',
      'P1D',
      'https://a.test/b?c#d',
      'a@b.test',
    ]
    const others = [
      '1.2.3.4',
      '::1',
      'a.test',
      '/a/b',
      '0/a',
      '#/a',
      '{a}',
      'YQ==',
      '(',
      -1,
      1.5,
      2 ** 31,
      {},
      null,
    ]
    expect(await verdicts({ format }, [...texts, ...others])).toContain(true)
  })

  it('whatever the value is', async () => {
    const schema = {
      ...TREE,
      properties: {
        ...TREE.properties,
        tags: { uniqueItems: true },
        size: { oneOf: [{ minimum: 0 }, { type: 'string' }] },
      },
    }
    const compiled = await compileWithAjv(schema)
    const interpreted = interpret(schema, 'author')
    const value = fc.letrec((tie) => ({
      node: fc.record(
        {
          name: fc.oneof(fc.string(), fc.constant('ab')),
          children: fc.array(tie('node'), { maxLength: 2, depthIdentifier: 'n' }),
          tags: fc.array(fc.constantFrom('a', 1, null, {})),
          size: fc.oneof(fc.integer(), fc.string()),
          other: fc.jsonValue(),
        },
        { requiredKeys: [] },
      ),
    })).node
    fc.assert(
      fc.property(value, (given) => {
        expect(compiled(given)).toBe(interpreted.isValid(given))
      }),
      { numRuns: 300 },
    )
  })
})

it('two schemas with one $id do not share code, nor refer to parts of each other', async () => {
  const $id = 'https://a.test/schema'
  const [first, second] = await Promise.all([
    compileWithAjv({ $id, type: 'string', $defs: { a: { type: 'number' } } }),
    compileWithAjv({ $id, type: 'number' }),
  ])
  expect([first('a'), second('a'), first(1), second(1)]).toEqual([true, false, false, true])
  await expect(compileWithAjv({ $ref: `${$id}#/$defs/a` })).rejects.toThrow("can't resolve reference")
})
