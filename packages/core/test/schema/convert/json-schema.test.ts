import { describe, expect, it, vi } from 'vitest'

import type { JsonSchema } from '../../../src/schema/types.ts'
import { checkInput, checkOutput, engine, inputSite } from '../helpers.ts'

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#'
const DRAFT_2019 = 'https://json-schema.org/draft/2019-09/schema'
const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema'

describe('supported JSON Schema dialects (https://modelcontextprotocol.io/specification/2025-11-25/basic#json-schema-usage)', () => {
  const tuple = (dialect: string | undefined, keywords: JsonSchema): JsonSchema => ({
    ...(dialect !== undefined && { $schema: dialect }),
    type: 'object',
    properties: { pair: { type: 'array', ...keywords } },
  })
  const prefix = { prefixItems: [{ type: 'string' }], items: false }
  const items = { items: [{ type: 'string' }], additionalItems: false }

  it.each([
    ['2020-12 by default', tuple(undefined, prefix)],
    ['2020-12', tuple(DRAFT_2020, prefix)],
    ['2020-12 with a fragment', tuple(`${DRAFT_2020}#`, prefix)],
    ['2019-09', tuple(DRAFT_2019, items)],
    ['draft-07', tuple(DRAFT_07, items)],
    ['draft-07 over https', tuple('https://json-schema.org/draft-07/schema', items)],
  ])('include %s', async (_, schema) => {
    expect(await checkInput(schema, { pair: ['a'] })).toEqual({ pair: ['a'] })
    expect(await checkInput(schema, { pair: [1] })).toEqual({ refused: 'pair[0]: must be string' })
    expect(await checkInput(schema, { pair: ['a', 'b'] })).toHaveProperty('refused')
  })

  it('ignore keywords next to a $ref only if the dialect is draft-07', async () => {
    const beside = { $ref: '#/definitions/name', maxLength: 1 }
    const schema = { type: 'object', properties: { a: beside }, definitions: { name: { type: 'string' } } }
    expect(await checkInput({ $schema: DRAFT_07, ...schema }, { a: 'xyz' })).toEqual({ a: 'xyz' })
    expect(await checkInput(schema, { a: 'xyz' })).toHaveProperty('refused')
  })

  it.each(['http://json-schema.org/draft-04/schema#', 'https://example.com/my-dialect', 7, null])(
    'do not include %j, which is rejected at registration',
    ($schema) => {
      const compile = (): unknown => engine.input({ $schema, type: 'object' }, inputSite)
      expect(compile).toThrow(expect.objectContaining({ code: 'ERR_MCP_SCHEMA_INVALID' }))
      expect(compile).toThrow(`the dialect ${JSON.stringify($schema)} is not supported`)
    },
  )
})

describe('a schema that does not compile', () => {
  it.each<[string, JsonSchema]>([
    ['an unknown type', { type: 'object', properties: { a: { type: 'strng' } } }],
    ['a malformed keyword', { type: 'object', required: 'a' }],
    ['a malformed keyword in draft-07', { $schema: DRAFT_07, type: 'object', required: 'a' }],
    ['a bad pattern', { type: 'object', properties: { a: { pattern: '(' } } }],
    ['a dangling pointer', { type: 'object', properties: { a: { $ref: '#/$defs/none' } } }],
    ['a dangling anchor', { type: 'object', properties: { a: { $ref: '#none' } } }],
    ["a metaschema's id", { $id: DRAFT_2020, type: 'object' }],
    [
      'the same id twice',
      { type: 'object', $defs: { a: { $id: 'urn:a', type: 'string' }, b: { $id: 'urn:a' } } },
    ],
  ])('causes an error at registration: %s', (_, schema) => {
    const compile = (): unknown => engine.input(schema, inputSite)
    expect(compile).toThrow(expect.objectContaining({ code: 'ERR_MCP_SCHEMA_INVALID' }))
    expect(compile).toThrow(/inputSchema of tool "get_forecast"/)
  })

  it.each([
    'http://127.0.0.1:9/s.json',
    'https://example.com/s',
    'file:///etc/hosts',
    'data:application/json,{}',
  ])('causes an error for the remote $ref %s, which is not fetched', ($ref) => {
    const fetching = vi.spyOn(globalThis, 'fetch')
    expect(() => engine.input({ type: 'object', properties: { a: { $ref } } }, inputSite)).toThrow(
      /can't resolve reference/,
    )
    expect(fetching).not.toHaveBeenCalled()
    fetching.mockRestore()
  })

  it('does not affect the schema registered after it', async () => {
    const broken = {
      $id: 'https://example.com/broken',
      type: 'object',
      $defs: { a: { $id: 'inner' } },
      properties: { a: { $ref: '#x' } },
    }
    expect(() => engine.input(broken, inputSite)).toThrow()
    expect(() => engine.input(broken, inputSite)).toThrow(/resolve reference/)
    expect(await checkInput({ $id: 'https://example.com/broken', type: 'object' }, {})).toEqual({})
  })
})

