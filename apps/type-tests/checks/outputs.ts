import { content, defineTool, McpServer, result } from '@jetway/core'
import { zod3 } from '@jetway/zod3'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { z } from 'zod'
import { z as z3 } from 'zod3'

const server = new McpServer({ name: 'types', version: '1' }, { tools: { strictInput: true } })

const outputSchema = z.object({ high: z.number(), sky: z.enum(['clear', 'rain']) })
const covered = zod3(z3.object({ high: z3.number(), sky: z3.enum(['clear', 'rain']) }))
const converted = toStandardJsonSchema(v.object({ high: v.number(), sky: v.picklist(['clear', 'rain']) }))
const ark = type({ high: 'number', sky: "'clear' | 'rain'" })

// 1-4: valid values, including literals
server.addTool({ name: 'a', outputSchema, handler: () => ({ high: 1, sky: 'clear' }) })
server.addTool({ name: 'a', outputSchema: covered, handler: () => ({ high: 1, sky: 'clear' }) })
server.addTool({ name: 'a', outputSchema: converted, handler: () => ({ high: 1, sky: 'rain' }) })
server.addTool({ name: 'a', outputSchema: ark, handler: () => ({ high: 1, sky: 'rain' }) })

// 5-8: a missing member
// @ts-expect-error no sky
server.addTool({ name: 'a', outputSchema, handler: () => ({ high: 1 }) })
// @ts-expect-error no sky
server.addTool({ name: 'a', outputSchema: covered, handler: () => ({ high: 1 }) })
// @ts-expect-error no sky
server.addTool({ name: 'a', outputSchema: converted, handler: () => ({ high: 1 }) })
// @ts-expect-error no sky
server.addTool({ name: 'a', outputSchema: ark, handler: () => ({ high: 1 }) })

// 9-11: a member of the wrong type
// @ts-expect-error not one of the choices
server.addTool({ name: 'a', outputSchema, handler: () => ({ high: 1, sky: 'snow' }) })
// @ts-expect-error not one of the choices
server.addTool({ name: 'a', outputSchema: covered, handler: () => ({ high: 1, sky: 'snow' }) })
// @ts-expect-error a text where a number is due
server.addTool({ name: 'a', outputSchema: covered, handler: async () => ({ high: '1', sky: 'rain' }) })

// 12: no value
// @ts-expect-error a value is required
server.addTool({ name: 'a', outputSchema: covered, handler: () => {} })

// 13: lists and primitive values
server.addTool({ name: 'a', outputSchema: zod3(z3.array(z3.string())), handler: () => ['x'] })
server.addTool({ name: 'a', outputSchema: z.number(), handler: async () => 5 })
// @ts-expect-error a list of numbers
server.addTool({ name: 'a', outputSchema: zod3(z3.array(z3.string())), handler: () => [1] })

// 14: a result that the handler creates itself
server.addTool({
  name: 'a',
  outputSchema: covered,
  handler: () => result({ structured: { high: 1, sky: 'rain' as const }, content: [content.text('x')] }),
})
server.addTool({ name: 'a', outputSchema: covered, handler: () => result.error('x') })
server.addTool({
  name: 'a',
  outputSchema: covered,
  // @ts-expect-error its value is held to the schema as well
  handler: () => result({ structured: { high: '1' } }),
})

// 15: with a JSON Schema, the value is checked only at run time
defineTool({ name: 'a', outputSchema: { type: 'array', items: { type: 'string' } }, handler: () => ['x'] })

// 16: without a schema, every value is accepted
defineTool({ name: 'a', handler: () => 'x' })
defineTool({ name: 'a', handler: () => ({ any: [1] }) })
