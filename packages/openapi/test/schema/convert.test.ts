import { describe, expect, it } from 'vitest'
import { openApi, type OpenApiOptions } from '../../src/index.ts'
import { schemaOf } from '../support/api.ts'

interface Given {
  readonly version?: string
  readonly components?: object
  readonly options?: OpenApiOptions
}

/** The schema of an argument, and the definitions of its tool. */
function converted(schema: unknown, { version = '3.1.0', components = {}, options = {} }: Given = {}) {
  const parameters = [{ name: 'a', in: 'query', schema }]
  const document = {
    openapi: version,
    servers: [{ url: 'https://api.invalid' }],
    paths: { '/x': { get: { parameters } } },
    components: { schemas: components },
  }
  const [tool] = openApi(document, {
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    ...options,
  }).tools()
  const { properties, $defs } = schemaOf(tool?.inputSchema) as {
    properties: { a: unknown }
    $defs?: Record<string, unknown>
  }
  return { a: properties.a, $defs }
}

describe('schemas of 3.1', () => {
  it.each([
    [
      { type: ['string', 'null'], format: 'date-time' },
      { type: ['string', 'null'], format: 'date-time' },
    ],
    [{ const: 1, deprecated: true, xml: {}, 'x-a': 1, externalDocs: {} }, { const: 1 }],
    [{ $id: 'https://x.invalid', $anchor: 'a', $schema: 'https://x.invalid', $comment: 'c' }, {}],
    [{ 'x-mcp-header': 'Authorization', type: 'string' }, { type: 'string' }],
    [{ properties: { b: {} } }, { type: 'object', properties: { b: {} } }],
    [{ items: {} }, { type: 'array', items: {} }],
    [
      { type: 'array', items: [{}, {}] },
      { type: 'array', prefixItems: [{}, {}] },
    ],
    [true, {}],
  ])('keep what JSON Schema knows: %j', (schema, expected) => {
    expect(converted(schema).a).toEqual(expected)
  })

  it.each([
    { type: 'any' },
    { type: 'int' },
    { type: [] },
    { enum: [] },
    { pattern: '(' },
    { minLength: -1 },
    { maximum: '3' },
    { required: true },
    { required: [1] },
    { properties: [] },
    { allOf: [] },
    { items: 'x' },
    { multipleOf: 0 },
    { exclusiveMinimum: true },
    'not a schema',
    7,
    null,
    [],
  ])('drop what is invalid: %j', (schema) => {
    expect(converted(schema).a).toEqual({})
  })

  it('have short examples only', () => {
    expect(converted({ examples: ['a', 'x'.repeat(600), 'b', 'c', 'd'], default: 1 }).a).toEqual({
      examples: ['a', 'b', 'c'],
      default: 1,
    })
    expect(converted({ example: 'x'.repeat(600) }).a).toEqual({})
  })

  it('have descriptions of at most 1 KB, without control characters', () => {
    const { description } = converted({ description: `a\u0007\u202e${'b'.repeat(2_000)}` }).a as {
      description: string
    }
    expect(description).toMatch(/^ab+…$/)
    expect(description).toHaveLength(1024)
  })
})

