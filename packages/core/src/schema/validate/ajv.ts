import type { Ajv, CreateAjv, Options, ValidateFunction } from './ajv-types.ts'
import { CannotCompile } from './cannot-compile.ts'
import { dialectOf, type Dialect } from '../convert/dialect.ts'
import { FORMATS } from './formats.ts'
import { toValidator } from './validator.ts'
import type { JsonSchema, JsonSchemaCompiler, JsonValidator } from '../types.ts'

/** A pattern is meant for `u`, but many are written without it in mind, such as `[\w-.]`, and do not compile. */
function compilePattern(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags)
  } catch (error) {
    if (flags === '') throw error
    return new RegExp(pattern)
  }
}

const OPTIONS: Options = {
  // Unknown keywords and formats are annotations, as the specification has them.
  strict: false,
  // A peer's data must not decide how long the validation goes on.
  allErrors: false,
  // Errors carry the schema and the data, from which the alternative that was meant is told.
  verbose: true,
  // Else `required: ["constructor"]` holds for every object.
  ownProperties: true,
  formats: FORMATS,
  logger: false,
  code: { regExp: Object.assign(compilePattern, { code: 'new RegExp' }) },
}

/** With what a schema of the dialect is compiled, at start as for the cache. */
export function ajvOptions(dialect: Dialect): Options {
  // In draft-07 whatever stands beside a $ref does not count.
  return dialect === 'draft-07' ? { ...OPTIONS, ignoreKeywordsWithRef: true } : OPTIONS
}

/** The dialect has been chosen; ajv would look the URI up. `$async` is its own, and would answer with a promise. */
export function bareSchema(schema: JsonSchema): JsonSchema {
  const { $schema: _, $async: __, ...rest } = schema
  return rest
}

/** What ajv has compiled stays in its scope for good; a server that keeps replacing tools would grow without end. */
const RETIRE_AFTER = 500
const KEY = 'jetway:schema'

interface Instance {
  readonly ajv: Ajv
  readonly builtIn: ReadonlySet<string>
  compiled: number
}

/**
 * Takes a schema's ids out of the instance again. Two schemas with one `$id` would share the first one's
 * validator otherwise, and each could refer to parts of the other. What is compiled does not need them.
 */
function forget({ ajv, builtIn }: Instance): void {
  for (const key of [...Object.keys(ajv.schemas), ...Object.keys(ajv.refs)]) {
    if (!builtIn.has(key)) ajv.removeSchema(key)
  }
}

function compileWith(instance: Instance, schema: JsonSchema, checkSchema: boolean): ValidateFunction {
  try {
    return compileIn(instance.ajv, schema, checkSchema)
  } catch (cause) {
    // What Content-Security-Policy, `--disallow-code-generation-from-strings` and Cloudflare's Workers throw.
    if (cause instanceof EvalError)
      throw new CannotCompile('this runtime does not allow code to be generated', { cause })
    throw cause
  } finally {
    forget(instance)
  }
}

/** No loader is given, so a $ref to anything outside the schema fails here, and nothing is ever fetched. */
export function compileIn(ajv: Ajv, schema: JsonSchema, checkSchema: boolean): ValidateFunction {
  ajv.addSchema(schema, KEY, false, checkSchema)
  const validate = ajv.getSchema(KEY)
  if (validate === undefined) throw new Error('it does not compile')
  return validate
}

/** A compiler with instances of its own, one per dialect, made when first needed. */
export function createAjvCompiler(createAjv: CreateAjv): JsonSchemaCompiler {
  const instances = new Map<Dialect, Instance>()
  const instanceFor = (dialect: Dialect): Instance => {
    let instance = instances.get(dialect)
    if (instance === undefined || instance.compiled >= RETIRE_AFTER) {
      const ajv = createAjv(dialect, ajvOptions(dialect))
      const builtIn = new Set([...Object.keys(ajv.schemas), ...Object.keys(ajv.refs)])
      instance = { ajv, builtIn, compiled: 0 }
      instances.set(dialect, instance)
    }
    instance.compiled += 1
    return instance
  }
  return {
    compile(schema, origin): JsonValidator {
      const instance = instanceFor(dialectOf(schema))
      const validate = compileWith(instance, bareSchema(schema), origin === 'author')
      return toValidator(() => validate)
    },
  }
}
