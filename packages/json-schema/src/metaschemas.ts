import type { Dialect } from './dialect.ts'
import type { JsonSchema } from './types.ts'

/**
 * Returns the metaschemas of a dialect. Titles, defaults and formats are omitted, because validation does not
 * need them: ajv does not check formats in schemas either. See https://json-schema.org/specification.
 */
export function metaschemasOf(dialect: Dialect): readonly JsonSchema[] {
  if (dialect === 'draft-07') return [draft07()]
  return dialect === 'draft-2019-09'
    ? vocabularies(
        'https://json-schema.org/draft/2019-09',
        { $recursiveAnchor: true },
        { $recursiveRef: '#' },
      )
    : vocabularies(
        'https://json-schema.org/draft/2020-12',
        { $dynamicAnchor: 'meta' },
        { $dynamicRef: '#meta' },
      )
}

const TEXT = { type: 'string' }
const NUMBER = { type: 'number' }
const BOOLEAN = { type: 'boolean' }
const LIST = { type: 'array', items: true }

/** The definitions that the keywords below refer to. */
const VALUES = {
  nonNegativeInteger: { type: 'integer', minimum: 0 },
  simpleTypes: { enum: ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'] },
  stringArray: { type: 'array', items: TEXT, uniqueItems: true },
}

const keyed = (names: readonly string[], schema: unknown): JsonSchema =>
  Object.fromEntries(names.map((name) => [name, schema]))

const byName = (schema: JsonSchema, more: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  additionalProperties: schema,
  ...more,
})

const COUNTS = ['maxLength', 'minLength', 'maxItems', 'minItems', 'maxProperties', 'minProperties']
const LIMITS = ['maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum']
const SINGLE = ['contains', 'additionalProperties', 'propertyNames', 'if', 'then', 'else', 'not']

/** @param defs - the path to the definitions: `#/definitions` or `#/$defs` */
function validation(defs: string, counts: readonly string[]): JsonSchema {
  const simple = { $ref: `${defs}/simpleTypes` }
  return {
    type: { anyOf: [simple, { type: 'array', items: simple, minItems: 1, uniqueItems: true }] },
    const: true,
    enum: LIST,
    multipleOf: { type: 'number', exclusiveMinimum: 0 },
    ...keyed(LIMITS, NUMBER),
    ...keyed(counts, { $ref: `${defs}/nonNegativeInteger` }),
    pattern: TEXT,
    uniqueItems: BOOLEAN,
    required: { $ref: `${defs}/stringArray` },
  }
}

function draft07(): JsonSchema {
  const schema = { $ref: '#' }
  const list = { $ref: '#/definitions/schemaArray' }
  const names = { $ref: '#/definitions/stringArray' }
  return {
    $id: 'http://json-schema.org/draft-07/schema#',
    definitions: { schemaArray: { type: 'array', minItems: 1, items: schema }, ...VALUES },
    type: ['object', 'boolean'],
    properties: {
      ...keyed(['$id', '$schema', '$ref', '$comment', 'title', 'description', 'format'], TEXT),
      ...keyed(['contentMediaType', 'contentEncoding'], TEXT),
      default: true,
      readOnly: BOOLEAN,
      examples: LIST,
      ...validation('#/definitions', COUNTS),
      enum: { ...LIST, minItems: 1, uniqueItems: true },
      ...keyed([...SINGLE, 'additionalItems'], schema),
      ...keyed(['definitions', 'properties', 'patternProperties'], byName(schema)),
      ...keyed(['allOf', 'anyOf', 'oneOf'], list),
      items: { anyOf: [schema, list] },
      dependencies: byName({ anyOf: [schema, names] }),
    },
  }
}

/** Returns the documents of 2019-09 or 2020-12. Each of these dialects has several documents. */
function vocabularies(base: string, anchor: JsonSchema, schema: JsonSchema): JsonSchema[] {
  const is2020 = '$dynamicAnchor' in anchor
  const list = { $ref: '#/$defs/schemaArray' }
  const vocabulary = (name: string, properties: JsonSchema, $defs?: JsonSchema): JsonSchema => ({
    $id: `${base}/meta/${name}`,
    ...anchor,
    type: ['object', 'boolean'],
    properties,
    ...($defs && { $defs }),
  })
  const unevaluated = keyed(['unevaluatedItems', 'unevaluatedProperties'], schema)
  const documents = [
    vocabulary('core', core(schema, is2020)),
    vocabulary(
      'applicator',
      {
        ...keyed(SINGLE, schema),
        ...keyed(['properties', 'patternProperties', 'dependentSchemas'], byName(schema)),
        ...keyed(['allOf', 'anyOf', 'oneOf'], list),
        ...(is2020
          ? { prefixItems: list, items: schema }
          : { additionalItems: schema, items: { anyOf: [schema, list] }, ...unevaluated }),
      },
      { schemaArray: { type: 'array', minItems: 1, items: schema } },
    ),
    vocabulary(
      'validation',
      {
        ...validation('#/$defs', [...COUNTS, 'maxContains', 'minContains']),
        dependentRequired: byName({ $ref: '#/$defs/stringArray' }),
      },
      VALUES,
    ),
    vocabulary('meta-data', {
      ...keyed(['title', 'description'], TEXT),
      default: true,
      ...keyed(['deprecated', 'readOnly', 'writeOnly'], BOOLEAN),
      examples: LIST,
    }),
    vocabulary(is2020 ? 'format-annotation' : 'format', { format: TEXT }),
    vocabulary('content', { ...keyed(['contentMediaType', 'contentEncoding'], TEXT), contentSchema: schema }),
    ...(is2020 ? [vocabulary('unevaluated', unevaluated)] : []),
  ]
  const names = { $ref: 'meta/validation#/$defs/stringArray' }
  const whole = {
    $id: `${base}/schema`,
    ...anchor,
    allOf: documents.map(({ $id }) => ({ $ref: $id })),
    type: ['object', 'boolean'],
    properties: { definitions: byName(schema), dependencies: byName({ anyOf: [schema, names] }) },
  }
  return [whole, ...documents]
}

function core(schema: JsonSchema, is2020: boolean): JsonSchema {
  const anchor = {
    type: 'string',
    pattern: is2020 ? '^[A-Za-z_][-A-Za-z0-9._]*$' : '^[A-Za-z][-A-Za-z0-9.:_]*$',
  }
  return {
    $id: { type: 'string', pattern: '^[^#]*#?$' },
    ...keyed(['$schema', '$ref', '$comment'], TEXT),
    $anchor: anchor,
    ...(is2020
      ? { $dynamicRef: TEXT, $dynamicAnchor: anchor, $recursiveRef: TEXT, $recursiveAnchor: anchor }
      : { $recursiveRef: TEXT, $recursiveAnchor: BOOLEAN }),
    $vocabulary: byName(BOOLEAN),
    $defs: byName(schema),
  }
}
