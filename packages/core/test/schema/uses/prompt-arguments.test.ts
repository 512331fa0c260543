import { describe, expect, it } from 'vitest'
import * as z from 'zod'

import { promptArguments, type PromptArgument } from '../../../src/schema/uses/prompt-arguments.ts'
import type { AnySchema, SchemaSite } from '../../../src/schema/types.ts'
import { engine } from '../helpers.ts'

const site: SchemaSite = { kind: 'prompt', name: 'brief', field: 'argsSchema' }
const argumentsOf = (schema: AnySchema): PromptArgument[] =>
  promptArguments(engine.input(schema, site).jsonSchema, site)

describe('prompt arguments (https://modelcontextprotocol.io/specification/2025-11-25/server/prompts#prompt)', () => {
  it("are listed in the order of the schema's properties", () => {
    const schema = z.object({
      city: z.string().describe('Where'),
      style: z.enum(['short', 'long']).optional(),
      tone: z.string().default('dry').meta({ title: 'Tone' }),
      unit: z.union([z.literal('C'), z.literal('F')]),
      day: z.iso.date(),
      count: z.string().transform(Number),
    })
    expect(argumentsOf(schema)).toEqual([
      { name: 'city', description: 'Where', required: true },
      { name: 'style', required: false },
      { name: 'tone', title: 'Tone', required: false },
      { name: 'unit', required: true },
      { name: 'day', required: true },
      { name: 'count', required: true },
    ])
  })

  it('are read from JSON Schema through $ref and enum', () => {
    const schema = {
      type: 'object',
      properties: {
        a: { $ref: '#/$defs/s', description: 'A' },
        b: { enum: ['x'] },
        c: { $ref: '#/$defs/a~1b~0%25' },
        constructor: { type: 'string' },
      },
      required: ['b'],
      $defs: { s: { type: 'string' }, 'a/b~%': { type: 'string' } },
    }
    expect(argumentsOf(schema)).toEqual([
      { name: 'a', description: 'A', required: false },
      { name: 'b', required: true },
      { name: 'c', required: false },
      { name: 'constructor', required: false },
    ])
    expect(argumentsOf({ type: 'object' })).toEqual([])
  })

  it.each<[string, AnySchema]>([
    ['a number', z.object({ bad: z.number() })],
    ['a nullable string', z.object({ bad: z.string().nullable() })],
    ['a nested object', z.object({ bad: z.object({}) })],
    ['a union with a number', z.object({ bad: z.union([z.string(), z.number()]) })],
    ['anything', z.object({ bad: z.any() })],
    ['a reference to the root', { type: 'object', properties: { bad: { $ref: '#' } } }],
    [
      'a reference to an anchor',
      { type: 'object', properties: { bad: { $ref: '#s' } }, $defs: { s: { $anchor: 's', type: 'string' } } },
    ],
    ['a mixed enum', { type: 'object', properties: { bad: { enum: ['a', 1] } } }],
  ])('are rejected if one is not a string, with an error that names the argument: %s', (_, schema) => {
    expect(() => argumentsOf(schema)).toThrow(expect.objectContaining({ code: 'ERR_MCP_SCHEMA_INVALID' }))
    expect(() => argumentsOf(schema)).toThrow(/argsSchema of prompt "brief".*"bad"/)
  })
})
