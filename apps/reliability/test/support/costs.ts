import * as z from 'zod'

/** A tool's schema, and the costliest arguments that fit in a message of 4 MiB with 100,000 elements. */
export interface Cost {
  readonly what: string
  readonly inputSchema: object
  readonly args: object
  /** The number of calls, if they are sent as a batch in revision 2025-03-26. */
  readonly batch?: number
  /** @default a handler that returns a short text */
  readonly handler?: () => string | object
  readonly outputSchema?: object
  /** The limit on CPU time, in ms. @default 200 */
  readonly mostMs?: number
}

const MIB = 1024 * 1024
/** The limit on elements applies to brackets, commas and colons. */
const NUMBERS = 95_000

const list = <T>(length: number, item: (index: number) => T): T[] =>
  Array.from({ length }, (_, index) => item(index))
const text = (part: string, bytes = 3.9 * MIB): string =>
  part.repeat(Math.floor(bytes / Buffer.byteLength(part)))
const json = (schema: object): object => ({ type: 'object', properties: { a: schema } })
const record = (count: number): object => Object.fromEntries(list(count, (index) => [`key${index}`, index]))
/** Returns an empty list within the 128 levels that are allowed. */
const nested = (levels: number): unknown => (levels === 0 ? [] : { a: nested(levels - 1) })

const numbers = list(NUMBERS, (index) => index)
const objects = list(33_000, (index) => ({ id: index }))
const sameKeys = list(12_000, (index) => ({ c: 1, b: 2, a: index }))
const words = list(NUMBERS, (index) => `w${index}`)
const alternatives = list(50, (index) => ({ type: 'object', required: [`key${index}`] }))

const KEYWORDS: readonly Cost[] = [
  { what: 'uniqueItems of objects', inputSchema: json({ type: 'array', uniqueItems: true }), args: { a: objects } },
  { what: 'uniqueItems of objects with equal members', inputSchema: json({ uniqueItems: true }), args: { a: sameKeys } },
  { what: 'uniqueItems of numbers', inputSchema: json({ uniqueItems: true }), args: { a: numbers } },
  { what: 'uniqueItems of long texts', inputSchema: json({ uniqueItems: true }), args: { a: list(60, (index) => text('x', 64_000) + index) } },
  { what: 'enum of 1,000 values', inputSchema: json({ items: { enum: list(1000, (index) => `e${index}`) } }), args: { a: list(NUMBERS, () => 'e999') } },
  { what: 'const of an object', inputSchema: json({ items: { not: { const: record(50) } } }), args: { a: objects } },
  { what: 'contains', inputSchema: json({ contains: { const: -1 }, minContains: 1 }), args: { a: numbers } },
  { what: 'contains with maxContains', inputSchema: json({ contains: { type: 'number' }, maxContains: 10 ** 6 }), args: { a: numbers } },
  { what: 'items that all fail', inputSchema: json({ items: { type: 'string' } }), args: { a: numbers } },
  { what: 'prefixItems', inputSchema: json({ prefixItems: list(500, () => ({ type: 'number' })), items: { minimum: 0 } }), args: { a: numbers } },
  { what: 'unevaluatedItems', inputSchema: json({ anyOf: alternatives, contains: { minimum: 5 }, unevaluatedItems: { type: 'number' } }), args: { a: numbers } },
  { what: 'anyOf of 50 for each item', inputSchema: json({ items: { anyOf: alternatives } }), args: { a: list(15_000, () => ({ key49: 0 })) } },
  { what: 'oneOf of 50 for each item', inputSchema: json({ items: { oneOf: alternatives } }), args: { a: list(15_000, () => ({ key49: 0 })) } },
  { what: 'if, else', inputSchema: json({ items: { if: { type: 'string' }, else: { type: 'number' } } }), args: { a: numbers } },
  { what: 'pattern of a long text', inputSchema: json({ type: 'string', pattern: '^[a-z]+(-[a-z]+)*$' }), args: { a: text('ab-') } },
  { what: 'pattern of many texts', inputSchema: json({ items: { pattern: '^w[0-9]+$' } }), args: { a: words } },
  { what: 'maxLength of surrogate pairs', inputSchema: json({ maxLength: 5_000_000 }), args: { a: text('🛫') } },
  { what: 'multipleOf', inputSchema: json({ items: { multipleOf: 0.01 } }), args: { a: numbers } },
  { what: 'patternProperties', inputSchema: json({ patternProperties: Object.fromEntries(list(20, (index) => [`^key${index}`, { type: 'number' }])) }), args: { a: record(45_000) } },
  { what: 'additionalProperties that are false', inputSchema: json({ additionalProperties: false }), args: { a: record(45_000) } },
  { what: 'propertyNames', inputSchema: json({ propertyNames: { maxLength: 8, pattern: '^k' } }), args: { a: record(45_000) } },
  { what: 'required of 1,000 names', inputSchema: json({ required: list(1000, (index) => `key${index}`) }), args: { a: record(45_000) } },
  { what: 'dependentRequired', inputSchema: json({ dependentRequired: Object.fromEntries(list(1000, (index) => [`key${index}`, ['none']])) }), args: { a: record(45_000) } },
  { what: 'unevaluatedProperties', inputSchema: json({ allOf: list(50, (index) => ({ properties: { [`key${index}`]: true } })), unevaluatedProperties: { type: 'number' } }), args: { a: record(45_000) } },
  { what: '$ref to itself', inputSchema: { type: 'object', properties: { a: { $ref: '#' } } }, args: nested(110) as object },
  { what: 'many $ref', inputSchema: { type: 'object', properties: { a: { items: { $ref: '#/$defs/n' } } }, $defs: { n: { $ref: '#/$defs/m' }, m: { type: 'number' } } }, args: { a: numbers } },
] // prettier-ignore

