import type { _ as Code, Ajv, CodeKeywordDefinition, Options, str as Text } from 'ajv'
import { compilePattern, type Dialect, dialectOf, findDuplicates, FORMATS } from '@jetway/json-schema'
import type { JsonSchema, JsonValidator } from '../types.ts'
import { fromErrors } from './from-errors.ts'

const OPTIONS: Options = {
  // Unknown keywords and formats are annotations, as the specification has them.
  strict: false,
  // A peer's data must not decide how long the validation goes on.
  allErrors: false,
  // Errors carry the schema and the data, which show the alternative that was meant.
  verbose: true,
  // Else `required: ["constructor"]` holds for every object.
  ownProperties: true,
  formats: FORMATS,
  logger: false,
  // Schemas have been checked before they come here, and those that refer to a metaschema do not come.
  meta: false,
  validateSchema: false,
  code: { regExp: Object.assign(compilePattern, { code: 'new RegExp' }) },
}

interface Library {
  readonly _: typeof Code
  readonly str: typeof Text
}
type Create = (options: Options) => Ajv

/** Each dialect loads what it needs, and not the other two. */
const LOAD: Readonly<Record<Dialect, () => Promise<readonly [Library, Create]>>> = {
  'draft-07': async () => {
    const library = await import('ajv')
    // In draft-07 keywords next to a $ref do not count.
    return [library, (options) => new library.Ajv({ ...options, ignoreKeywordsWithRef: true })]
  },
  'draft-2019-09': async () => {
    const library = await import('ajv/dist/2019.js')
    return [library, (options) => new library.Ajv2019(options)]
  },
  'draft-2020-12': async () => {
    const library = await import('ajv/dist/2020.js')
    return [library, (options) => new library.Ajv2020(options)]
  },
}

/** Ajv's own takes time that grows with the square of a list, whose length is the peer's choice. */
function uniqueItems({ _, str }: Library): CodeKeywordDefinition {
  return {
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    before: 'maxContains',
    error: {
      message: ({ params: { i, j } }) =>
        str`must NOT have duplicate items (items ## ${j} and ${i} are identical)`,
      params: ({ params: { i, j } }) => _`{i: ${i}, j: ${j}}`,
    },
    code(context) {
      if (context.schema !== true) return
      const find = context.gen.scopeValue('func', { ref: findDuplicates })
      const pair = context.gen.const('pair', _`${find}(${context.data})`)
      context.setParams({ i: _`${pair}[1]`, j: _`${pair}[0]` })
      context.fail(_`${pair} !== undefined`)
    },
  }
}

async function createInstances(dialect: Dialect): Promise<() => Ajv> {
  const [library, create] = await LOAD[dialect]()
  return () => create(OPTIONS).removeKeyword('uniqueItems').addKeyword(uniqueItems(library))
}

/** Ajv keeps what it has compiled for good; a server that keeps replacing tools would grow without end. */
const RETIRE_AFTER = 500
const KEY = 'jetway:schema'

interface Instance {
  readonly create: () => Ajv
  ajv: Ajv
  compiled: number
}

const instances = new Map<Dialect, Promise<Instance>>()

async function instanceFor(dialect: Dialect): Promise<Instance> {
  const known = instances.get(dialect)
  if (known !== undefined) return known
  const made = createInstances(dialect).then((create) => ({ create, ajv: create(), compiled: 0 }))
  instances.set(dialect, made)
  return made
}

/**
 * Loads ajv when it is first called.
 *
 * @throws Error where code cannot be generated, and for what is no valid schema
 */
export async function compileWithAjv(schema: JsonSchema): Promise<JsonValidator> {
  const instance = await instanceFor(dialectOf(schema))
  if (instance.compiled++ >= RETIRE_AFTER) Object.assign(instance, { ajv: instance.create(), compiled: 1 })
  const { ajv } = instance
  try {
    // Ajv would look the dialect's URI up. With `$async`, which is its own keyword, it would answer with a promise.
    const { $schema: _, $async: __, ...bare } = schema
    const validate = ajv.addSchema(bare, KEY).getSchema(KEY)
    if (validate === undefined) throw new Error('it does not compile')
    return {
      isValid: (value) => validate(value) as boolean,
      explain: (value) => (validate(value) ? [] : fromErrors(validate.errors ?? [])),
    }
  } finally {
    // Two schemas with one `$id` would share the first one's validator, and each could refer to parts of the other.
    for (const key of [...Object.keys(ajv.schemas), ...Object.keys(ajv.refs)]) ajv.removeSchema(key)
  }
}
