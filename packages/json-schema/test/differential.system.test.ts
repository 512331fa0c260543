import { createValidator, type JsonSchema } from '@jetway/json-schema'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { ajvAlone, outcomeOf } from './support/ajv-alone.ts'

const NAMES = ['a', 'b', 'c', 'a/b', '__proto__', 'constructor', 'x1']
const name = fc.constantFrom(...NAMES)
const scalar = fc.constantFrom<unknown>(
  null,
  true,
  false,
  0,
  1,
  2,
  -1,
  1.5,
  0.3,
  10,
  '',
  'a',
  'ab',
  '😀😀',
  'x1',
)

/** Generates pairs that become an object, so that `__proto__` is treated like any other name. */
const record = <T>(part: fc.Arbitrary<T>, maxLength: number): fc.Arbitrary<Record<string, T>> =>
  fc.array(fc.tuple(name, part), { maxLength }).map((entries) => Object.fromEntries(entries))

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, scalar, fc.array(tie('value'), { maxLength: 3 }), record(tie('value'), 4)),
}))

const TYPES = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object'] as const
const count = fc.nat(3)
const names = fc.uniqueArray(name, { maxLength: 2 })

type Draft = 'draft-07' | '2019-09' | '2020-12'

/** Keywords that exist in every draft and contain no schemas. */
const plain: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  type: fc.oneof(
    fc.constantFrom(...TYPES),
    fc.uniqueArray(fc.constantFrom(...TYPES), { minLength: 1, maxLength: 2 }),
  ),
  enum: fc.uniqueArray(scalar, { minLength: 1, maxLength: 3 }),
  const: value,
  minimum: count,
  maximum: count,
  exclusiveMinimum: fc.constant(0),
  exclusiveMaximum: fc.constant(2),
  multipleOf: fc.constantFrom(1, 0.5, 0.1),
  minLength: count,
  maxLength: count,
  pattern: fc.constantFrom('^a', 'b$', '[\\w-.]'),
  format: fc.constantFrom('email', 'date', 'int32', 'colour'),
  minItems: count,
  maxItems: count,
  uniqueItems: fc.boolean(),
  minProperties: count,
  maxProperties: count,
  required: names,
  $ref: fc.constantFrom('#', '#/$defs/a', '#/$defs/b', '#anchor', 'item', '#/$defs/none'),
}

function keywordsOf(draft: Draft, schema: fc.Arbitrary<unknown>): Record<string, fc.Arbitrary<unknown>> {
  const list = fc.array(schema, { minLength: 1, maxLength: 3 })
  const byName = record(schema, 3)
  const single = ['additionalProperties', 'propertyNames', 'contains', 'not', 'if', 'then', 'else']
  const lists = ['anyOf', 'oneOf', 'allOf', ...(draft === '2020-12' ? ['prefixItems'] : [])]
  const later = {
    dependentRequired: record(names, 2),
    dependentSchemas: byName,
    minContains: count,
    maxContains: count,
    unevaluatedProperties: fc.oneof(fc.constant(false), schema),
    unevaluatedItems: fc.oneof(fc.constant(false), schema),
  }
  return {
    ...plain,
    ...Object.fromEntries(single.map((keyword) => [keyword, schema])),
    ...Object.fromEntries(lists.map((keyword) => [keyword, list])),
    properties: byName,
    patternProperties: fc.dictionary(fc.constantFrom('^a', '.', 'x'), schema, { maxKeys: 2 }),
    dependencies: record(fc.oneof(names, schema), 2),
    items: draft === '2020-12' ? schema : fc.oneof(schema, list),
    ...(draft !== '2020-12' && { additionalItems: schema }),
    ...(draft !== 'draft-07' && later),
    ...(draft === '2019-09' && { $recursiveRef: fc.constant('#'), $recursiveAnchor: fc.constant(true) }),
    ...(draft === '2020-12' && { $dynamicRef: fc.constant('#node'), $dynamicAnchor: fc.constant('node') }),
  }
}

function schemasOf(draft: Draft): fc.Arbitrary<unknown> {
  return fc.letrec<{ schema: unknown }>((tie) => {
    const keywords = keywordsOf(draft, tie('schema'))
    const some = fc.subarray(Object.keys(keywords), { minLength: 1, maxLength: 5 })
    return {
      schema: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        fc.boolean(),
        fc
          .subarray(Object.keys(plain), { minLength: 1, maxLength: 3 })
          .chain((chosen) => pick(plain, chosen)),
        some.chain((chosen) => pick(keywords, chosen)),
      ),
    }
  }).schema
}

const pick = (
  keywords: Readonly<Record<string, fc.Arbitrary<unknown>>>,
  chosen: readonly string[],
): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(Object.fromEntries(chosen.map((keyword) => [keyword, keywords[keyword]!])))

