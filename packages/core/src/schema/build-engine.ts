import { fromStandardIssues } from './issues.ts'
import { isJsonFaithful } from './json-faithful.ts'
import { prune, type Fits } from './prune.ts'
import { convert, convertZodOutput, copyJsonSchema, messageOf } from './publish.ts'
import { invalidSchema, recognise } from './recognise.ts'
import { closeObjects, closeRoot, structureOf, unknownProperties } from './strict.ts'
import type {
  CheckedInput,
  CheckedOutput,
  CompiledInput,
  CompiledOutput,
  Failed,
  Issue,
  JsonSchema,
  JsonSchemaCompiler,
  JsonValidator,
  SchemaEngine,
  SchemaSite,
  StandardResult,
  StandardSchema,
} from './types.ts'
import { toOpenJsonSchema, type ZodSchema } from './zod.ts'

/** An engine around a JSON Schema library; `createSchemaEngine` gives it the default one. */
export function buildSchemaEngine(compiler: JsonSchemaCompiler): SchemaEngine {
  return {
    input(schema, site, { strict = false } = {}) {
      const recognised = recognise(schema, site)
      return named(site, () => {
        if (recognised.kind === 'json') {
          const jsonSchema = copyJsonSchema(recognised.schema)
          return jsonInput(strict ? closeRoot(jsonSchema) : jsonSchema, compiler)
        }
        const open = standardInput(recognised.schema, recognised.zod)
        return strict ? strictInput(open, compiler) : open
      })
    },
    output(schema, site) {
      const recognised = recognise(schema, site)
      return named(site, () => {
        if (recognised.kind === 'json') {
          const jsonSchema = copyJsonSchema(recognised.schema)
          return plainOutput(jsonSchema, compiler.compile(jsonSchema, 'author'))
        }
        const { schema: standard, zod } = recognised
        if (zod !== undefined) return zodOutput(standard, zod, compiler)
        const jsonSchema = convert(standard, 'output', undefined)
        return plainOutput(jsonSchema, compiler.compile(jsonSchema, 'library'))
      })
    },
  }
}

/** A schema nested a thousand deep overflows a converter's stack; that too is an error about this schema only. */
function named<T>(site: SchemaSite, compile: () => T): T {
  try {
    return compile()
  } catch (error) {
    throw invalidSchema(
      site,
      error instanceof RangeError ? 'it is nested too deeply' : messageOf(error),
      error,
    )
  }
}

function requireObjectRoot(schema: JsonSchema): void {
  if (Object.hasOwn(schema, 'type') && schema['type'] === 'object') return
  throw new Error(
    'its root must be an object: JSON Schema says so with "type": "object", zod with z.object({ … })',
  )
}

function jsonInput(jsonSchema: JsonSchema, compiler: JsonSchemaCompiler): CompiledInput {
  const validator = compiler.compile(jsonSchema, 'author')
  requireObjectRoot(jsonSchema)
  return {
    jsonSchema,
    check: (value) =>
      contained<CheckedInput>(() =>
        validator.isValid(value) ? { ok: true, value } : { ok: false, issues: validator.explain(value) },
      ),
  }
}

function standardInput(schema: StandardSchema, zod: ZodSchema | undefined): CompiledInput {
  const jsonSchema = convert(schema, 'input', zod)
  requireObjectRoot(jsonSchema)
  // Looked up once: in zod it is a getter.
  const props = schema['~standard']
  return {
    jsonSchema,
    check: (value) => {
      const result = props.validate(value)
      return isThenable(result)
        ? Promise.resolve(result).then(fromStandardResult)
        : fromStandardResult(result)
    },
  }
}

/** The library's own check, and one for what it would let fall without a word. */
function strictInput(open: CompiledInput, compiler: JsonSchemaCompiler): CompiledInput {
  const jsonSchema = closeObjects(open.jsonSchema)
  const structure = compiler.compile(structureOf(jsonSchema), 'library')
  const refuse = (checked: CheckedInput, unknown: readonly Issue[]): CheckedInput => {
    if (unknown.length === 0) return checked
    return { ok: false, issues: checked.ok ? unknown : [...checked.issues, ...unknown] }
  }
  return {
    jsonSchema,
    check: (value) => {
      const found = contained<{ ok: true } | Failed>(() =>
        structure.isValid(value) ? { ok: true } : { ok: false, issues: structure.explain(value) },
      )
      const unknown = found.ok ? [] : unknownProperties(found.issues)
      const checked = open.check(value)
      return checked instanceof Promise ? checked.then((it) => refuse(it, unknown)) : refuse(checked, unknown)
    },
  }
}

function fromStandardResult(result: StandardResult<unknown>): CheckedInput {
  return result.issues === undefined
    ? { ok: true, value: result.value }
    : { ok: false, issues: fromStandardIssues(result.issues) }
}

function isThenable(result: object): result is PromiseLike<StandardResult<unknown>> {
  return typeof (result as { then?: unknown }).then === 'function'
}

/** What JSON would change is read back from the JSON; the rest is validated as it is, which costs no parse. */
function asJson(value: unknown, json: string): unknown {
  return isJsonFaithful(value) ? value : JSON.parse(json)
}

function plainOutput(jsonSchema: JsonSchema, validator: JsonValidator): CompiledOutput {
  return {
    jsonSchema,
    check: (value, json) => {
      if (json === undefined) return failed('is missing')
      return contained<CheckedOutput>(() => {
        const read = asJson(value, json)
        return validator.isValid(read) ? { ok: true, json } : { ok: false, issues: validator.explain(read) }
      })
    },
  }
}

function zodOutput(schema: StandardSchema, zod: ZodSchema, compiler: JsonSchemaCompiler): CompiledOutput {
  const { jsonSchema, pruning } = convertZodOutput(schema, zod)
  const validator = compiler.compile(jsonSchema, 'library')
  if (pruning === 'never') return plainOutput(jsonSchema, validator)
  const fits = alternatives(compiler)
  return {
    jsonSchema,
    check: (value, json) => {
      if (json === undefined) return failed('is missing')
      return contained<CheckedOutput>(() =>
        pruning === 'on mismatch' && validator.isValid(asJson(value, json))
          ? { ok: true, json }
          : checkPruned(zod, json, validator, fits),
      )
    },
  }
}

function checkPruned(zod: ZodSchema, json: string, validator: JsonValidator, fits: Fits): CheckedOutput {
  const copy: unknown = JSON.parse(json)
  const changed = prune(zod, copy, fits)
  if (!validator.isValid(copy)) return { ok: false, issues: validator.explain(copy) }
  return { ok: true, json: changed ? JSON.stringify(copy) : json }
}

/** Compiled when a value first has something to be pruned inside a union, which most schemas never see. */
function alternatives(compiler: JsonSchemaCompiler): Fits {
  const compiled = new Map<ZodSchema, JsonValidator | undefined>()
  return (alternative, value) => {
    if (!compiled.has(alternative)) {
      const open = toOpenJsonSchema(alternative, () => true)
      compiled.set(alternative, open && compiler.compile(open, 'library'))
    }
    return compiled.get(alternative)?.isValid(value) === true
  }
}

/** A recursive schema follows the value's depth on the stack. */
function contained<Ok>(check: () => Ok | Failed): Ok | Failed {
  try {
    return check()
  } catch (error) {
    if (error instanceof RangeError) return failed('is nested too deeply')
    throw error
  }
}

function failed(message: string): Failed {
  return { ok: false, issues: [{ path: [], message }] }
}
