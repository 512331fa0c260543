import {
  definePrompt,
  defineTool,
  elicit,
  type InferInput,
  type InferOutput,
  McpServer,
  type Question,
} from '@jetway/core'
import { zod3 } from '@jetway/zod3'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { z } from 'zod'
import { z as z3 } from 'zod3'
import { z as bundled } from 'zod/v3'
import { holds, type Same } from './support.ts'

const server = new McpServer({ name: 'types', version: '1' })

const four = z.object({ city: z.string(), days: z.number().default(3), unit: z.enum(['C', 'F']).optional() })
const three = z3.object({
  city: z3.string(),
  days: z3.number().default(3),
  unit: z3.enum(['C', 'F']).optional(),
})
interface Arguments {
  city: string
  days: number
  unit?: 'C' | 'F' | undefined
}

// 1: zod 4
server.addTool({ name: 'a', inputSchema: four, handler: (args) => holds<Same<typeof args, Arguments>>() })

// 2: zod 3, wrapped in zod3()
server.addTool({
  name: 'a',
  inputSchema: zod3(three),
  handler: (args) => {
    holds<Same<typeof args, Arguments>>()
  },
})

// 3: the zod 3 that is included in zod 4
server.addTool({
  name: 'a',
  inputSchema: zod3(bundled.object({ n: bundled.string().transform(Number) })),
  handler: ({ n }) => holds<Same<typeof n, number>>(),
})

// 4: valibot
server.addTool({
  name: 'a',
  inputSchema: toStandardJsonSchema(v.object({ city: v.string(), days: v.optional(v.number(), 3) })),
  handler: (args) => holds<Same<typeof args, { city: string; days: number }>>(),
})

// 5: arktype
server.addTool({
  name: 'a',
  inputSchema: type({ city: 'string', 'days?': 'number' }),
  handler: ({ city, days }) => {
    holds<Same<typeof city, string>>()
    holds<Same<typeof days, number | undefined>>()
  },
})

// 6: JSON Schema, from which the types are inferred
server.addTool({
  name: 'a',
  inputSchema: {
    type: 'object',
    properties: {
      city: { type: 'string' },
      days: { type: 'integer' },
      unit: { enum: ['C', 'F'] },
      tags: { type: 'array', items: { type: 'string' } },
      at: { type: 'object', properties: { lat: { type: 'number' } }, required: ['lat'] },
    },
    required: ['city', 'tags'],
  },
  handler: (args) =>
    holds<
      Same<
        typeof args,
        { city: string; tags: string[]; days?: number; unit?: 'C' | 'F'; at?: { lat: number } }
      >
    >(),
})

// 7: a definition in a separate file, with its members in any order
defineTool({
  handler: ({ city }) => city.toUpperCase(),
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  name: 'a',
})

// 8: a JSON Schema that is not a literal
const loose: { [key: string]: unknown } = { type: 'object' }
server.addTool({
  name: 'a',
  inputSchema: loose,
  handler: (args) => holds<Same<typeof args, Record<string, unknown>>>(),
})

// 9: a JSON Schema that allows additional properties
server.addTool({
  name: 'a',
  inputSchema: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: true },
  handler: (args) => {
    holds<Same<(typeof args)['a'], string | undefined>>()
    return args['other']
  },
})

// 10: the input and output types of a schema
holds<
  Same<InferInput<typeof four>, { city: string; days?: number | undefined; unit?: 'C' | 'F' | undefined }>
>()
const covered = zod3(z3.object({ n: z3.string().transform(Number) }))
holds<Same<InferInput<typeof covered>, { n: string }>>()
holds<Same<InferOutput<typeof covered>, { n: number }>>()

// 11: an unknown member, with each library
// @ts-expect-error no such member
server.addTool({ name: 'a', inputSchema: four, handler: ({ country }) => country })
// @ts-expect-error no such member
server.addTool({ name: 'a', inputSchema: zod3(three), handler: ({ country }) => country })
server.addTool({
  name: 'a',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
  // @ts-expect-error no such member
  handler: ({ country }) => country,
})

// 12: a member used as a different type
// @ts-expect-error a string has no toFixed
server.addTool({ name: 'a', inputSchema: zod3(three), handler: ({ city }) => city.toFixed() })

// 13: an optional member may be undefined
server.addTool({
  name: 'a',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
  // @ts-expect-error it may be undefined
  handler: ({ city }) => city.length,
})

