import { isObject, type JsonObject } from '@jetway/core/protocol'
import { addCosts, costFor, type PatternCost, patternCost } from './pattern-cost.ts'

export interface BoundedSchema {
  /** Without the patterns that cost too much, so it accepts more values. */
  readonly schema: JsonObject
  readonly affords: (value: unknown) => boolean
}

/** Counts objects and lists. */
const MAX_DEPTH = 64
const MAX_PARTS = 4_000
/** Visits of one value. A schema with two references to itself doubles them at each level. */
const MAX_VISITS = 10_000
/** Visits of all values. */
const MAX_WORK = 10_000_000
/** Steps of this analysis. */
const MAX_STEPS = 500_000
/** Steps of all patterns: some tens of milliseconds. */
const MAX_PATTERN_STEPS = 20_000_000
/** The engine's stack overflows for much longer texts. */
const MAX_TEXT = 65_536
/** The parser's limit. */
const MAX_LEVELS = 128
/** Items of a list with `uniqueItems`: the check writes each as a text, which costs more than a visit. */
const MAX_UNIQUE = 1_000

/**
 * Keywords that may reject a value because a subschema accepts it. A subschema
 * without its pattern accepts more.
 */
const CONTRARY: ReadonlySet<string> = new Set(['not', 'oneOf', 'if', 'contains'])
/** Keywords whose subschemas apply to the same value. */
const SAME = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'] as const
/** Keywords whose subschemas apply to list items. */
const ITEMS = ['items', 'prefixItems', 'additionalItems', 'contains', 'unevaluatedItems'] as const
/** Keywords whose subschema applies to every property. */
const MEMBERS = ['additionalProperties', 'unevaluatedProperties', 'propertyNames'] as const

/** A schema of a thousand bytes can take years to validate. @throws Error with the reason */
export function boundSchema(given: JsonObject): BoundedSchema {
  const facts: Facts = { patterns: [], unique: false, contrary: false, parts: 0 }
  const schema = copy(given, 0, facts)
  if (facts.left !== undefined && facts.contrary) throw tooCostly(facts.left)
  const levels = affordableLevels(schema)
  return {
    schema,
    affords: (value) =>
      isWithin(value, {
        levels: levels.count,
        items: facts.unique ? MAX_UNIQUE : Infinity,
        values: MAX_WORK / levels.visits,
        patterns: facts.patterns,
        steps: MAX_PATTERN_STEPS / levels.visits,
      }),
  }
}

interface Facts {
  /** The sum of all patterns, because any of them may meet any text. */
  patterns: PatternCost
  unique: boolean
  contrary: boolean
  parts: number
  left?: string
}

/** Counts every nested value, because `$ref` can point to anything. */
function copy(given: JsonObject, depth: number, facts: Facts): JsonObject {
  if (depth > MAX_DEPTH) throw new Error(`it is nested more than ${MAX_DEPTH} deep`)
  if (++facts.parts > MAX_PARTS) throw new Error(`it has more than ${MAX_PARTS} parts`)
  const entries: [string, unknown][] = []
  for (const [key, value] of Object.entries(given)) {
    if (key === 'uniqueItems' && value === true) facts.unique = true
    if (CONTRARY.has(key)) facts.contrary = true
    if (key === 'pattern' && typeof value === 'string' && !counts(value, facts)) {
      facts.left = value
      continue
    }
    // Removing the pattern would apply `additionalProperties` to its properties.
    if (key === 'patternProperties' && isObject(value))
      for (const pattern of Object.keys(value)) if (!counts(pattern, facts)) throw tooCostly(pattern)
    entries.push([key, copyValue(value, depth + 1, facts)])
  }
  return Object.fromEntries(entries)
}

function copyValue(value: unknown, depth: number, facts: Facts): unknown {
  if (Array.isArray(value)) return value.map((item) => copyValue(item, depth + 1, facts))
  return isObject(value) ? copy(value, depth, facts) : value
}

function counts(pattern: string, facts: Facts): boolean {
  const cost = patternCost(pattern)
  if (cost !== undefined) facts.patterns = addCosts(facts.patterns, cost)
  return cost !== undefined
}

const tooCostly = (pattern: string): Error =>
  new Error(`its pattern ${JSON.stringify(pattern.slice(0, 128))} is too costly`)

/** How deep values may be within the limit of visits. */
function affordableLevels(root: JsonObject): { readonly count: number; readonly visits: number } {
  const cost = new Cost(root)
  let count = 0
  let visits = 0
  while (count < MAX_LEVELS) {
    const more = cost.visits(root, count + 1)
    if (more > MAX_VISITS) break
    visits = more
    count++
  }
  if (count === 0) throw new Error('it is too costly')
  return { count, visits }
}

type Counted = Map<JsonObject, number>

