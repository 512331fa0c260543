import type { JsonSchema } from '@jetway/core'
import { lastName, lookUp } from '../document/pointer.ts'
import { asJson, isJson } from '../document/values.ts'
import { type Conversion, type ConversionRules, convertSchema, type Schema, type Spot } from './convert.ts'
import { Loops } from './loops.ts'

/** A converted schema, and what it refers to. */
export interface Converted {
  readonly schema: Schema
  /** References as the document has them. */
  readonly references: ReadonlySet<string>
}

/** The maximum number of nodes in one schema or definition. Further nodes accept any value. */
const MAX_NODES = 20_000
/** The maximum number of definitions in one tool. Further ones accept any value. */
const MAX_DEFINITIONS = 1_000

/**
 * Converts schemas of a document, each definition once. References stay references, so cycles need no care: the
 * definitions that a schema reaches are added to its `$defs`.
 */
export class Definitions {
  readonly #rules: ConversionRules
  readonly #names = new Map<string, string>()
  readonly #taken = new Set<string>()
  readonly #converted = new Map<string, Converted>()
  readonly #lengths = new Map<string, number>()
  readonly #loops: Loops
  readonly #report: (problem: string) => void

  /** @param report - is called for each reference that cannot be resolved */
  constructor(rules: ConversionRules, report: (problem: string) => void) {
    this.#rules = rules
    this.#loops = new Loops(rules.root)
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
    const $defs: [string, Schema][] = []
    // A set also visits what is added while it is read.
    for (const reference of reached) {
      const isBeyond = $defs.length >= MAX_DEFINITIONS
      const definition = isBeyond ? undefined : this.#definition(reference)
      for (const next of definition?.references ?? []) reached.add(next)
      $defs.push([this.#nameOf(reference), definition?.schema ?? {}])
    }
    return $defs.length === 0 ? schema : { ...schema, $defs: Object.fromEntries($defs) as JsonSchema }
  }

  /** Whether a schema and all definitions that it reaches have at most so many characters. */
  isWithin({ schema, references }: Converted, limit: number): boolean {
    let size = JSON.stringify(schema).length
    const reached = new Set(references)
    for (const reference of reached) {
      const definition = this.#definition(reference)
      size += this.#lengthOf(reference, definition)
      if (size > limit) return false
      for (const next of definition.references) reached.add(next)
    }
    return size <= limit
  }

  #lengthOf(reference: string, { schema }: Converted): number {
    let length = this.#lengths.get(reference)
    if (length === undefined) {
      length = JSON.stringify(schema).length
      this.#lengths.set(reference, length)
    }
    return length
  }

  /** The schema that a reference leads to, behind further references. */
  definitionOf(reference: string): Converted {
    let at = reference
    for (;;) {
      const next = asJson(lookUp(this.#rules.root, at))['$ref']
      if (typeof next !== 'string' || this.#loops.isLoop(at, next)) return this.#definition(at)
      at = next
    }
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
    if (at.inPlace && at.within !== undefined && this.#loops.isLoop(at.within, reference)) return {}
    references.add(reference)
    return { $ref: `#/$defs/${this.#nameOf(reference)}` }
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
