import { requestMeta, silent } from '@jetway-apps/test-support'
import { type } from 'arktype'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { McpServer } from '../../../src/server/mcp-server.ts'
import type { AnySchema } from '../../../src/schema/types.ts'

const add = (inputSchema: AnySchema): unknown =>
  new McpServer({ name: 'test', version: '1' }, { logger: silent }).addTool({
    name: 'query',
    inputSchema,
    handler: () => 'x',
  })

const object = (properties: object, more: object = {}): AnySchema => ({
  type: 'object',
  properties,
  ...more,
})
const region = { type: 'string', 'x-mcp-header': 'Region' }

describe('x-mcp-header at registration (https://modelcontextprotocol.io/specification/2026-07-28/server/tools#x-mcp-header)', () => {
  it.each<[string, AnySchema]>([
    ['in zod', z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) })],
    ['in zod, optional', z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }).optional() })],
    ['in zod, with a default', z.object({ n: z.number().int().default(3).meta({ 'x-mcp-header': 'N' }) })],
    ['in zod, an enum', z.object({ region: z.enum(['a', 'b']).meta({ 'x-mcp-header': 'Region' }) })],
    ['in zod, a boolean', z.object({ dry: z.boolean().meta({ 'x-mcp-header': 'Dry-Run' }) })],
    ['in zod, nested', z.object({ at: z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) }) })],
    ['in JSON Schema', object({ region })],
    ['in JSON Schema, nested', object({ at: object({ deep: object({ region }) }) })],
    [
      'with every character of a token',
      object({ a: { type: 'string', 'x-mcp-header': "!#$%&'*+-.^_`|~09aZ" } }),
    ],
    ['with the name of a standard header', object({ a: { type: 'integer', 'x-mcp-header': 'Method' } })],
    [
      'as a property with that name',
      object({ 'x-mcp-header': { type: 'array', items: { type: 'number' } } }),
    ],
    ['in example data', object({ a: { type: 'object', default: { 'x-mcp-header': 1 } } })],
  ])('is accepted %s', (_where, schema) => {
    expect(() => add(schema)).not.toThrow()
  })

  it('is published unchanged', () => {
    const schema = z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) })
    const server = new McpServer({ name: 'test', version: '1' }, { logger: silent })
    server.addTool({ name: 'query', inputSchema: schema, handler: () => 'x' })
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: MODERN_META } }
    return expect(server.handleMessage(message)).resolves.toContain('"x-mcp-header":"Region"')
  })

  const odd = (keyword: object): AnySchema => object({ a: { type: 'string', ...keyword } })
  it.each<[string, AnySchema, RegExp]>([
    ['an empty name', odd({ 'x-mcp-header': '' }), /"query" has an x-mcp-header at "a" that names no header/],
    ['a name with a space', odd({ 'x-mcp-header': 'My Region' }), /names no header/],
    ['a name with a line break', odd({ 'x-mcp-header': 'Region\r\nX' }), /names no header/],
    ['a name with a colon', odd({ 'x-mcp-header': 'Region:' }), /names no header/],
    ['a name beyond ASCII', odd({ 'x-mcp-header': 'Région' }), /names no header/],
    ['a value that is not a string', odd({ 'x-mcp-header': true }), /names no header/],
    [
      'two names that differ in case only',
      object({ a: region, b: { type: 'string', 'x-mcp-header': 'REGION' } }),
      /at "b" that "a" has already/,
    ],
    ['a number', object({ a: { type: 'number', 'x-mcp-header': 'A' } }), /on a type that no header carries/],
    [
      'a number in zod',
      z.object({ a: z.number().meta({ 'x-mcp-header': 'A' }) }),
      /on a type that no header/,
    ],
    ['an object', object({ a: { type: 'object', 'x-mcp-header': 'A' } }), /on a type that no header carries/],
    ['an array', object({ a: { type: 'array', 'x-mcp-header': 'A' } }), /on a type that no header carries/],
    ['several types', object({ a: { type: ['string', 'null'], 'x-mcp-header': 'A' } }), /without null/],
    ['a schema without a type', object({ a: { 'x-mcp-header': 'A' } }), /on a type that no header carries/],
    [
      'a nullable schema in zod',
      z.object({ a: z.string().meta({ 'x-mcp-header': 'A' }).nullable() }),
      /within "anyOf"/,
    ],
    ['the root', object({}, { 'x-mcp-header': 'A' }), /at the root on a type/],
    ['items', object({ a: { type: 'array', items: region } }), /at "a" within "items"/],
    [
      'an object in items',
      object({ a: { type: 'array', items: object({ region }) } }),
      /at "a" within "items"/,
    ],
    ['oneOf', object({ a: { oneOf: [region] } }), /at "a" within "oneOf"/],
    ['allOf at the root', object({}, { allOf: [object({ region })] }), /at the root within "allOf"/],
    ['not', object({}, { not: object({ region }) }), /within "not"/],
    ['else', object({}, { if: object({}), else: object({ region }) }), /within "else"/],
    ['a definition', object({ a: { $ref: '#/$defs/r' } }, { $defs: { r: region } }), /within "\$defs"/],
    ['additionalProperties', object({}, { additionalProperties: region }), /within "additionalProperties"/],
    ['patternProperties', object({}, { patternProperties: { '^a': region } }), /within "patternProperties"/],
  ])('is rejected on %s', (_where, schema, message) => {
    expect(() => add(schema)).toThrow(message)
    expect(() => add(schema)).toThrow(expect.objectContaining({ code: 'ERR_MCP_INVALID_DEFINITION' }))
  })

  it('does not affect tools without it, even if their schema library does not support metadata', () => {
    expect(() => add(type({ region: 'string' }))).not.toThrow()
  })
})

const MODERN_META = requestMeta()
