import { fromStandardIssues } from './issues.ts'
import { isJsonFaithful } from './json-faithful.ts'
import { prune, type Fits } from './prune.ts'
import { convert, convertZodOutput, copyJsonSchema, messageOf } from './publish.ts'
import { invalidSchema, recognise } from './recognise.ts'
import type {
  CheckedInput,
  CheckedOutput,
  CompiledInput,
  CompiledOutput,
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
    input(schema, site) {
      const recognised = recognise(schema, site)
      return named(site, () =>
        recognised.kind === 'json'
          ? jsonInput(recognised.schema, compiler)
          : standardInput(recognised.schema, recognised.zod),
      )
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

function jsonInput(schema: JsonSchema, compiler: JsonSchemaCompiler): CompiledInput {
  const jsonSchema = copyJsonSchema(schema)
  const validate = compiler.compile(jsonSchema, 'author')
  requireObjectRoot(jsonSchema)
  return {
    jsonSchema,
    check: (value) => {
      const issues = validate(value)
      return issues === undefined ? { ok: true, value } : { ok: false, issues }
    },
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
      return isPromise(result) ? result.then(fromStandardResult) : fromStandardResult(result)
    },
  }
}

function fromStandardResult(result: StandardResult<unknown>): CheckedInput {
  return result.issues === undefined
    ? { ok: true, value: result.value }
    : { ok: false, issues: fromStandardIssues(result.issues) }
}

function isPromise(result: object): result is Promise<StandardResult<unknown>> {
  return typeof (result as { then?: unknown }).then === 'function'
}

const MISSING: CheckedOutput = { ok: false, issues: [{ path: [], message: 'is missing' }] }
const TOO_DEEP: CheckedOutput = { ok: false, issues: [{ path: [], message: 'is nested too deeply' }] }

/** What JSON would change is read back from the JSON; the rest is validated as it is, which costs no parse. */
function plainOutput(jsonSchema: JsonSchema, validate: JsonValidator): CompiledOutput {
  return {
    jsonSchema,
    check: (value, json) =>
      contained(json, (text) => {
        const issues = validate(isJsonFaithful(value) ? value : JSON.parse(text))
        return issues === undefined ? { ok: true, json: text } : { ok: false, issues }
      }),
  }
}

function zodOutput(schema: StandardSchema, zod: ZodSchema, compiler: JsonSchemaCompiler): CompiledOutput {
  const { jsonSchema, pruning } = convertZodOutput(schema, zod)
  const validate = compiler.compile(jsonSchema, 'library')
  const plain = plainOutput(jsonSchema, validate)
  if (pruning === 'never') return plain
  const fits = alternatives(compiler)
  return {
    jsonSchema,
    check: (value, json) => {
      if (pruning === 'on mismatch') {
        const checked = plain.check(value, json)
        if (checked.ok) return checked
      }
      return contained(json, (text) => checkPruned(zod, text, validate, fits))
    },
  }
}

function checkPruned(zod: ZodSchema, json: string, validate: JsonValidator, fits: Fits): CheckedOutput {
  const copy: unknown = JSON.parse(json)
  const changed = prune(zod, copy, fits)
  const issues = validate(copy)
  if (issues !== undefined) return { ok: false, issues }
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
    const validate = compiled.get(alternative)
    return validate !== undefined && validate(value) === undefined
  }
}

/** A recursive schema follows the value's depth on the stack. */
function contained(json: string | undefined, check: (json: string) => CheckedOutput): CheckedOutput {
  if (json === undefined) return MISSING
  try {
    return check(json)
  } catch (error) {
    if (error instanceof RangeError) return TOO_DEEP
    throw error
  }
}