class Cost {
  readonly #root: JsonObject
  readonly #here = new Map<JsonObject, Counted>()
  readonly #visits = new Map<JsonObject, number[]>()
  readonly #open = new Set<JsonObject>()
  #steps = 0

  constructor(root: JsonObject) {
    this.#root = root
  }

  /** The visits of all values on one path of this many levels. */
  visits(schema: JsonObject, levels: number): number {
    const known = this.#visits.get(schema)?.[levels]
    if (known !== undefined) return known
    const items: number[] = []
    const members = new Map<string, number>()
    let sum = 0
    for (const [part, times] of this.#sameValue(schema)) {
      this.#step()
      sum += times
      if (levels === 1) continue
      const below = (child: unknown): number => (isObject(child) ? times * this.visits(child, levels - 1) : 0)
      for (const keyword of ITEMS) for (const child of [part[keyword]].flat()) items.push(below(child))
      for (const [name, child] of membersOf(part)) members.set(name, (members.get(name) ?? 0) + below(child))
    }
    const any = members.get('') ?? 0
    members.delete('')
    sum += Math.max(
      items.reduce((all, each) => all + each, 0),
      any + Math.max(0, ...members.values()),
    )
    const table = this.#visits.get(schema) ?? []
    table[levels] = sum
    this.#visits.set(schema, table)
    return sum
  }

  /** The subschemas that apply to the same value, and how often. */
  #sameValue(schema: JsonObject): Counted {
    const known = this.#here.get(schema)
    if (known !== undefined) return known
    if (this.#open.has(schema)) throw new Error('it refers to itself')
    this.#open.add(schema)
    const all: Counted = new Map([[schema, 1]])
    for (const part of this.#nextTo(schema)) {
      for (const [each, times] of this.#sameValue(part)) {
        this.#step()
        all.set(each, (all.get(each) ?? 0) + times)
      }
    }
    this.#open.delete(schema)
    this.#here.set(schema, all)
    return all
  }

  #nextTo(schema: JsonObject): readonly JsonObject[] {
    const found: unknown[] = SAME.flatMap((keyword) => [schema[keyword]].flat())
    for (const keyword of ['dependentSchemas', 'dependencies'] as const) {
      const byName = schema[keyword]
      if (isObject(byName)) found.push(...Object.values(byName))
    }
    for (const keyword of ['$ref', '$dynamicRef', '$recursiveRef'] as const) {
      const ref = schema[keyword]
      if (typeof ref === 'string') found.push(this.#resolve(ref))
    }
    return found.filter(isObject)
  }

  #resolve(ref: string): JsonObject {
    if (ref === '#') return this.#root
    if (!ref.startsWith('#/')) throw new Error(`it refers to ${JSON.stringify(ref.slice(0, 128))}`)
    let at: unknown = this.#root
    for (const step of decodeURIComponent(ref.slice(2)).split('/')) {
      const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
      at = (isObject(at) || Array.isArray(at)) && Object.hasOwn(at, key) ? (at as JsonObject)[key] : undefined
    }
    if (isObject(at)) return at
    if (typeof at === 'boolean') return {}
    throw new Error(`it refers to ${JSON.stringify(ref.slice(0, 128))}, which does not exist`)
  }

  #step(): void {
    if (++this.#steps > MAX_STEPS) throw new Error('it is too complex')
  }
}

/** The subschemas of properties, by name. The empty name means any property. */
function* membersOf(schema: JsonObject): Generator<readonly [string, unknown]> {
  const { properties, patternProperties } = schema
  if (isObject(properties)) for (const [name, child] of Object.entries(properties)) yield [`.${name}`, child]
  if (isObject(patternProperties)) for (const child of Object.values(patternProperties)) yield ['', child]
  for (const keyword of MEMBERS) yield ['', schema[keyword]]
}

interface DataLimits {
  readonly levels: number
  readonly items: number
  readonly values: number
  readonly patterns: PatternCost
  readonly steps: number
}

function isWithin(value: unknown, { levels, items, values, patterns, steps }: DataLimits): boolean {
  let valuesLeft = values
  let stepsLeft = steps
  const affordsText = (text: string): boolean => {
    if (patterns.length === 0) return true
    stepsLeft -= costFor(patterns, text.length)
    return text.length <= MAX_TEXT && stepsLeft >= 0
  }
  let level: readonly unknown[] = [value]
  for (let depth = 1; level.length > 0; depth++) {
    valuesLeft -= level.length
    if (depth > levels || valuesLeft < 0) return false
    const next: unknown[] = []
    for (const item of level) {
      if (typeof item === 'string' && !affordsText(item)) return false
      if (typeof item !== 'object' || item === null) continue
      if (Array.isArray(item) ? item.length > items : !Object.keys(item).every(affordsText)) return false
      for (const child of Object.values(item)) next.push(child)
    }
    level = next
  }
  return true
}