/** Texts that make naive regular expressions backtrack. */
const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '1',
  date: '2',
  time: '1:',
  duration: 'P1D',
  uri: 'a:/',
  'uri-reference': '%2',
  'uri-template': '{a',
  email: 'a.',
  hostname: 'a-',
  ipv4: '1.',
  ipv6: '1:',
  uuid: 'a0-',
  regex: '(a',
  'json-pointer': '/~',
  'relative-json-pointer': '1/',
}

const formats = Object.entries(FORMATS).map(([format, part]) => ({
  what: `format ${format}`,
  inputSchema: json({ type: 'string', format }),
  args: { a: text(part) },
}))

const ZOD: readonly Cost[] = [
  // zod finds all issues in a list before it describes any of them.
  { what: 'zod: items that all fail', inputSchema: z.object({ a: z.array(z.string()) }), args: { a: numbers }, mostMs: 300 },
  { what: 'zod: unions that all fail', inputSchema: z.object({ a: z.array(z.union([z.string(), z.boolean()])) }), args: { a: list(30_000, (index) => index) } },
  { what: 'zod: objects that all fail', inputSchema: z.object({ a: z.array(z.object({ id: z.string() })) }), args: { a: objects } },
  { what: 'zod: unknown keys', inputSchema: z.strictObject({ a: z.strictObject({}) }), args: { a: record(45_000) } },
  { what: 'zod: a record', inputSchema: z.object({ a: z.record(z.string(), z.number()) }), args: { a: record(45_000) } },
  { what: 'zod: email', inputSchema: z.object({ a: z.email() }), args: { a: text('a.') } },
  { what: 'zod: url', inputSchema: z.object({ a: z.url() }), args: { a: text('a:/') } },
] // prettier-ignore

const ANY: readonly Cost[] = [
  { what: 'a text of escapes', inputSchema: json({}), args: { a: text('"\\', 1.9 * MIB) } },
  { what: 'as many elements as allowed', inputSchema: json({}), args: { a: numbers } },
  { what: 'as many names as allowed', inputSchema: json({}), args: { a: record(45_000) } },
  { what: 'as many levels as allowed', inputSchema: json({}), args: nested(120) as object },
]

const STRUCTURED = { type: 'object', properties: { list: { type: 'array', items: { type: 'object' } } } }
const none = { inputSchema: json({}), args: {}, batch: 100 }
const structured = { list: list(20_000, (index) => ({ id: index, name: `item ${index}` })) }

/** Batches whose results are 6 MB or 0.7 MB each. */
const BATCHES: readonly Cost[] = [
  { what: 'a batch of large texts', ...none, handler: () => 'x'.repeat(6_000_000) },
  { what: 'a batch of structured results', ...none, outputSchema: STRUCTURED, handler: () => structured },
]

export const COSTS: readonly Cost[] = [...ANY, ...KEYWORDS, ...formats, ...ZOD, ...BATCHES]
