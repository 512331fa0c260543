import { usageError } from '../errors.ts'
import { CannotCompile } from './validate/cannot-compile.ts'
import { jsonInput, plainOutput, prunedOutput, standardInput, strictInput } from './validate/compiled.ts'
import { openAlternative, readInput, readOutput } from './convert/parts.ts'
import type { Fits } from './validate/prune.ts'
import { messageOf } from './convert/publish.ts'
import { describeSite, invalidSchema, recognise, type Recognised } from './convert/recognise.ts'
import type { JsonSchemaCompiler, JsonValidator, SchemaEngine, SchemaSite } from './types.ts'
import type { ZodSchema } from './convert/zod.ts'

/** An engine around a JSON Schema library; `createSchemaEngine` gives it the default one. */
export function buildSchemaEngine(compiler: JsonSchemaCompiler): SchemaEngine {
  return {
    input(schema, site, { strict = false } = {}) {
      const recognised = recognise(schema, site)
      return named(site, () => {
        const { jsonSchema, compiled } = readInput(recognised, strict)
        const validator = compiled && compiler.compile(compiled, originOf(recognised))
        if (recognised.kind === 'json') return jsonInput(jsonSchema, validator!)
        const open = standardInput(jsonSchema, recognised.schema)
        return validator === undefined ? open : strictInput(open, validator)
      })
    },
    output(schema, site) {
      const recognised = recognise(schema, site)
      return named(site, () => {
        const { jsonSchema, pruned } = readOutput(recognised)
        const validator = compiler.compile(jsonSchema, originOf(recognised))
        if (pruned === undefined) return plainOutput(jsonSchema, validator)
        return prunedOutput({ jsonSchema, ...pruned }, validator, compiledAlternatives(compiler))
      })
    },
  }
}

const originOf = ({ kind }: Recognised): 'author' | 'library' => (kind === 'json' ? 'author' : 'library')

/** A schema nested a thousand deep overflows a converter's stack; that too is an error about this schema only. */
export function named<T>(site: SchemaSite, compile: () => T): T {
  try {
    return compile()
  } catch (error) {
    if (error instanceof CannotCompile)
      throw usageError(
        'ERR_MCP_SCHEMA_COMPILE',
        `${describeSite(site)} has to be compiled, but ${error.message}; ${TO_DO}`,
        {
          cause: error,
        },
      )
    throw invalidSchema(
      site,
      error instanceof RangeError ? 'it is nested too deeply' : messageOf(error),
      error,
    )
  }
}

const TO_DO =
  'run "npx jetway schemas build" on the file of the server, and give the server what it writes as the option "schemas"'

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
