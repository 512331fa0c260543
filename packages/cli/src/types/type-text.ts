import { isObject, type JsonObject } from '@jetway/core/protocol'
import { dialectOf, type JsonSchema, resolveLocal } from '@jetway/json-schema'
import { comment, literal, memberName } from './text.ts'

const MAX_DEPTH = 32

/** The context in which a schema's types are written. */
export interface TypeContext {
  readonly root: JsonSchema
  /** Returns the name of the type for a referenced subschema, and schedules that type to be written. */
  readonly nameOf: (target: JsonSchema, ref: string) => string
}

/** A TypeScript type. */
interface Type {
  readonly text: string
  /** Whether the type needs parentheses in a list or a union. */
  readonly isCompound: boolean
}

/** The place in the output where the type is used. */
interface Place {
  readonly depth: number
  /** The indentation level of the line on which the type starts. */
  readonly indent: number
  /** Whether a surrounding schema allows only objects. */
  readonly isObject: boolean
  /** The schemas whose types are being written, without an object or list in between. They must not occur again. */
  readonly open: readonly unknown[]
}

/**
 * Returns a TypeScript type for a schema. The type accepts every value that the schema accepts. Where
 * TypeScript cannot express the schema, the type is wider, or `unknown`.
 */
export function typeText(schema: unknown, context: TypeContext): string {
  const place = { depth: 0, indent: 0, isObject: false, open: [schema] }
  return new Writer(context).type(schema, place).text
}

/**
 * Returns the members of an interface for a schema that accepts only objects. Returns undefined for other
 * schemas.
 */
export function interfaceMembers(schema: unknown, context: TypeContext): readonly string[] | undefined {
  if (!isObject(schema) || schema['type'] !== 'object' || ALTERNATIVES.some((each) => each in schema))
    return undefined
  const members = new Writer(context).members(schema, { depth: 0, indent: 0, isObject: true, open: [] })
  return members.length === 0 ? undefined : members
}

const ALTERNATIVES = ['$ref', 'enum', 'const', 'anyOf', 'oneOf', 'allOf']

const simple = (text: string): Type => ({ text, isCompound: false })
const UNKNOWN = simple('unknown')
const NEVER = simple('never')
const ANY_OBJECT = simple('{ readonly [name: string]: unknown }')
const EMPTY = simple('{ readonly [name: string]: never }')

/** Writes the types of one schema. */
class Writer {
  readonly #context: TypeContext
  readonly #isDraft7: boolean
  readonly #isKnown: boolean

  constructor(context: TypeContext) {
    this.#context = context
    const dialect = dialectIn(context.root)
    this.#isDraft7 = dialect === 'draft-07'
    this.#isKnown = dialect !== undefined
  }

