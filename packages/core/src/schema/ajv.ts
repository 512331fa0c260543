import { Ajv, type Options, type ValidateFunction } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { fullFormats } from 'ajv-formats/dist/formats.js'

import { dialectOf, type Dialect } from './dialect.ts'
import { fromFailures } from './failures.ts'
import type { JsonSchema, JsonSchemaCompiler, JsonValidator } from './types.ts'

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
  formats: fullFormats,
  logger: false,
  code: { regExp: Object.assign(compilePattern, { code: 'new RegExp' }) },
}

const CONSTRUCTORS: { readonly [D in Dialect]: () => Ajv } = {
  'draft-2020-12': () => new Ajv2020(OPTIONS),
  'draft-2019-09': () => new Ajv2019(OPTIONS),
  // In draft-07 whatever stands beside a $ref does not count.
  'draft-07': () => new Ajv({ ...OPTIONS, ignoreKeywordsWithRef: true }),
}

/** What ajv has compiled stays in its scope for good; a server that keeps replacing tools would grow without end. */
const RETIRE_AFTER = 500
const KEY = 'jetway:schema'

interface Instance {
  readonly ajv: Ajv
  readonly builtIn: ReadonlySet<string>
  compiled: number
}

const instances = new Map<Dialect, Instance>()

function instanceFor(dialect: Dialect): Instance {
  let instance = instances.get(dialect)
  if (instance === undefined || instance.compiled >= RETIRE_AFTER) {
    const ajv = CONSTRUCTORS[dialect]()
    instance = { ajv, builtIn: new Set([...Object.keys(ajv.schemas), ...Object.keys(ajv.refs)]), compiled: 0 }
    instances.set(dialect, instance)
  }
  instance.compiled += 1
  return instance
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
    // No loader is given, so a $ref to anything outside the schema fails here, and nothing is ever fetched.
    instance.ajv.addSchema(schema, KEY, false, checkSchema)
    const validate = instance.ajv.getSchema(KEY)
    if (validate === undefined) throw new Error('it does not compile')
    return validate
  } finally {
    forget(instance)
  }
}

/** The one place that knows ajv. Its instances, one per dialect, are made when first needed and shared by all. */
export const ajvCompiler: JsonSchemaCompiler = {
  compile(schema, origin): JsonValidator {
    const dialect = dialectOf(schema)
    // The dialect has been chosen; ajv would look the URI up, and know it only as spelled by its own metaschema.
    // `$async` is ajv's own, and would turn the answer into a promise.
    const { $schema: _, $async: __, ...rest } = schema
    const validate = compileWith(instanceFor(dialect), rest, origin === 'author')
    return {
      isValid: (value) => validate(value),
      explain: (value) => (validate(value) ? [] : fromFailures(validate.errors ?? [])),
    }
  },
}
