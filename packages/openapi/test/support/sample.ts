import { lookUp } from '../../src/document/pointer.ts'

type Schema = Readonly<Record<string, unknown>>
type Random = () => number

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const TEXTS = [
  'a',
  'Rex',
  'a b',
  'ä/ö',
  '100%',
  'x&y=z',
  "it's",
  '日本',
  'a,b;c',
  'https://x.invalid/?a#b',
  '#1',
  '+1',
]
const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-01-02',
  'date-time': '2026-01-02T03:04:05Z',
  email: 'ada@example.com',
  hostname: 'example.com',
  ipv4: '127.0.0.1',
  ipv6: '::1',
  regex: 'a+',
  time: '03:04:05Z',
  uri: 'https://example.com/a?b=c',
  'uri-reference': '/a',
  url: 'https://example.com/a',
  uuid: '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
}
/** Objects that are deeper have only what they need. */
const MAX_DEPTH = 6
const MAX_NESTING = 40

/** Makes a value that probably matches a schema. Its references must be local to `root`. */
export function sample(schema: unknown, root: Schema, random: Random, depth = 0): unknown {
  if (!isSchema(schema)) return 'anything'
  // Some schemas need a value that never ends.
  if (depth > MAX_NESTING) return null
  if (typeof schema['$ref'] === 'string') return sample(lookUp(root, schema['$ref']), root, random, depth + 1)
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
  if ('const' in schema) return schema['const']
  if (Array.isArray(schema['enum'])) return pick(schema['enum'] as unknown[])
  const { allOf, anyOf, oneOf, ...own } = schema
  if (Array.isArray(allOf)) return sample(merged([own, ...(allOf as unknown[])], root), root, random, depth)
  const alternatives = anyOf ?? oneOf
  if (Array.isArray(alternatives)) {
    const chosen: unknown = depth > MAX_DEPTH ? alternatives.at(-1) : pick(alternatives as unknown[])
    return sample(merged([own, chosen], root), root, random, depth + 1)
  }
  const types = (Array.isArray(own['type']) ? own['type'] : [own['type']]) as readonly unknown[]
  const type = pick(types.length > 1 && random() < 0.9 ? types.filter((it) => it !== 'null') : types)
  return ofType(type, own, { root, random, depth, pick })
}

interface Sampling {
  readonly root: Schema
  readonly random: Random
  readonly depth: number
  readonly pick: <T>(items: readonly T[]) => T
}

function ofType(type: unknown, schema: Schema, { root, random, depth, pick }: Sampling): unknown {
  const number = (name: string, fallback: number): number =>
    typeof schema[name] === 'number' ? schema[name] : fallback
  switch (type) {
    case 'null':
      return null
    case 'boolean':
      return random() < 0.5
    case 'integer':
    case 'number': {
      const low = number('minimum', number('exclusiveMinimum', -1) + 1)
      const high = Math.max(low, number('maximum', number('exclusiveMaximum', low + 101) - 1))
      const step = number('multipleOf', 1)
      return Math.ceil(low / step) * step + Math.floor((random() * (high - low)) / step) * step
    }
    case 'array': {
      const length = Math.min(
        number('maxItems', 3),
        Math.max(number('minItems', 0), depth > MAX_DEPTH ? 0 : 2),
      )
      return Array.from({ length }, () => sample(schema['items'] ?? {}, root, random, depth + 1))
    }
    case 'object':
      return objectOf(schema, { root, random, depth, pick })
    case 'string':
      return textOf(schema, pick(TEXTS))
    default:
      return isSchema(schema['properties'])
        ? objectOf(schema, { root, random, depth, pick })
        : pick([1, 'a', true])
  }
}

function textOf(schema: Schema, text: string): string {
  const { examples, format, contentEncoding, pattern } = schema
  if (contentEncoding === 'base64') return 'aGVsbG8='
  if (typeof pattern === 'string') return (examples as readonly string[] | undefined)?.[0] ?? 'abc123'
  if (typeof format === 'string' && Object.hasOwn(FORMATS, format)) return FORMATS[format] as string
  const most = typeof schema['maxLength'] === 'number' ? schema['maxLength'] : Number.POSITIVE_INFINITY
  const least = typeof schema['minLength'] === 'number' ? schema['minLength'] : 0
  return text.padEnd(least, 'x').slice(0, most)
}

function objectOf(schema: Schema, { root, random, depth }: Sampling): object {
  const properties = isSchema(schema['properties']) ? schema['properties'] : {}
  const required = (Array.isArray(schema['required']) ? schema['required'] : []) as readonly string[]
  const chosen = Object.entries(properties).filter(
    ([name]) => required.includes(name) || (depth <= MAX_DEPTH && random() < 0.5),
  )
  const entries = chosen.map(([name, property]) => [name, sample(property, root, random, depth + 1)] as const)
  const others = required
    .filter((name) => !Object.hasOwn(properties, name))
    .map((name) => [name, 'x'] as const)
  return Object.fromEntries([...entries, ...others])
}

function merged(parts: readonly unknown[], root: Schema, depth = 0): Schema {
  const all = parts.map((part) => resolved(part, root, depth))
  const joined: Record<string, unknown> = {}
  for (const part of all)
    for (const [keyword, value] of Object.entries(part)) {
      const before = joined[keyword]
      if (keyword === 'properties' && isSchema(before)) joined[keyword] = { ...before, ...(value as object) }
      else if (keyword === 'required' && Array.isArray(before))
        joined[keyword] = [...before, ...(value as string[])]
      else joined[keyword] = value
    }
  return joined
}

function resolved(part: unknown, root: Schema, depth: number): Schema {
  if (!isSchema(part) || depth > 20) return {}
  if (typeof part['$ref'] === 'string') return resolved(lookUp(root, part['$ref']), root, depth + 1)
  const { allOf, ...own } = part
  return Array.isArray(allOf) ? merged([own, ...(allOf as unknown[])], root, depth + 1) : part
}
