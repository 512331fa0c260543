import type { CachedSchema, SchemaCache } from './cache.ts'
import { jsonInput, plainOutput, prunedOutput, standardInput, strictInput } from '../validate/compiled.ts'
import { isEqual } from '../validate/equal.ts'
import { libraryOf } from '../library.ts'
import { closeRoot } from '../convert/strict.ts'
import { describeSite, recognise, type Recognised } from '../convert/recognise.ts'
import type { Fits } from '../validate/prune.ts'
import type {
  AnySchema,
  CompiledInput,
  CompiledOutput,
  JsonSchema,
  JsonValidator,
  SchemaEngine,
  SchemaSite,
} from '../types.ts'
import { toValidator } from '../validate/validator.ts'
import { VERSION } from './version.ts'
import { alternativesOf, type ZodSchema } from '../convert/zod.ts'

export interface CachedEngineOptions {
  readonly cache: SchemaCache
  /** For what the cache does not have. */
  readonly live: SchemaEngine
  /** Hears of the first schema that the cache does not have. */
  readonly missed: (what: string, why: string) => void
}

/** An engine that takes from a cache what is there, and neither converts nor compiles it. */
export function createCachedEngine({ cache, live, missed }: CachedEngineOptions): SchemaEngine {
  const entries = new Entries(cache)
  let told = false
  const tell = (site: SchemaSite, why: string): void => {
    if (told) return
    told = true
    missed(describeSite(site), why)
  }
  return {
    input(schema, site, options = {}) {
      const { strict = false } = options
      const recognised = recognise(schema, site)
      const found = entries.find(recognised, site, strict)
      if (typeof found !== 'string') return cachedInput(found, recognised)
      if (site.key !== undefined) tell(site, found)
      return generated(cache, 'input').get(schema, recognised, strict, () =>
        live.input(schema, site, options),
      )
    },
    output(schema, site) {
      const recognised = recognise(schema, site)
      const found = entries.find(recognised, site, false)
      if (typeof found !== 'string') return cachedOutput(found, recognised)
      if (site.key !== undefined) tell(site, found)
      return generated(cache, 'output').get(schema, recognised, false, () => live.output(schema, site))
    },
  }
}

/** What a cache has for one server, or why it has not. */
class Entries {
  readonly #cache: SchemaCache
  /** What first had a key that is only a name. A schema that comes later under that name may be another one. */
  readonly #first = new Map<string, object>()

  constructor(cache: SchemaCache) {
    this.#cache = cache
  }

  find(recognised: Recognised, { key }: SchemaSite, strict: boolean): CachedSchema | string {
    if (key === undefined) return 'it is of no lasting name'
    const { jetway, entries } = this.#cache
    if (jetway !== VERSION) return `it was made by @jetway/core ${jetway}, and this is ${VERSION}`
    const entry = Object.hasOwn(entries, key.text) ? entries[key.text] : undefined
    if (entry === undefined) return 'it has no such entry'
    const library = libraryOf(recognised)
    if (entry.library !== library) return `the entry was made of ${entry.library}, and this is ${library}`
    if (entry.strict !== strict) return 'the entry was made with another strictInput'
    if (recognised.kind === 'json')
      return isOf(recognised.schema, entry) ? entry : 'the schema has changed since'
    if (key.chosen) return entry
    const first = this.#first.get(key.text) ?? recognised.schema
    if (first !== recognised.schema)
      return 'another schema has had its name before; a schemaKey says that they are the same'
    this.#first.set(key.text, first)
    return entry
  }
}

/** Of JSON Schema it can be seen whether it has changed; what a library's schema says would have to be converted. */
function isOf(schema: JsonSchema, { jsonSchema, strict }: CachedSchema): boolean {
  return isEqual(strict ? closeRoot(schema) : schema, jsonSchema)
}

function cachedInput(entry: CachedSchema, recognised: Recognised): CompiledInput {
  const { jsonSchema, strict } = entry
  if (recognised.kind === 'json') return jsonInput(jsonSchema, validatorOf(entry))
  const open = standardInput(jsonSchema, recognised.schema)
  return strict ? strictInput(open, validatorOf(entry)) : open
}

function cachedOutput(entry: CachedSchema, recognised: Recognised): CompiledOutput {
  const { jsonSchema, pruning = 'never' } = entry
  const zod = recognised.kind === 'standard' ? recognised.zod : undefined
  if (pruning === 'never' || zod === undefined) return plainOutput(jsonSchema, validatorOf(entry))
  return prunedOutput({ jsonSchema, pruning, zod }, validatorOf(entry), cachedAlternatives(entry, zod))
}

/** Made when the first value comes: a server has more tools than one client calls. */
function validatorOf({ validator, jsonSchema }: CachedSchema): JsonValidator {
  return toValidator(() => validator!(jsonSchema))
}

/** They lie in the cache in the order in which they are met in the schema. */
function cachedAlternatives({ alternatives = [], jsonSchema }: CachedSchema, zod: ZodSchema): Fits {
  let byAlternative: Map<ZodSchema, JsonValidator | undefined> | undefined
  const all = (): Map<ZodSchema, JsonValidator | undefined> =>
    new Map(
      alternativesOf(zod).map((alternative, i) => {
        const make = alternatives[i]
        return [alternative, make ? toValidator(() => make(jsonSchema)) : undefined]
      }),
    )
  return (alternative, value) => {
    byAlternative ??= all()
    return byAlternative.get(alternative)?.isValid(value) === true
  }
}

/**
 * What a cache did not have and was compiled at start, for the next server that is built of the same schemas with the
 * same cache. Held by the schema and the cache, so that it goes with either.
 */
class Generated<Compiled> {
  readonly #bySchema = new WeakMap<object, Map<boolean, Compiled>>()

  get(schema: AnySchema, { kind }: Recognised, strict: boolean, generate: () => Compiled): Compiled {
    // A plain object may have been changed since.
    if (kind === 'json') return generate()
    const known = this.#bySchema.get(schema) ?? new Map<boolean, Compiled>()
    const compiled = known.get(strict) ?? generate()
    this.#bySchema.set(schema, known.set(strict, compiled))
    return compiled
  }
}

interface GeneratedSides {
  readonly input: Generated<CompiledInput>
  readonly output: Generated<CompiledOutput>
}

const generatedBeside = new WeakMap<SchemaCache, GeneratedSides>()

function generated<Side extends keyof GeneratedSides>(cache: SchemaCache, side: Side): GeneratedSides[Side] {
  let sides = generatedBeside.get(cache)
  if (sides === undefined) {
    sides = { input: new Generated(), output: new Generated() }
    generatedBeside.set(cache, sides)
  }
  return sides[side]
}
