import { convertsForCertain } from './convert/certain.ts'
import { openAlternative, readInput, readOutput } from './convert/parts.ts'
import { messageOf } from './convert/publish.ts'
import { invalidSchema, recognise, type Recognised } from './convert/recognise.ts'
import type { ZodSchema } from './convert/zod.ts'
import type {
  AnySchema,
  CompiledInput,
  CompiledOutput,
  JsonSchemaCompiler,
  JsonValidator,
  SchemaEngine,
  SchemaSite,
} from './types.ts'
import {
  deferredInput,
  deferredOutput,
  jsonInput,
  plainOutput,
  prunedOutput,
  standardInput,
  strictInput,
} from './validate/compiled.ts'
import type { Fits } from './validate/prune.ts'

/**
 * Converts schemas and makes their checks with a compiler of JSON Schema. Each schema is converted once for each use that is
 * made of it, whichever servers have it: one that is built for every request converts nothing anew.
 */
export function createSchemaEngine(compiler: JsonSchemaCompiler): SchemaEngine {
  const inputs = new Kept<CompiledInput>()
  const strictInputs = new Kept<CompiledInput>()
  const outputs = new Kept<CompiledOutput>()
  return {
    input(schema, site, { strict = false } = {}) {
      const recognised = recognise(schema, site)
      const compile = (): CompiledInput => named(site, () => compileInput(compiler, recognised, strict))
      return (strict ? strictInputs : inputs).get(schema, recognised, () =>
        !strict && canWait(recognised) ? deferredInput(recognised.schema, compile) : compile(),
      )
    },
    output(schema, site) {
      const recognised = recognise(schema, site)
      const compile = (): CompiledOutput => named(site, () => compileOutput(compiler, recognised))
      return outputs.get(schema, recognised, () =>
        canWait(recognised) ? deferredOutput(compile) : compile(),
      )
    },
  }
}

/** What is certain to convert does so when a client first asks for it, which makes servers start faster. */
function canWait(recognised: Recognised): recognised is Extract<Recognised, { kind: 'standard' }> {
  return recognised.kind === 'standard' && recognised.zod !== undefined && convertsForCertain(recognised.zod)
}

function compileInput(compiler: JsonSchemaCompiler, recognised: Recognised, strict: boolean): CompiledInput {
  const { jsonSchema, compiled } = readInput(recognised, strict)
  const validator = compiled && compiler.compile(compiled, originOf(recognised))
  if (recognised.kind === 'json') return jsonInput(jsonSchema, validator!)
  const open = standardInput(jsonSchema, recognised.schema)
  return validator === undefined ? open : strictInput(open, validator)
}

function compileOutput(compiler: JsonSchemaCompiler, recognised: Recognised): CompiledOutput {
  const { jsonSchema, pruned } = readOutput(recognised)
  const validator = compiler.compile(jsonSchema, originOf(recognised))
  if (pruned === undefined) return plainOutput(jsonSchema, validator)
  return prunedOutput({ jsonSchema, ...pruned }, validator, compiledAlternatives(compiler))
}

const originOf = ({ kind }: Recognised): 'author' | 'library' => (kind === 'json' ? 'author' : 'library')

/** What schemas have become, for as long as they are there. */
class Kept<Compiled> {
  readonly #bySchema = new WeakMap<object, { readonly text: string; readonly compiled: Compiled }>()

  get(schema: AnySchema, { kind }: Recognised, compile: () => Compiled): Compiled {
    // JSON Schema is a plain object, which may have been changed since.
    const text = kind === 'json' ? textOf(schema) : ''
    const known = this.#bySchema.get(schema)
    if (known?.text === text) return known.compiled
    const compiled = compile()
    this.#bySchema.set(schema, { text, compiled })
    return compiled
  }
}

/** What is no JSON is refused when it is compiled. */
function textOf(schema: AnySchema): string {
  try {
    return JSON.stringify(schema)
  } catch {
    return ''
  }
}

/** A schema nested a thousand deep overflows a converter's stack; that too is an error about this schema only. */
export function named<T>(site: SchemaSite, compile: () => T): T {
  try {
    return compile()
  } catch (error) {
    const problem = error instanceof RangeError ? 'it is nested too deeply' : messageOf(error)
    throw invalidSchema(site, problem, error)
  }
}

/** Compiled when a value first has something to be pruned inside a union, which most schemas never see. */
function compiledAlternatives(compiler: JsonSchemaCompiler): Fits {
  const compiled = new Map<ZodSchema, JsonValidator | undefined>()
  return (alternative, value) => {
    if (!compiled.has(alternative)) {
      const open = openAlternative(alternative)
      compiled.set(alternative, open && compiler.compile(open, 'library'))
    }
    return compiled.get(alternative)?.isValid(value) === true
  }
}
