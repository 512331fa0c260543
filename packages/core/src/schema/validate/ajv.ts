import type { _ as Code, Ajv, CodeKeywordDefinition, Options } from 'ajv'
import { compilePattern, type Dialect, dialectOf, findDuplicates, FORMATS } from '@jetway/json-schema'
import type { JsonSchema } from '../types.ts'

const OPTIONS: Options = {
  // Unknown keywords and formats are annotations, as the specification has them.
  strict: false,
  // A peer's data must not decide how long the validation goes on.
  allErrors: false,
  // The interpreter explains.
  messages: false,
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
function uniqueItems({ _ }: Library): CodeKeywordDefinition {
  return {
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    before: 'maxContains',
    code(context) {
      if (context.schema !== true) return
      const find = context.gen.scopeValue('func', { ref: findDuplicates })
      context.fail(_`${find}(${context.data}) !== undefined`)
    },
  }
}

/**
 * Loads ajv when it is first called. Each schema gets an instance, since two schemas with one `$id` would
 * share the first one's code. That costs 0.3 ms and 2 KiB.
 *
 * @throws Error where code cannot be generated, and for what is no valid schema
 */
export async function compileWithAjv(schema: JsonSchema): Promise<(value: unknown) => boolean> {
  const [library, create] = await LOAD[dialectOf(schema)]()
  // Ajv would look the dialect's URI up. With `$async`, which is its own keyword, it
  // would answer with a promise.
  const { $schema: _, $async: __, ...bare } = schema
  const ajv = create(OPTIONS).removeKeyword('uniqueItems').addKeyword(uniqueItems(library))
  // The base of relative references, as in the interpreter.
  const validate = ajv.addSchema(bare, 'jetway:schema').getSchema('jetway:schema')
  if (validate === undefined) throw new Error('it does not compile')
  return (value) => validate(value) as boolean
}