  type(schema: unknown, place: Place): Type {
    if (schema === false) return NEVER
    if (!isObject(schema) || place.depth > MAX_DEPTH || !this.#isKnown) return UNKNOWN
    // In a subschema with its own `$id`, references are resolved differently.
    if (schema['$id'] !== undefined && schema !== this.#context.root) return UNKNOWN
    return intersectionOf(this.#parts(schema, place))
  }

  /** Returns a type for each of a schema's independent keywords. A value must have all of these types. */
  #parts(schema: JsonObject, place: Place): readonly Type[] {
    const { $ref, enum: values, const: only, anyOf, oneOf, allOf } = schema
    const hasValues = 'const' in schema || Array.isArray(values)
    if ($ref !== undefined && this.#isDraft7) return [this.#reference($ref, place)]
    const inner = { ...place, isObject: place.isObject || schema['type'] === 'object' }
    const types = (branches: readonly unknown[]): readonly Type[] =>
      branches.map((each) => this.type(each, inner))
    return [
      ...($ref === undefined ? [] : [this.#reference($ref, place)]),
      ...('const' in schema ? [valueType(only)] : []),
      ...(Array.isArray(values) ? [unionOf(values.map(valueType))] : []),
      ...(hasValues ? [] : [this.#byType(schema, inner)]),
      ...(Array.isArray(anyOf) ? [unionOf(types(anyOf))] : []),
      ...(Array.isArray(oneOf) ? [unionOf(types(oneOf))] : []),
      ...(Array.isArray(allOf) ? types(allOf) : []),
    ]
  }

  #reference(ref: unknown, { open }: Place): Type {
    const target = targetOf(this.#context.root, ref)
    if (!isObject(target)) return target === false ? NEVER : UNKNOWN
    if (open.includes(target) || this.#leadsBack(target, open, new Set([target]))) return UNKNOWN
    return simple(this.#context.nameOf(target, String(ref)))
  }

  /** Returns whether a type would refer to itself. TypeScript allows this only inside an object or a list. */
  #leadsBack(schema: unknown, open: readonly unknown[], seen: Set<unknown>): boolean {
    if (!isObject(schema)) return false
    const { $ref, anyOf, oneOf, allOf } = schema
    const branches = [anyOf, oneOf, allOf].flatMap((each): readonly unknown[] =>
      Array.isArray(each) ? each : [],
    )
    const target = $ref === undefined ? undefined : targetOf(this.#context.root, $ref)
    return [...branches, target].some((next) => {
      if (!isObject(next) || seen.has(next)) return false
      seen.add(next)
      return open.includes(next) || this.#leadsBack(next, open, seen)
    })
  }

  #byType(schema: JsonObject, place: Place): Type {
    const { type } = schema
    const types: readonly unknown[] = Array.isArray(type)
      ? type
      : [type ?? (place.isObject ? 'object' : undefined)]
    return unionOf(types.map((each) => this.#single(each, schema, place)))
  }

  #single(type: unknown, schema: JsonObject, { depth, indent }: Place): Type {
    const inner = { depth: depth + 1, indent, isObject: false, open: [] }
    switch (type) {
      case 'string':
      case 'boolean':
      case 'null':
        return simple(type)
      case 'number':
      case 'integer':
        return simple('number')
      case 'array':
        return this.#list(schema, inner)
      case 'object':
        return this.#object(schema, inner)
      default:
        return UNKNOWN
    }
  }

  #list(schema: JsonObject, place: Place): Type {
    const { items, prefixItems, additionalItems, minItems } = schema
    const others = (rest: unknown): string => `${wrapped(this.type(rest ?? true, place))}[]`
    const isTuple = Array.isArray(prefixItems) || Array.isArray(items)
    if (!isTuple) return { text: `readonly ${others(items)}`, isCompound: true }
    const first: readonly unknown[] = Array.isArray(prefixItems) ? prefixItems : (items as readonly unknown[])
    const rest = Array.isArray(prefixItems) ? items : additionalItems
    const needed = typeof minItems === 'number' ? minItems : 0
    const entries = first.map((each, at) => {
      const type = this.type(each, place)
      return at < needed ? type.text : `${wrapped(type)}?`
    })
    const all = rest === false ? entries : [...entries, `...${others(rest)}`]
    return { text: `readonly [${all.join(', ')}]`, isCompound: true }
  }

  #object(schema: JsonObject, place: Place): Type {
    const members = this.members(schema, place)
    if (members.length === 0) return schema['additionalProperties'] === false ? EMPTY : ANY_OBJECT
    return simple(`{\n${members.join('\n')}\n${spaces(place.indent)}}`)
  }

  /** Returns an object's members, each with its comment. */
  members(schema: JsonObject, { depth, indent }: Place): readonly string[] {
    const { properties, required, additionalProperties: others } = schema
    const known = isObject(properties) ? properties : {}
    const needed = new Set(Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [])
    const names = [...new Set([...Object.keys(known), ...needed])]
    const place = { depth: depth + 1, indent: indent + 1, isObject: false, open: [] }
    const before = spaces(place.indent)
    const members = names.flatMap((name) => {
      const isDeclared = Object.hasOwn(known, name)
      const given = isDeclared ? known[name] : others
      const description = isDeclared && isObject(given) ? given['description'] : undefined
      return [
        ...comment(typeof description === 'string' ? description : undefined, before),
        `${before}readonly ${memberName(name)}${needed.has(name) ? '' : '?'}: ${this.type(given ?? true, place).text}`,
      ]
    })
    const index = this.#index(schema, names.length > 0, place)
    return index === undefined ? members : [...members, `${before}readonly [name: string]: ${index}`]
  }

  /** Returns the type of additional members, if the schema describes them. */
  #index(
    { additionalProperties: others, patternProperties }: JsonObject,
    hasNames: boolean,
    place: Place,
  ): string | undefined {
    if (isObject(patternProperties)) return 'unknown'
    if (others === undefined || others === false) return undefined
    // In TypeScript, the index signature must also accept the named members.
    return hasNames ? 'unknown' : this.type(others, place).text
  }
}

const spaces = (indent: number): string => '  '.repeat(indent)

/** Returns undefined if the dialect is unknown. */
function dialectIn(root: JsonSchema): ReturnType<typeof dialectOf> | undefined {
  try {
    return dialectOf(root)
  } catch {
    return undefined
  }
}

/** Returns undefined if the reference points outside the schema or is not a valid URI. */
function targetOf(root: JsonSchema, ref: unknown): unknown {
  if (typeof ref !== 'string') return undefined
  try {
    return resolveLocal(root, ref)
  } catch {
    return undefined
  }
}

/** Returns the type of one JSON value. */
function valueType(value: unknown): Type {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return simple(literal(value))
  if (typeof value === 'number') return simple(Number.isFinite(value) ? literal(value) : 'number')
  if (Array.isArray(value))
    return { text: `readonly [${value.map((each) => valueType(each).text).join(', ')}]`, isCompound: true }
  if (!isObject(value)) return UNKNOWN
  const members = Object.entries(value).map(
    ([name, each]) => `readonly ${memberName(name)}: ${valueType(each).text}`,
  )
  return members.length === 0 ? EMPTY : simple(`{ ${members.join('; ')} }`)
}

function unionOf(types: readonly Type[]): Type {
  if (types.some(({ text }) => text === UNKNOWN.text)) return UNKNOWN
  return joined(
    types.filter(({ text }) => text !== NEVER.text),
    ' | ',
    NEVER,
  )
}

function intersectionOf(types: readonly Type[]): Type {
  if (types.some(({ text }) => text === NEVER.text)) return NEVER
  return joined(
    types.filter(({ text }) => text !== UNKNOWN.text),
    ' & ',
    UNKNOWN,
  )
}

function joined(types: readonly Type[], by: ' & ' | ' | ', none: Type): Type {
  const distinct = [...new Map(types.map((type) => [type.text, type])).values()]
  const [first = none, ...others] = distinct
  return others.length === 0 ? first : { text: distinct.map(wrapped).join(by), isCompound: true }
}

const wrapped = ({ text, isCompound }: Type): string => (isCompound ? `(${text})` : text)