describe('a schema with an id', () => {
  const withId = (type: string): JsonSchema => ({
    $id: 'https://example.com/args',
    type: 'object',
    properties: {
      a: { type },
      self: { $ref: 'https://example.com/args' },
      relative: { $ref: 'args#/properties/a' },
      inner: { $ref: 'part' },
    },
    $defs: { part: { $id: 'https://example.com/part', $anchor: 'p', type } },
  })

  it('is compiled separately from other schemas with the same $id', async () => {
    const [strings, numbers] = [withId('string'), withId('number')].map((schema) =>
      engine.input(schema, inputSite),
    )
    for (const key of ['a', 'relative', 'inner']) {
      expect(strings?.check({ [key]: 'x' })).toMatchObject({ ok: true })
      expect(strings?.check({ [key]: 1 })).toMatchObject({ ok: false })
      expect(numbers?.check({ [key]: 1 })).toMatchObject({ ok: true })
      expect(numbers?.check({ [key]: 'x' })).toMatchObject({ ok: false })
    }
    expect(strings?.check({ self: { self: { a: 1 } } })).toMatchObject({ ok: false })
    expect(numbers?.check({ self: { self: { a: 1 } } })).toMatchObject({ ok: true })
  })

  it('cannot refer to another registered schema', () => {
    engine.input(withId('string'), inputSite)
    const schema = { type: 'object', properties: { a: { $ref: 'https://example.com/part' } } }
    expect(() => engine.input(schema, inputSite)).toThrow(/can't resolve reference/)
  })

  it('can be used for both input and output', () => {
    const schema = withId('string')
    expect(engine.input(schema, inputSite).check({ a: 1 })).toMatchObject({ ok: false })
    expect(checkOutput(schema, { a: 1 })).toHaveProperty('refused')
    expect(engine.input(schema, inputSite).check({ a: 'x' })).toMatchObject({ ok: true })
  })

  it('is still used for validation after 600 more schemas have been compiled', () => {
    const first = engine.input(withId('string'), inputSite)
    for (let i = 0; i < 600; i++) engine.input({ type: 'object', maxProperties: i }, inputSite)
    expect(first.check({ self: { a: 1 } })).toMatchObject({ ok: false })
    expect(engine.input({ type: 'object', maxProperties: 0 }, inputSite).check({ a: 1 })).toMatchObject({
      ok: false,
    })
  })
})

describe('validation against a JSON Schema', () => {
  const property = (schema: JsonSchema): JsonSchema => ({ type: 'object', properties: { a: schema } })

  it.each<[string, JsonSchema, unknown, unknown]>([
    ['asserts known formats', { format: 'email' }, 'a@example.com', 'nobody'],
    ['checks integers', { type: 'integer' }, 1.0, 1.5],
    ['accepts fractions as numbers', { type: 'number', minimum: 0.5 }, 0.5, 0.25],
    ['accepts patterns written without the u flag', { pattern: '^[\\w-.]+$' }, 'a-b.c', 'a b'],
    ['supports patterns with Unicode properties', { pattern: '^\\p{Lu}' }, 'Ä', 'ä'],
    ['checks constants', { const: { b: [1] } }, { b: [1] }, { b: [2] }],
    [
      'checks unevaluatedProperties',
      { allOf: [{ properties: { b: {} } }], unevaluatedProperties: false },
      { b: 1 },
      { c: 1 },
    ],
    ['checks dependentRequired', { dependentRequired: { b: ['c'] } }, { b: 1, c: 1 }, { b: 1 }],
  ])('%s', async (_, schema, good, bad) => {
    expect(await checkInput(property(schema), { a: good })).toEqual({ a: good })
    expect(await checkInput(property(schema), { a: bad })).toHaveProperty('refused')
  })

  it('treats unknown formats and keywords as annotations', async () => {
    const schema = property({ type: 'string', format: 'colour', 'x-ui': 1, components: 'y' })
    expect(await checkInput(schema, { a: 'red' })).toEqual({ a: 'red' })
  })

  it('is synchronous even if a schema contains $async', () => {
    expect(engine.input({ $async: true, type: 'object' }, inputSite).check({})).toEqual({
      ok: true,
      value: {},
    })
  })

  it('does not change values, because defaults are annotations', async () => {
    const value = { b: '1' }
    expect(await checkInput(property({ default: 1 }), value)).toBe(value)
  })

  it.each(['constructor', 'toString', 'hasOwnProperty', '__proto__'])(
    'looks up %s as an own property',
    async (name) => {
      const schema = JSON.parse(
        `{"type":"object","properties":{"${name}":{"type":"string"}},"required":["${name}"]}`,
      ) as JsonSchema
      expect(await checkInput(schema, {})).toEqual({ refused: `${name}: is required` })
      expect(await checkInput(schema, JSON.parse(`{"${name}":"x"}`))).not.toHaveProperty('refused')
      expect(await checkInput({ ...schema, required: [] }, {})).toEqual({})
    },
  )
})