// 14: zod 3 that is not wrapped in zod3()
// @ts-expect-error needs zod3()
server.addTool({ name: 'a', inputSchema: three, handler: () => 'x' })

// 15: zod 4 that is wrapped in zod3()
// @ts-expect-error not a zod 3 schema
zod3(four)

// 16: valibot without its converter
// @ts-expect-error does not provide a JSON Schema
server.addTool({ name: 'a', inputSchema: v.object({ a: v.string() }), handler: () => 'x' })

// 17: a value that is not a schema
// @ts-expect-error a string is not a schema
server.addTool({ name: 'a', inputSchema: 'object', handler: () => 'x' })

// 18: a name that is not a string, and an option that is not a boolean
// @ts-expect-error a number is not a name
server.addTool({ name: 5, handler: () => 'x' })
// @ts-expect-error strictInput is true or false
server.addTool({ name: 'a', inputSchema: four, strictInput: 'yes', handler: () => 'x' })
server.addTool({ name: 'a', inputSchema: four, strictInput: true, handler: () => 'x' })

// An object whose members are schemas is not itself a schema, although it could be mistaken for a JSON Schema.
// @ts-expect-error not wrapped
server.addTool({ name: 'a', inputSchema: { city: z.string() }, handler: ({ city }) => city })
// @ts-expect-error not wrapped, and of zod 3
server.addTool({ name: 'a', inputSchema: { city: z3.string().optional() }, handler: () => '' })
// @ts-expect-error not wrapped
server.addTool({ name: 'a', outputSchema: { city: v.string() }, handler: () => ({ city: 'Oslo' }) })
// @ts-expect-error not wrapped
defineTool({ name: 'a', inputSchema: { city: type('string') }, handler: () => '' })
// @ts-expect-error not wrapped
server.addPrompt({ name: 'a', argsSchema: { city: z.string() }, handler: () => '' })
// @ts-expect-error not wrapped
definePrompt({ name: 'a', argsSchema: { city: v.string() }, handler: () => '' })
// @ts-expect-error not wrapped
elicit('Sure?', { ok: z.boolean() })
// @ts-expect-error not wrapped
server.addTool({ name: 'a', handler: (_args, ctx) => ctx.elicit('Sure?', { ok: z.boolean() }) })
server.on('session:open', ({ session }) => {
  // @ts-expect-error not wrapped
  server.forSession(session).addTool({ name: 'a', inputSchema: { city: z.string() }, handler: () => '' })
})
// @ts-expect-error the second one is not wrapped
server.setTools([
  { name: 'a', inputSchema: four, handler: () => '' },
  { name: 'b', inputSchema: { city: z.string() }, handler: () => '' },
])
// @ts-expect-error not wrapped
server.setTools([{ name: 'a', outputSchema: { city: z.string() }, handler: () => ({ city: 'Oslo' }) }])

// A JSON Schema of any type is accepted.
declare const fetched: Record<string, unknown>
declare const described: { type: 'object'; properties: Record<string, object>; required?: string[] }
server.addTool({ name: 'a', inputSchema: fetched, outputSchema: fetched, handler: () => ({ city: 'Oslo' }) })
server.addTool({ name: 'a', inputSchema: described, outputSchema: described, handler: () => '' })
server.addTool({ name: 'a', inputSchema: z.toJSONSchema(four), handler: () => '' })
server.addTool({ name: 'a', inputSchema: {}, handler: () => '' })
server.addPrompt({ name: 'a', argsSchema: z.object({ city: z.string() }), handler: ({ city }) => city })
server.addPrompt({ name: 'a', argsSchema: fetched, handler: () => '' })
const question = elicit('Sure?', z.object({ ok: z.boolean() }))
holds<Same<typeof question, Question<{ ok: boolean }>>>()
elicit('Sure?', fetched)

// The definitions in a list keep their types.
const listed = defineTool({ name: 'a', inputSchema: four, handler: ({ city }) => city })
const many: (typeof listed)[] = [listed]
server.setTools([])
server.setTools(many)
server.setTools(new Set([listed]))
server.setTools([listed, { name: 'b', handler: (_args, ctx) => ctx.requestId }])
server.setTools([{ name: 'a', inputSchema: fetched, handler: () => '' }, described && listed])