describe('schemas of 3.0', () => {
  const old = (schema: unknown, components = {}) => converted(schema, { version: '3.0.3', components })

  it.each([
    [{ type: 'string', nullable: true }, { type: ['string', 'null'] }],
    [
      { type: 'string', nullable: true, enum: ['a'] },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [{ nullable: true, anyOf: [{ type: 'string' }] }, { anyOf: [{ type: 'string' }, { type: 'null' }] }],
    [
      { nullable: true, allOf: [{ type: 'string' }] },
      { anyOf: [{ allOf: [{ type: 'string' }] }, { type: 'null' }] },
    ],
    [{ minimum: 1, exclusiveMinimum: true }, { exclusiveMinimum: 1 }],
    [{ maximum: 1, exclusiveMaximum: false }, { maximum: 1 }],
    [{ example: 'a' }, { examples: ['a'] }],
  ])('become those of 3.1: %j', (schema, expected) => {
    expect(old(schema).a).toEqual(expected)
  })

  it('may be null beside a reference', () => {
    const { a } = old(
      { $ref: '#/components/schemas/A', nullable: true, description: 'd' },
      { A: { type: 'string' } },
    )
    expect(a).toEqual({ anyOf: [{ $ref: '#/$defs/A', description: 'd' }, { type: 'null' }] })
  })

  it('keep properties with the names of keywords', () => {
    const properties = {
      type: { type: 'string' },
      nullable: { type: 'boolean' },
      $ref: { type: 'string' },
      example: {},
    }
    expect(old({ type: 'object', properties }).a).toEqual({ type: 'object', properties })
  })
})

describe('references', () => {
  it('stay references, so that cycles end', () => {
    const components = {
      A: { properties: { b: { $ref: '#/components/schemas/B' } } },
      B: { items: { $ref: '#/components/schemas/A' } },
    }
    expect(converted({ $ref: '#/components/schemas/A' }, { components })).toEqual({
      a: { $ref: '#/$defs/A' },
      $defs: {
        A: { type: 'object', properties: { b: { $ref: '#/$defs/B' } } },
        B: { type: 'array', items: { $ref: '#/$defs/A' } },
      },
    })
  })

  it('bring only what they reach', () => {
    const components = { A: { type: 'string' }, B: {}, C: {} }
    expect(converted({ $ref: '#/components/schemas/A' }, { components }).$defs).toEqual({
      A: { type: 'string' },
    })
    expect(converted({}, { components }).$defs).toBeUndefined()
  })

  it('lead to any part of the document, and two parts of one name get two names', () => {
    const components = { A: { properties: { 'b/c~d': { type: 'string' } } }, 'b/c~d': { type: 'number' } }
    const schema = {
      anyOf: [
        { $ref: '#/components/schemas/A/properties/b~1c~0d' },
        { $ref: '#/components/schemas/b~1c~0d' },
      ],
    }
    expect(converted(schema, { components })).toEqual({
      a: { anyOf: [{ $ref: '#/$defs/b_c_d' }, { $ref: '#/$defs/b_c_d_2' }] },
      $defs: { b_c_d: { type: 'string' }, b_c_d_2: { type: 'number' } },
    })
  })

  it.each([
    [{ A: { $ref: '#/components/schemas/A' } }],
    [{ A: { $ref: '#/components/schemas/B' }, B: { $ref: '#/components/schemas/A' } }],
    [
      {
        A: { allOf: [{ $ref: '#/components/schemas/B' }] },
        B: { anyOf: [{}, { $ref: '#/components/schemas/A' }] },
      },
    ],
  ])('that lead to themselves accept any value: %j', (components) => {
    const { $defs } = converted({ $ref: '#/components/schemas/A' }, { components })
    expect(JSON.stringify($defs)).not.toContain('$ref')
  })

  it.each(['#/components/schemas/None', 'other.yaml#/A', 'https://evil.invalid/a.json', '#/%', '#anchor'])(
    'that lead nowhere accept any value, with a fault: %s',
    ($ref) => {
      const document = {
        openapi: '3.1.0',
        servers: [{ url: 'https://api.invalid' }],
        paths: { '/x': { get: { parameters: [{ name: 'a', in: 'query', schema: { $ref } }] } } },
      }
      const lines: unknown[] = []
      const logger = { debug() {}, info() {}, error() {}, warn: (fields: object) => void lines.push(fields) }
      const source = openApi(document, { logger })
      expect(schemaOf(source.tools()[0]?.inputSchema)).toMatchObject({ properties: { a: {} } })
      expect(source.faults).toMatchObject([{ where: 'GET /x', leftOut: false }])
      expect(lines).toHaveLength(1)
    },
  )
})

describe('refs: inline', () => {
  const options = { refs: 'inline' } as const

  it('replaces references, four deep', () => {
    const components = { A: { properties: { b: { $ref: '#/components/schemas/B' } } }, B: { type: 'string' } }
    expect(converted({ $ref: '#/components/schemas/A', description: 'd' }, { components, options })).toEqual({
      a: { type: 'object', properties: { b: { type: 'string' } }, description: 'd' },
      $defs: undefined,
    })
  })

  it('cuts cycles, with a note', () => {
    const components = { A: { properties: { a: { $ref: '#/components/schemas/A' } } } }
    expect(converted({ $ref: '#/components/schemas/A' }, { components, options }).a).toEqual({
      type: 'object',
      properties: { a: { description: expect.stringContaining('left out') } },
    })
  })

  it('ends for schemas that grow with each level', () => {
    const wide = (to: string) => ({
      properties: Object.fromEntries(
        Array.from({ length: 40 }, (_, index) => [`p${index}`, { $ref: `#/components/schemas/${to}` }]),
      ),
    })
    const components = { A: wide('B'), B: wide('C'), C: wide('D'), D: wide('A') }
    const text = JSON.stringify(converted({ $ref: '#/components/schemas/A' }, { components, options }).a)
    expect(text.length).toBeLessThan(1_000_000)
  })
})

describe('readOnly and writeOnly', () => {
  it('properties leave requests and responses', () => {
    const Pet = {
      type: 'object',
      required: ['id', 'name', 'key', 'secret'],
      properties: {
        id: { type: 'integer', readOnly: true },
        key: { $ref: '#/components/schemas/Key' },
        name: { type: 'string' },
        secret: { type: 'string', writeOnly: true },
      },
    }
    const media = { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } }
    const document = {
      openapi: '3.1.0',
      servers: [{ url: 'https://api.invalid' }],
      paths: { '/x': { post: { requestBody: { content: media }, responses: { 200: { content: media } } } } },
      components: { schemas: { Pet, Key: { type: 'string', readOnly: true } } },
    }
    const [tool] = openApi(document, { results: 'checked' }).tools()
    const { required, properties } = schemaOf(tool?.inputSchema) as { required: unknown; properties: object }
    expect(required).toEqual(['name', 'secret'])
    expect(Object.keys(properties)).toEqual(['name', 'secret'])
    expect(schemaOf(tool?.outputSchema)).toMatchObject({ required: ['id', 'name', 'key'] })
  })
})