const URIS: Readonly<Record<Draft, string>> = {
  'draft-07': 'http://json-schema.org/draft-07/schema#',
  '2019-09': 'https://json-schema.org/draft/2019-09/schema',
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
}

const documentOf = (draft: Draft): fc.Arbitrary<JsonSchema> =>
  fc
    .tuple(
      schemasOf(draft),
      schemasOf(draft),
      schemasOf(draft),
      fc.constantFrom(undefined, 'urn:a:b', 'root.json'),
    )
    .map(([root, a, b, $id]) => ({
      ...(root as object),
      $schema: URIS[draft],
      ...($id !== undefined && { $id }),
      $defs: { a, b, item: { $id: 'item', type: 'string' }, anchor: { $anchor: 'anchor', minLength: 2 } },
    }))

/**
 * Errors caused by bugs in the code that ajv generates, and by endless recursion in branches that need not be
 * tried.
 */
const BROKEN = new Set(['ReferenceError', 'TypeError', 'RangeError'])

/**
 * ajv overlooks anchors in dependentSchemas: references to them do not resolve, and two equal anchors do not
 * cause an error.
 */
function hasHiddenAnchor(schema: JsonSchema): boolean {
  let hidden = false
  JSON.stringify(schema, (key, part: unknown) => {
    hidden ||= key === 'dependentSchemas' && JSON.stringify(part).includes('"$dynamicAnchor"')
    return part
  })
  return hidden
}

/** Ajv compares the `constructor` properties of two values by identity before it compares the values. */
const ajvMisjudges = (schema: JsonSchema, given: unknown): boolean =>
  /"(?:const|uniqueItems)":/.test(JSON.stringify(schema)) && JSON.stringify(given).includes('"constructor":')

const attempt = <T>(make: () => T): T | undefined => {
  try {
    return make()
  } catch {
    return undefined
  }
}

/** Ajv compiles such a schema, but overflows the stack during validation. */
function isEndless(schema: JsonSchema): boolean {
  try {
    createValidator(schema, { validateSchema: false })
    return false
  } catch (error) {
    return (error as Error).message.includes('leads back to its own schema')
  }
}

/**
 * For a reference to a reference to an `$id`, ajv reports a different path, and below a URN it does not find
 * the target.
 */
const leadsOn = ({ $defs }: JsonSchema): boolean =>
  /"[ab]":\{[^{}]*"\$ref":"item"/.test(JSON.stringify($defs))

it.each<Draft>(['draft-07', '2019-09', '2020-12'])(
  'a validator agrees with ajv on generated %s schemas',
  (draft) => {
    let judged = 0
    const values = fc.array(value, { minLength: 5, maxLength: 5 })
    fc.assert(
      fc.property(documentOf(draft), values, (schema, given) => {
        fc.pre(!hasHiddenAnchor(schema) && !leadsOn(schema) && !isEndless(schema))
        const alone = attempt(() => ajvAlone(schema))
        const validator = attempt(() => createValidator(schema, { validateSchema: false }))
        expect(validator === undefined).toBe(alone === undefined)
        if (validator === undefined || alone === undefined) return
        for (const each of given) {
          if (ajvMisjudges(schema, each)) continue
          const expected = outcomeOf(alone, each)
          if ('thrown' in expected && BROKEN.has(expected.thrown)) continue
          expect(outcomeOf(validator, each), JSON.stringify(each)).toEqual(expected)
          judged++
        }
      }),
      { numRuns: 600 },
    )
    expect(judged).toBeGreaterThan(300)
  },
)

/** Generated schemas rarely contain these cases. */
it.each<[string, JsonSchema, unknown[]]>([
  [
    'patternProperties that only match names',
    { patternProperties: { '^a': true }, unevaluatedProperties: false },
    [{ a: 1 }, { b: 1 }],
  ],
  [
    'a property that fails after a failed reference',
    {
      patternProperties: { '^a': { $ref: '#/$defs/low', type: 'number' } },
      $defs: { low: { maximum: 1, properties: { a: { $ref: '#/$defs/low' } } } },
    },
    [{ a1: 2, a2: 'x' }],
  ],
  [
    'two failed references where all properties count as evaluated',
    {
      additionalProperties: true,
      patternProperties: { '^a': { $ref: '#/$defs/low' } },
      $defs: { low: { maximum: 1, properties: { a: { $ref: '#/$defs/low' } } } },
    },
    [{ a1: 2, a2: 3 }],
  ],
  [
    'if without then and else',
    { if: { properties: { a: true } }, unevaluatedProperties: false },
    [{ a: 1 }, {}],
  ],
])('a validator agrees with ajv on %s', (_, schema, values) => {
  const [validator, alone] = [createValidator(schema), ajvAlone(schema)]
  for (const each of values) expect(outcomeOf(validator, each)).toEqual(outcomeOf(alone, each))
})
