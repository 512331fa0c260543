import type { _ as Code, Ajv, CodeKeywordDefinition, Options } from 'ajv'
import { compilePattern, type Dialect, dialectOf, findDuplicates, FORMATS } from '@jetway/json-schema'
import type { JsonSchema } from '../types.ts'

const createOptions = (): Options => ({
  // Unknown keywords and formats are annotations, as in the specification.
  strict: false,
  // Validation stops at the first error, because data from a peer must not determine how long it takes.
  allErrors: false,
  // This is off, because the interpreter explains the issues.
  messages: false,
  // Otherwise, every object would satisfy `required: ["constructor"]`.
  ownProperties: true,
  formats: FORMATS,
  logger: false,
  // Schemas have already been checked, and schemas that refer to a metaschema are never compiled.
  meta: false,
  validateSchema: false,
  code: { regExp: Object.assign(compilePattern, { code: 'new RegExp' }) },
})

interface Library {
  readonly _: typeof Code
}
type Create = (options: Options) => Ajv

/** The functions that load the library for each dialect. A library is loaded only if its dialect is used. */
const LOAD: Readonly<Record<Dialect, () => Promise<readonly [Library, Create]>>> = {
  'draft-07': async () => {
    const library = await import('ajv')
    // In draft-07, keywords next to a `$ref` are ignored.
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

/**
 * Replaces ajv's own check, whose time is quadratic in the length of a list, because the peer chooses that
 * length.
 */
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
 * Loads ajv on the first call. Each schema has its own instance, because two schemas with the same `$id` would
 * otherwise share the first schema's code. An instance costs 0.3 ms and 2 KiB.
 *
 * @throws Error if code cannot be generated, and for an invalid schema
 */
export async function compileWithAjv(schema: JsonSchema): Promise<(value: unknown) => boolean> {
  const [library, create] = await LOAD[dialectOf(schema)]()
  // `$schema` is removed because ajv would try to resolve the dialect's URI. `$async` is removed because in ajv,
  // this keyword makes validation return a promise.
  const { $schema: _, $async: __, ...bare } = schema
  const ajv = create(createOptions()).removeKeyword('uniqueItems').addKeyword(uniqueItems(library))
  // This is the base URI for relative references, as in the interpreter.
  const validate = ajv.addSchema(bare, 'jetway:schema').getSchema('jetway:schema')
  if (validate === undefined) throw new Error('it does not compile')
  return (value) => validate(value) as boolean
}
