import { isObject, type JsonObject } from '@jetway/core/protocol'
import { eachSchema } from './each-schema.ts'
import { resolveReference, withoutLostReferences } from './references.ts'
import { validSchema } from './valid-schema.ts'

/**
 * A model API's requirements for schemas. A single tool that violates them causes the whole request to fail.
 */
export interface SchemaDialect {
  /** The allowed names of arguments. */
  readonly keys?: RegExp
  /** Whether arrays must have `items`, and objects `properties`. */
  readonly complete?: true
}

export interface ModelSchema {
  readonly schema: JsonObject & { readonly type: 'object' }
  /** The original names of renamed arguments. */
  readonly originals: ReadonlyMap<string, string>
}

/** The maximum depth. Beyond it, only the server validates. */
const MAX_DEPTH = 32
const MAX_BRANCHES = 256
/**
 * The maximum number of members in all branches combined. It is needed because a reference can repeat a branch
 * at no cost.
 */
const MAX_MEMBERS = 10_000
const CHOICES = ['anyOf', 'oneOf'] as const

/** Changes a schema only where the API would reject it. In any case, the server validates the arguments. */
export function modelSchema(given: JsonObject, dialect: SchemaDialect = {}): ModelSchema {
  const folded = foldRoot(validSchema(given))
  const complete = dialect.complete === true ? completed(folded) : folded
  const { schema, originals } = renamed(complete, dialect.keys)
  return { schema: withoutLostReferences(schema) as ModelSchema['schema'], originals }
}

const CHOSEN = ['anyOf', 'oneOf', 'allOf', 'not', 'enum', 'const', '$ref'] as const
const REPLACED: ReadonlySet<string> = new Set([...CHOSEN, 'properties', 'required'])

/** Converts the root to a plain object, because APIs reject keywords such as `anyOf` there. */
function foldRoot(root: JsonObject): JsonObject {
  const plain = root['type'] === 'object' && CHOSEN.every((key) => root[key] === undefined)
  if (plain) return root
  const { properties, required } = fold(root, new Folding(root), 0)
  const rest = Object.entries(root).filter(([key]) => !REPLACED.has(key))
  const either = [...properties].map(([name, by]) => {
    const [only, ...others] = by.values()
    return [name, others.length === 0 ? only : { anyOf: [only, ...others] }] as const
  })
  return {
    ...Object.fromEntries(rest),
    type: 'object',
    properties: Object.fromEntries(either),
    ...(required.size > 0 && { required: [...required] }),
  }
}

/** The properties of all branches, each with all of its schemas, and the required names. */
interface Folded {
  readonly properties: Map<string, Map<string, unknown>>
  readonly required: ReadonlySet<string>
}

const COUNTED = ['properties', 'required', 'allOf', ...CHOICES] as const

function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length
  return isObject(value) ? Object.keys(value).length : 0
}

/** Collects properties from branches. It limits the amount of work, and compares schemas by their JSON. */
class Folding {
  readonly root: JsonObject
  readonly #texts = new Map<unknown, string>()
  readonly #left = { branches: MAX_BRANCHES, members: MAX_MEMBERS }

  constructor(root: JsonObject) {
    this.root = root
  }

  text(schema: unknown): string {
    const known = this.#texts.get(schema)
    if (known !== undefined) return known
    const text = JSON.stringify(schema)
    this.#texts.set(schema, text)
    return text
  }

  /** Returns whether a branch is within the limits. */
  take(branch: JsonObject, depth: number): boolean {
    const left = this.#left
    const members = COUNTED.reduce((sum, key) => sum + sizeOf(branch[key]), 0)
    if (depth > MAX_DEPTH || left.branches-- <= 0 || members > left.members) return false
    left.members -= members
    return true
  }
}

function fold(schema: JsonObject, folding: Folding, depth: number): Folded {
  const properties: Folded['properties'] = new Map()
  if (isObject(schema['properties']))
    for (const [name, each] of Object.entries(schema['properties']))
      properties.set(name, new Map([[folding.text(each), each]]))
  const required = new Set(textsIn(schema['required']))
  const branches = (given: unknown): readonly Folded[] =>
    (Array.isArray(given) ? given : [])
      .filter(isObject)
      .flatMap((branch) => (folding.take(branch, depth + 1) ? [fold(branch, folding, depth + 1)] : []))
  const target = resolveReference(schema['$ref'], folding.root)
  const all = [...branches(schema['allOf']), ...branches(target === undefined ? [] : [target])]
  const choices = CHOICES.map((key) => branches(schema[key]))
  for (const part of [...all, ...choices.flat()]) merge(properties, part.properties)
  for (const part of all) for (const name of part.required) required.add(name)
  for (const [first, ...others] of choices)
    for (const name of first?.required ?? [])
      if (others.every((other) => other.required.has(name))) required.add(name)
  return { properties, required }
}

function merge(properties: Folded['properties'], more: Folded['properties']): void {
  for (const [name, by] of more) {
    const known = properties.get(name) ?? new Map<string, unknown>()
    for (const [text, schema] of by) known.set(text, schema)
    properties.set(name, known)
  }
}

const textsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []

/** Adds `items` to all arrays. */
function completed(root: JsonObject): JsonObject {
  const all = eachSchema(root, (schema) =>
    hasType(schema, 'array') && schema['items'] === undefined ? { ...schema, items: {} } : schema,
  )
  return isObject(all['properties']) ? all : { ...all, properties: {} }
}

const hasType = ({ type }: JsonObject, wanted: string): boolean =>
  type === wanted || (Array.isArray(type) && type.includes(wanted))

function renamed(schema: JsonObject, keys: RegExp | undefined): ModelSchema {
  const originals = new Map<string, string>()
  const plain = schema as ModelSchema['schema']
  const { properties } = schema
  if (keys === undefined || !isObject(properties)) return { schema: plain, originals }
  const free = freeNames(Object.keys(properties))
  const newNames = new Map<string, string>()
  for (const name of Object.keys(properties)) {
    if (keys.test(name)) continue
    const other = free(name)
    newNames.set(name, other)
    originals.set(other, name)
  }
  if (newNames.size === 0) return { schema: plain, originals }
  const now = (name: string): string => newNames.get(name) ?? name
  const { required } = schema
  return {
    originals,
    schema: {
      ...plain,
      properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [now(name), each])),
      ...(Array.isArray(required) && { required: textsIn(required).map(now) }),
    },
  }
}

const MAX_KEY = 64

function freeNames(names: readonly string[]): (name: string) => string {
  const taken = new Set(names)
  const counts = new Map<string, number>()
  return (name) => {
    const start = name.replaceAll(/[^a-zA-Z0-9_.-]/g, '_').slice(0, MAX_KEY - 8) || '_'
    for (;;) {
      const count = (counts.get(start) ?? 0) + 1
      counts.set(start, count)
      const free = count === 1 ? start : `${start}_${count}`
      if (taken.has(free)) continue
      taken.add(free)
      return free
    }
  }
}
