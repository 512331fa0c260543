import { type McpServer, result, content } from '@jetway/core'
import { z } from 'zod'

/** A hand-written JSON Schema. The tool list must contain every keyword unchanged. */
const CONTACT = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // oxlint-disable-next-line unicorn/no-thenable -- the name of the JSON Schema keyword
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
} as const

/** Tools with input and output schemas. */
export function addSchemaTools(server: McpServer): void {
  server.addTool({
    name: 'json_schema_2020_12_tool',
    description: 'Takes arguments that a hand-written JSON Schema describes',
    inputSchema: CONTACT,
    handler: (args) => ({ received: args }),
  })

  server.addTool({
    name: 'echo',
    title: 'Echo',
    description: 'Gives back the text it is given',
    inputSchema: z.object({ text: z.string().max(100_000) }),
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    icons: [{ src: 'https://example.com/echo.png', mimeType: 'image/png', sizes: ['48x48'] }],
    _meta: { 'dev.jetway/example': true },
    handler: ({ text }) => text,
  })

  server.addTool({
    name: 'statistics',
    description: 'Sum, mean and extremes of some numbers, as a structured value',
    inputSchema: z.object({ numbers: z.array(z.number()).min(1).max(1000) }),
    outputSchema: z.object({
      sum: z.number(),
      mean: z.number(),
      range: z.object({ min: z.number(), max: z.number() }),
    }),
    handler({ numbers }) {
      const sum = numbers.reduce((total, number) => total + number, 0)
      return {
        sum,
        mean: sum / numbers.length,
        range: { min: Math.min(...numbers), max: Math.max(...numbers) },
      }
    },
  })

  server.addTool({
    name: 'squares',
    description: 'The first square numbers: an output that is an array',
    inputSchema: z.object({ count: z.number().int().min(0).max(100) }),
    outputSchema: z.array(z.number()),
    handler: ({ count }) => Array.from({ length: count }, (_, index) => (index + 1) ** 2),
  })

  server.addTool({
    name: 'full_result',
    description: 'A structured value with a separate text, and metadata',
    outputSchema: z.object({ answer: z.number() }),
    handler: () =>
      result({
        content: [content.text('The answer is forty-two')],
        structured: { answer: 42 },
        _meta: { 'dev.jetway/source': 'a book' },
      }),
  })
}

/** Tools with parameters that clients repeat in HTTP headers. */
export function addRoutedTool(server: McpServer): void {
  server.addTool({
    name: 'routed',
    description: 'Takes parameters that clients repeat in HTTP headers, for proxies to route by',
    inputSchema: z.object({
      region: z.string().meta({ 'x-mcp-header': 'Region' }),
      shard: z.number().int().optional().meta({ 'x-mcp-header': 'Shard' }),
      dryRun: z.boolean().optional().meta({ 'x-mcp-header': 'Dry-Run' }),
    }),
    handler: (args) => args,
  })
}
