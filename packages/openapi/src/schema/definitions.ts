import type { JsonSchema } from '@jetway/core'
import { lastName, lookUp } from '../document/pointer.ts'
import { asJson, isJson, listOf } from '../document/values.ts'
import { type Conversion, type ConversionRules, convertSchema, type Schema, type Spot } from './convert.ts'
import { IN_PLACE } from './keywords.ts'

/** A converted schema, and what it refers to. */
export interface Converted {
  readonly schema: Schema
  /** References as the document has them. */
  readonly references: ReadonlySet<string>
}

/** The most nodes of one schema or definition. What is beyond them accepts any value. */
const MAX_NODES = 20_000

/**
 * Converts schemas of a document, each definition once. References stay references, so cycles need no care: the
 * definitions that a schema reaches are added to its `$defs`.
 */
export class Definitions {
  readonly #rules: ConversionRules
  readonly #names = new Map<string, string>()
  readonly #taken = new Set<string>()
  readonly #converted = new Map<string, Converted>()
  readonly #report: (problem: string) => void

  /** @param report - is called for each reference that cannot be resolved */
  constructor(rules: ConversionRules, report: (problem: string) => void) {
    this.#rules = rules
    this.#report = report
  }

  get rules(): ConversionRules {
    return this.#rules
  }

  convert(raw: unknown, within?: string): Converted {
    const references = new Set<string>()
    const conversion: Conversion = {
      refer: (reference, at) => this.#refer(reference, at, references),
      budget: MAX_NODES,
      around: new Set(),
    }
    const schema = convertSchema(raw, this.#rules, conversion, { within, inPlace: true, depth: 0 })
    return { schema, references }
  }

  /** Adds all definitions that the references reach. */
  close(schema: JsonSchema, references: Iterable<string>): JsonSchema {
    const reached = new Set(references)
    // A set also visits what is added while it is read.
    for (const reference of reached)
      for (const next of this.#definition(reference).references) reached.add(next)
    if (reached.size === 0) return schema
    const $defs = Array.from(reached, (reference) => [
      this.#nameOf(reference),
      this.#definition(reference).schema,
    ])
    return { ...schema, $defs: Object.fromEntries($defs) as JsonSchema }
  }

  /** The schema that a reference leads to, behind further references. */
  definitionOf(reference: string): Converted {
    const next = asJson(lookUp(this.#rules.root, reference))['$ref']
    const isChain = typeof next === 'string' && !this.#leads(next, reference)
    return isChain ? this.definitionOf(next) : this.#definition(reference)
  }

  #definition(reference: string): Converted {
    let converted = this.#converted.get(reference)
    if (converted === undefined) {
      converted = this.convert(lookUp(this.#rules.root, reference), reference)
      this.#converted.set(reference, converted)
    }
    return converted
  }

  #refer(reference: string, at: Spot, references: Set<string>): Schema {
    const target = lookUp(this.#rules.root, reference)
    if (typeof target === 'boolean') return target
    if (!isJson(target)) {
      this.#report(
        reference.startsWith('#')
          ? `the reference ${reference.slice(0, 128)} leads nowhere, so any value is accepted there`
          : `the reference ${reference.slice(0, 128)} leaves the document, so any value is accepted there`,
      )
      return {}
    }
    // A schema that is itself, or one of its own alternatives, says nothing, and validators refuse it.
    if (at.inPlace && at.within !== undefined && this.#leads(reference, at.within)) return {}
    references.add(reference)
    return { $ref: `#/$defs/${this.#nameOf(reference)}` }
  }

  /** Whether a reference leads to another by keywords that apply to the same value. */
  #leads(from: string, to: string): boolean {
    const reached = new Set([from])
    for (const reference of reached) {
      if (reference === to) return true
      for (const next of inPlaceReferences(lookUp(this.#rules.root, reference))) reached.add(next)
    }
    return false
  }

  #nameOf(reference: string): string {
    const known = this.#names.get(reference)
    if (known !== undefined) return known
    const base = lastName(reference)
    let name = base
    for (let count = 2; this.#taken.has(name); count++) name = `${base}_${count}`
    this.#taken.add(name)
    this.#names.set(reference, name)
    return name
  }
}

function inPlaceReferences(schema: unknown, seen: Set<unknown> = new Set()): readonly string[] {
  if (!isJson(schema) || seen.has(schema)) return []
  seen.add(schema)
  const { $ref: reference } = schema
  const own = typeof reference === 'string' ? [reference] : []
  const parts = IN_PLACE.flatMap((keyword) => {
    const value = schema[keyword]
    return Array.isArray(value) ? listOf(value) : [value]
  })
  return [...own, ...parts.flatMap((part) => inPlaceReferences(part, seen))]
}
