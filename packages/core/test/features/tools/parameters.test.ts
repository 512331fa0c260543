import { silent } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { z as z3 } from 'zod3'
import type { AnySchema, JsonSchema } from '../../../src/schema/types.ts'
import { McpServer } from '../../../src/server/mcp-server.ts'
import { zod3 } from '@jetway/zod3'
import { serveWeb, type WebClient } from '../../support/web-client.ts'

interface Kind {
  readonly four: z.ZodType
  readonly three: z3.ZodTypeAny
  readonly published: JsonSchema
  readonly required?: boolean
  /** Each sent value, with the value that the handler receives if that differs. */
  readonly good: readonly (readonly [sent: unknown, got?: unknown])[]
  readonly bad: readonly unknown[]
  /** The value that the handler receives if nothing is sent. A required parameter causes an error instead. */
  readonly omitted?: unknown
}

const email = /^[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\.[a-zA-Z]{2,}$/
const time = '2026-01-02T03:04:05Z'

const KINDS: Readonly<Record<string, Kind>> = {
  'a string': {
    four: z.string(),
    three: z3.string(),
    published: { type: 'string' },
    good: [[''], ['Zürich 🌧'], ['\u0000']],
    bad: [1, null, true, ['x'], {}],
  },
  'a string with a length': {
    four: z.string().min(1).max(100),
    three: z3.string().min(1).max(100),
    published: { type: 'string', minLength: 1, maxLength: 100 },
    good: [['x'], ['x'.repeat(100)]],
    bad: ['', 'x'.repeat(101)],
  },
  'a string with a pattern': {
    four: z.string().regex(email),
    three: z3.string().regex(email),
    published: { type: 'string', pattern: email.source },
    good: [['ann.lee+x@example.org']],
    bad: ['ann', 'ann@example', '@example.org', 'a b@example.org'],
  },
  'one of several strings': {
    four: z.enum(['asc', 'desc']),
    three: z3.enum(['asc', 'desc']),
    published: { type: 'string', enum: ['asc', 'desc'] },
    good: [['asc'], ['desc']],
    bad: ['up', 'ASC', '', 0],
  },
  'a number in a range': {
    four: z.number().min(0).max(150),
    three: z3.number().min(0).max(150),
    published: { type: 'number', minimum: 0, maximum: 150 },
    good: [[0], [150], [36.6], [0.1]],
    bad: [-0.1, 150.1, '36', null],
  },
  'a number with exclusive bounds': {
    four: z.number().gt(0).lt(1),
    three: z3.number().gt(0).lt(1),
    published: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
    good: [[0.001], [0.999]],
    bad: [0, 1],
  },
  'a multiple': {
    four: z.number().multipleOf(5),
    three: z3.number().multipleOf(5),
    published: { type: 'number', multipleOf: 5 },
    good: [[0], [-10]],
    bad: [3],
  },
  'an integer': {
    four: z.int(),
    three: z3.number().int(),
    published: { type: 'integer' },
    good: [[0], [-7], [1.0]],
    bad: [1.5, '1'],
  },
  'an integer with a default': {
    four: z.int().min(1).max(1000).default(10),
    three: z3.number().int().min(1).max(1000).default(10),
    published: { type: 'integer', minimum: 1, maximum: 1000, default: 10 },
    required: false,
    good: [[1], [1000]],
    bad: [0, 1001, 1.5, null],
    omitted: 10,
  },
  'a boolean with a default': {
    four: z.boolean().default(true),
    three: z3.boolean().default(true),
    published: { type: 'boolean', default: true },
    required: false,
    good: [[true], [false]],
    bad: ['true', 0, null],
    omitted: true,
  },
  'an optional parameter': {
    four: z.string().optional(),
    three: z3.string().optional(),
    published: { type: 'string' },
    required: false,
    good: [['x']],
    bad: [null, 1],
    omitted: undefined,
  },
  'a list': {
    four: z.array(z.string()).min(1).max(2),
    three: z3.array(z3.string()).min(1).max(2),
    published: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2 },
    good: [[['a']], [['a', 'b']]],
    bad: [[], ['a', 'b', 'c'], [1], 'a', { 0: 'a' }],
  },
  'an object of optional properties': {
    four: z.object({ timeout: z.number(), retries: z.int() }).partial(),
    three: z3.object({ timeout: z3.number(), retries: z3.number().int() }).partial(),
    published: { type: 'object', properties: { timeout: { type: 'number' }, retries: { type: 'integer' } } },
    good: [[{}], [{ timeout: 1.5 }], [{ timeout: 0, retries: 3 }]],
    bad: [{ retries: 1.5 }, { timeout: '1' }, [], null],
  },
  'an object with a required property': {
    four: z.object({ to: z.object({ city: z.string(), note: z.string().optional() }) }),
    three: z3.object({ to: z3.object({ city: z3.string(), note: z3.string().optional() }) }),
    published: {
      type: 'object',
      properties: {
        to: {
          type: 'object',
          properties: { city: { type: 'string' }, note: { type: 'string' } },
          required: ['city'],
        },
      },
      required: ['to'],
    },
    good: [[{ to: { city: 'Oslo' } }]],
    bad: [{}, { to: {} }, { to: { city: 1 } }],
  },
  'an object with any names': {
    four: z.record(z.string(), z.number()),
    three: z3.record(z3.number()),
    published: {
      type: 'object',
      additionalProperties: { type: 'number' },
    },
    good: [[{}], [{ any: 1 }]],
    bad: [{ any: 'x' }],
  },
  'a nullable value': {
    four: z.string().nullable(),
    three: z3.string().nullable(),
    published: { type: ['string', 'null'] },
    good: [['x'], [null]],
    bad: [1],
  },
  'one of several types': {
    four: z.union([z.string().min(1), z.object({ id: z.int() })]),
    three: z3.union([z3.string().min(1), z3.object({ id: z3.number().int() })]),
    published: {
      anyOf: [
        { type: 'string', minLength: 1 },
        { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
      ],
    },
    good: [['x'], [{ id: 1 }]],
    bad: ['', { id: 1.5 }, 5],
  },
  'a literal': {
    four: z.literal('yes'),
    three: z3.literal('yes'),
    published: { type: 'string', const: 'yes' },
    good: [['yes']],
    bad: ['no', true],
  },
  anything: {
    four: z.any().optional(),
    three: z3.any(),
    published: {},
    required: false,
    good: [[1], [null], [[{}]]],
    bad: [],
    omitted: undefined,
  },
  'a described parameter': {
    four: z.string().describe('Where'),
    three: z3.string().describe('Where'),
    published: { type: 'string', description: 'Where' },
    good: [['x']],
    bad: [1],
  },
  'a date and time': {
    four: z.iso.datetime(),
    three: z3.string().datetime(),
    published: { type: 'string', format: 'date-time' },
    good: [[time]],
    bad: ['yesterday', '2026-01-02', 5],
  },
}

/** A tool with one parameter `p`, which returns what its handler has received. */
function offer(inputSchema: AnySchema): Promise<WebClient> {
  const server = new McpServer({ name: 'parameters', version: '1' })
  server.addTool({ name: 'echo', inputSchema, handler: (args: unknown) => ({ args }) })
  return serveWeb(server).open()
}

async function call(client: WebClient, args: object): Promise<{ text: string; isError: boolean }> {
  const { result } = await client.request('tools/call', { name: 'echo', arguments: args })
  const [{ text }] = result['content'] as [{ text: string }]
  return { text, isError: result['isError'] === true }
}

const got = (p: unknown): string => JSON.stringify({ args: { p } })

const describeKind = (library: string, schemaOf: (kind: Kind) => AnySchema): void => {
  describe(`parameters in ${library}`, () => {
    it.each(Object.entries(KINDS))(
      'are published, validated and passed to the handler: %s',
      async (_, kind) => {
        const { published, required = true, good, bad } = kind
        const client = await offer(schemaOf(kind))
        const listed = (await client.request('tools/list')).result['tools'] as [{ inputSchema: JsonSchema }]
        const { inputSchema } = listed[0]
        expect(inputSchema['required'] ?? []).toEqual(required ? ['p'] : [])
        expect((inputSchema['properties'] as { p: unknown }).p).toMatchObject(published)
        expect(JSON.stringify(inputSchema)).not.toContain(String(Number.MAX_SAFE_INTEGER))

        for (const [sent, gets = sent] of good) {
          expect(await call(client, { p: sent })).toEqual({ text: got(gets), isError: false })
        }
        for (const sent of bad) {
          const { text, isError } = await call(client, { p: sent })
          expect({ sent, isError }).toEqual({ sent, isError: true })
          expect(text).toMatch(/^Invalid arguments for the tool echo:\np[.:[]/)
        }
        const without = await call(client, {})
        if (required) expect(without).toMatchObject({ isError: true, text: expect.stringContaining('\np: ') })
        else if (library !== 'JSON Schema') expect(without.text).toBe(got(kind.omitted))
        else expect(without.text).toBe(got(undefined))
      },
    )
  })
}

describeKind('zod 4', ({ four }) => z.object({ p: four }))
describeKind('zod 3', ({ three }) => zod3(z3.object({ p: three })))
describeKind('JSON Schema', ({ published, required = true }) => ({
  type: 'object',
  properties: { p: published },
  ...(required && { required: ['p'] }),
}))

describe('a JSON Schema with definitions', () => {
  const inputSchema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { from: { $ref: '#/$defs/place' }, to: { $ref: '#/$defs/place' } },
    required: ['from'],
    $defs: { place: { type: 'object', properties: { lat: { type: 'number' } }, required: ['lat'] } },
  }

  it('is published unchanged, and arguments are validated against it', async () => {
    const client = await offer(inputSchema)
    const { result } = await client.request('tools/list')
    expect(result['tools']).toMatchObject([{ inputSchema }])
    expect(JSON.stringify((result['tools'] as [{ inputSchema: unknown }])[0].inputSchema)).toBe(
      JSON.stringify(inputSchema),
    )
    expect(await call(client, { from: { lat: 1 } })).toMatchObject({ isError: false })
    expect(await call(client, { from: { lat: 1 }, to: { lat: 'x' } })).toEqual({
      text: 'Invalid arguments for the tool echo:\nto.lat: must be number',
      isError: true,
    })
  })

  it('is used to validate results', async () => {
    const server = new McpServer({ name: 'outputs', version: '1' }, { logger: silent })
    const outputSchema = { ...inputSchema, additionalProperties: false }
    const results: Readonly<Record<string, unknown>> = {
      good: { from: { lat: 1 } },
      'of a wrong type': { from: { lat: 'x' } },
      'with a field missing': {},
      'with a field too many': { from: { lat: 1 }, z: 1 },
    }
    for (const [name, value] of Object.entries(results)) {
      server.addTool({ name: name.replaceAll(' ', '_'), outputSchema, handler: () => value as object })
    }
    const client = await serveWeb(server).open()
    const answer = async (name: string): Promise<Record<string, unknown>> =>
      (await client.request('tools/call', { name })).result
    expect(await answer('good')).toMatchObject({
      structuredContent: results['good'],
      content: [{ type: 'text', text: JSON.stringify(results['good']) }],
    })
    for (const name of ['of_a_wrong_type', 'with_a_field_missing', 'with_a_field_too_many']) {
      const wrong = await answer(name)
      expect(wrong).toMatchObject({ isError: true })
      expect(wrong).not.toHaveProperty('structuredContent')
    }
  })
})

describe('an invalid schema', () => {
  const input = 'inputSchema'
  it.each<[string, string, object, RegExp]>([
    ['a date in zod 4', input, z.object({ at: z.date() }), /at "at": Date.*use a type that JSON has/],
    [
      'a date in zod 3',
      input,
      zod3(z3.object({ at: z3.date() })),
      /at "at": ZodDate.*use a type that JSON has/,
    ],
    [
      'a zod 3 schema without its adapter',
      input,
      z3.object({}),
      /zod 3.*wrap it with zod3 from "@jetway\/zod3"/,
    ],
    ['an object of schemas', input, { city: z.string() }, /wrap it: z\.object\(\{ … \}\)/],
    ['a root that is not an object', input, z.string(), /root must be an object.*z\.object/],
    ['a JSON Schema without a type', input, { properties: {} }, /root must be an object.*"type": "object"/],
    [
      'an unknown type',
      input,
      { type: 'object', properties: { a: { type: 'text' } } },
      /properties\/a\/type/,
    ],
    ['an invalid pattern', 'outputSchema', { type: 'string', pattern: '(' }, /pattern|regular expression/i],
    ['a dangling reference', 'outputSchema', { $ref: '#/$defs/x' }, /\$defs\/x/],
    ['an unsupported dialect', input, { $schema: 'http://x.y/z', type: 'object' }, /2020-12.*draft-07/],
    ['a transform', 'outputSchema', z.object({ n: z.string().transform(Number) }), /at "n": Transforms/],
  ])(
    'is rejected with an error that names the tool, the field and the remedy: %s',
    (_, field, schema, problem) => {
      const server = new McpServer({ name: 'schemas', version: '1' })
      const add = (): unknown =>
        server.addTool({ name: 'get_x', [field]: schema as AnySchema, handler: () => 'x' })
      expect(add).toThrow(new RegExp(`^${field} of tool "get_x"`))
      expect(add).toThrow(problem)
      expect(server.removeTool('get_x')).toBe(false)
    },
  )
})
