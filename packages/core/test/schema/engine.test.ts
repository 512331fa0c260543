import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import * as mini from 'zod/mini'
import { McpServer } from '../../src/index.ts'
import type { AnySchema, StandardSchema } from '../../src/schema/types.ts'
import { openAnsweringClient } from '../support/answering-client.ts'
import { engine, inputSite, outputSite } from './helpers.ts'

/** A schema that counts its conversions. */
function counted(schema: z.ZodType): { schema: z.ZodType; conversions: () => number } {
  const { jsonSchema } = (schema as unknown as StandardSchema)['~standard']
  const input = vi.fn(jsonSchema.input)
  const output = vi.fn(jsonSchema.output)
  Object.assign(jsonSchema, { input, output })
  return {
    schema,
    conversions: () => input.mock.calls.length + output.mock.calls.length,
  }
}

/** A schema of a string nested in this many arrays. */
function lists(levels: number): z.ZodType {
  let schema: z.ZodType = z.string()
  for (let level = 0; level < levels; level++) schema = z.array(schema)
  return schema
}

function convertsItself(): z.ZodType {
  const schema = z.string()
  schema._zod.toJSONSchema = () => ({ type: 'string' })
  return schema
}

const WEATHER = { name: 'weather', version: '1.0.0' }

it('a schema is converted only once, even if every request creates a new server', async () => {
  const input = counted(z.object({ city: z.string() }))
  const output = counted(z.object({ high: z.number() }))
  for (let request = 0; request < 3; request++) {
    const server = new McpServer(WEATHER)
    server.addTool({
      name: 'forecast',
      inputSchema: input.schema,
      outputSchema: output.schema,
      handler: () => ({ high: 1 }),
    })
    const client = await openAnsweringClient(server)
    expect(await client.request('tools/list')).toMatchObject({
      result: { tools: [{ inputSchema: { type: 'object' }, outputSchema: { type: 'object' } }] },
    })
    expect(await client.call('forecast', { city: 'Oslo' })).toMatchObject({
      result: { structuredContent: { high: 1 } },
    })
    await client.close()
    expect([input.conversions(), output.conversions()]).toEqual([1, 1])
  }
})

describe('conversion of a zod object', () => {
  const register = (schema: AnySchema): void =>
    void new McpServer(WEATHER).addTool({ name: 'forecast', inputSchema: schema, handler: () => '' })

  it.each<[string, () => z.ZodType]>([
    [
      'of primitive types',
      () => z.object({ a: z.string().min(1), b: z.number().optional(), c: z.boolean() }),
    ],
    ['of arrays, unions and enums', () => z.object({ a: z.array(z.union([z.enum(['x']), z.literal(1)])) })],
    ['with descriptions', () => z.object({ a: z.string().describe('A') }).describe('All')],
    ['with defaults', () => z.object({ a: z.number().default(1), b: z.any().default(null) })],
    ['with constants', () => z.object({ a: z.literal([null, true, 'x', 1]) })],
    [
      'with other descriptive metadata',
      () => z.object({ a: z.string().meta({ title: 'A', examples: ['x'] }) }),
    ],
    ['closed', () => z.strictObject({ a: z.string() })],
    ['with a catch-all', () => z.object({}).catchall(z.number())],
    ['32 levels deep', () => z.object({ a: lists(31) })],
  ])('is delayed until a client lists the tools if the object is simple: %s', (_, build) => {
    const { schema, conversions } = counted(build())
    register(schema)
    expect(conversions()).toBe(0)
  })

  it.each<[string, () => z.ZodType]>([
    ['with metadata of any other kind', () => z.object({ a: z.string().meta({ 'x-mcp-header': 'A' }) })],
    [
      'with subschemas that run code',
      () => z.object({ a: z.string().default(() => 'x'), b: z.lazy(() => z.string()) }),
    ],
    ['with a default that is not plain JSON', () => z.object({ a: z.any().default([1]) })],
    ['with a subschema that converts itself', () => z.object({ a: convertsItself() })],
    ['33 levels deep', () => z.object({ a: lists(32) })],
    ['with a subschema that may not convert', () => z.object({ a: z.record(z.string(), z.number()) })],
    ['of something other than an object', () => z.object({ a: z.string() }).and(z.object({ b: z.string() }))],
  ])('happens at registration: %s', (_, build) => {
    const { schema, conversions } = counted(build())
    register(schema)
    expect(conversions()).toBe(1)
  })

  it.each<[string, z.ZodType, RegExp]>([
    ['a date', z.object({ a: z.array(z.object({ at: z.date() })) }), /tool "forecast": at "a\[\]\.at"/],
    ['a bigint', z.object({ n: z.bigint().optional() }), /tool "forecast": at "n"/],
    ['a date as catch-all', z.object({}).catchall(z.date()), /tool "forecast": at "\.?\*"/],
    [
      'a date before a transform',
      z.object({ a: z.object({ at: z.date() }).transform(String) }),
      /at "a\.at"/,
    ],
    [
      'a zod/mini subschema',
      z.object({ a: mini.string() as unknown as z.ZodType }),
      /tool "forecast": .*: string;/,
    ],
    ['a literal that JSON cannot express', z.object({ n: z.literal([1n]) }), /tool "forecast": at "n"/],
    [
      'an invalid x-mcp-header',
      z.object({ a: z.string().meta({ 'x-mcp-header': '' }) }),
      /tool "forecast" has an x-mcp-header/,
    ],
  ])('fails at registration with an error that names the problem: %s', (_, schema, message) => {
    expect(() => register(schema)).toThrow(message)
  })
})

it('the engine compiles the strict form of a schema separately', () => {
  const { schema } = counted(z.object({ a: z.string() }))
  const open = engine.input(schema, inputSite)
  const strict = engine.input(schema, inputSite, { strict: true })
  expect(open.jsonSchema).not.toHaveProperty('additionalProperties')
  expect(strict.jsonSchema).toHaveProperty('additionalProperties', false)
  expect(engine.input(schema, inputSite)).toBe(open)
  expect(engine.input(schema, inputSite, { strict: true })).toBe(strict)
})

it('the engine compiles a JSON Schema only once, unless the schema has changed', () => {
  const schema: Record<string, unknown> = { type: 'object', properties: { a: { type: 'string' } } }
  const first = engine.output(schema, outputSite)
  expect(engine.output(schema, outputSite)).toBe(first)
  schema['required'] = ['a']
  const second = engine.output(schema, outputSite)
  expect(first.check({}, '{}')).toMatchObject({ ok: true })
  expect(second.check({}, '{}')).toMatchObject({ ok: false })
})

it('the engine rejects an invalid schema every time, with an error that names the current tool', () => {
  const schema = { type: 'object', properties: { a: { type: 'strng' } } }
  for (const name of ['one', 'two'])
    expect(() => engine.input(schema, { kind: 'tool', name, field: 'inputSchema' })).toThrow(
      `inputSchema of tool "${name}": schema is invalid: data/properties/a/type must be equal to one of`,
    )
})
