import { convertsForCertain } from './convert/certain.ts'
import { convertInput, convertOutput, messageOf, withProperties } from './convert/publish.ts'
import { invalidSchema, recognise, type Recognised } from './convert/recognise.ts'
import { closeObjects, closeRoot, structureOf } from './convert/strict.ts'
import { toOpenJsonSchema, type ZodSchema } from './convert/zod.ts'
import type {
  AnySchema,
  CheckedOutput,
  CompiledInput,
  CompiledOutput,
  CompileJsonSchema,
  JsonValidator,
  SchemaEngine,
  SchemaSite,
} from './types.ts'
import { jsonCheck, outputCheck, standardCheck, strictCheck } from './validate/compiled.ts'
import type { Fits } from './validate/prune.ts'

/**
 * Converts schemas, and creates their validators with a JSON Schema compiler. Each schema is converted at
 * most once for each of its uses (input, strict input and output), even if a server is created for every
 * request.
 */
export function createSchemaEngine(compile: CompileJsonSchema): SchemaEngine {
  const inputs = new CompiledSchemas<CompiledInput>()
  const strictInputs = new CompiledSchemas<CompiledInput>()
  const outputs = new CompiledSchemas<CompiledOutput>()
  return {
    input(schema, site, { strict = false } = {}) {
      const recognised = recognise(schema, site)
      return (strict ? strictInputs : inputs).get(schema, recognised, () => {
        const made = once(() => named(site, () => compileInput(compile, recognised, strict)))
        if (strict || !canWait(recognised)) return made()
        return {
          get jsonSchema() {
            return made().jsonSchema
          },
          isDeferred: true,
          check: standardCheck(recognised.schema),
        }
      })
    },
    output(schema, site) {
      const recognised = recognise(schema, site)
      return outputs.get(schema, recognised, () => {
        const made = once(() => named(site, () => compileOutput(compile, recognised)))
        if (!canWait(recognised)) return made()
        const output = {
          get jsonSchema() {
            return made().jsonSchema
          },
          // This function replaces itself on its first call.
          check(value: unknown, json: string | undefined): CheckedOutput {
            output.check = made().check
            return output.check(value, json)
          },
        }
        return output
      })
    },
  }
}

/**
 * Returns whether the conversion can be deferred until a client requests the schema, so that servers start faster.
 */
function canWait(recognised: Recognised): recognised is Extract<Recognised, { kind: 'standard' }> {
  return recognised.kind === 'standard' && recognised.zod !== undefined && convertsForCertain(recognised.zod)
}

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

function compileInput(compile: CompileJsonSchema, recognised: Recognised, strict: boolean): CompiledInput {
  const open = convertInput(recognised)
  if (recognised.kind === 'json') {
    const jsonSchema = withProperties(strict ? closeRoot(open) : open)
    return { jsonSchema, check: jsonCheck(compile(jsonSchema, 'author')) }
  }
  const check = standardCheck(recognised.schema)
  if (!strict) return { jsonSchema: withProperties(open), check }
  const jsonSchema = closeObjects(open)
  return {
    jsonSchema: withProperties(jsonSchema),
    check: strictCheck(check, compile(structureOf(jsonSchema), 'library')),
  }
}

function compileOutput(compile: CompileJsonSchema, recognised: Recognised): CompiledOutput {
  const { jsonSchema, prunes } = convertOutput(recognised)
  const validator = compile(jsonSchema, recognised.kind === 'json' ? 'author' : 'library')
  return {
    jsonSchema,
    check: outputCheck(validator, prunes && { ...prunes, fits: compiledAlternatives(compile) }),
  }
}

/** Compiled schemas. Each is kept as long as the schema from which it was compiled exists. */
class CompiledSchemas<Compiled> {
  readonly #bySchema = new WeakMap<object, { readonly text: string; readonly compiled: Compiled }>()

  get(schema: AnySchema, { kind }: Recognised, compile: () => Compiled): Compiled {
    // A JSON Schema is a plain object, so it may have changed since it was compiled.
    const text = kind === 'json' ? textOf(schema) : ''
    const known = this.#bySchema.get(schema)
    if (known?.text === text) return known.compiled
    const compiled = compile()
    this.#bySchema.set(schema, { text, compiled })
    return compiled
  }
}

/**
 * Returns the schema as JSON text. Returns an empty string for a schema that is not JSON, which `compile`
 * then rejects.
 */
function textOf(schema: AnySchema): string {
  try {
    return JSON.stringify(schema)
  } catch {
    return ''
  }
}

/**
 * Reports a stack overflow in a converter as an error in this schema. For example, a schema that is nested a
 * thousand levels deep causes an overflow.
 */
export function named<T>(site: SchemaSite, compile: () => T): T {
  try {
    return compile()
  } catch (error) {
    const problem = error instanceof RangeError ? 'it is nested too deeply' : messageOf(error)
    throw invalidSchema(site, problem, error)
  }
}

/**
 * Compiles an alternative when unknown properties in its union are dropped for the first time, which rarely
 * happens.
 */
function compiledAlternatives(compile: CompileJsonSchema): Fits {
  const compiled = new Map<ZodSchema, JsonValidator | undefined>()
  return (alternative, value) => {
    if (!compiled.has(alternative)) {
      // The result is undefined if zod has no JSON Schema for the alternative.
      const open = toOpenJsonSchema(alternative, () => true)
      compiled.set(alternative, open && compile(open, 'library'))
    }
    return compiled.get(alternative)?.isValid(value) === true
  }
}
