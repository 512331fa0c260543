import type { Ajv, Options } from 'ajv'
import { Ajv as AjvDraft07 } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import {
  compilePattern,
  type Dialect,
  dialectOf,
  FORMATS,
  type JsonSchema,
  type ValidationError,
  type Validator,
} from '@jetway/json-schema'

const OPTIONS: Options = {
  strict: false,
  verbose: true,
  ownProperties: true,
  formats: FORMATS,
  logger: false,
  code: { regExp: Object.assign(compilePattern, { code: 'new RegExp' }) },
}

const CREATE: Readonly<Record<Dialect, () => Ajv>> = {
  'draft-07': () => new AjvDraft07({ ...OPTIONS, ignoreKeywordsWithRef: true }),
  'draft-2019-09': () => new Ajv2019(OPTIONS),
  'draft-2020-12': () => new Ajv2020(OPTIONS),
}

interface Instance {
  readonly ajv: Ajv
  /** The dialect's metaschemas. */
  readonly own: ReadonlySet<string>
}

const instances = new Map<Dialect, Instance>()
const keysOf = ({ schemas, refs }: Ajv): string[] => [...Object.keys(schemas), ...Object.keys(refs)]

function instanceFor(dialect: Dialect): Instance {
  const known = instances.get(dialect)
  if (known !== undefined) return known
  const ajv = CREATE[dialect]()
  const made = { ajv, own: new Set(keysOf(ajv)) }
  instances.set(dialect, made)
  return made
}

/**
 * Creates a validator that uses only ajv.
 *
 * @throws Error for an invalid schema
 */
export function ajvAlone(schema: JsonSchema): Judge {
  const { ajv, own } = instanceFor(dialectOf(schema))
  // These two keywords are removed because ajv would look up the URI of the dialect, and return a promise for
  // `$async`.
  const { $schema: _, $async: __, ...bare } = schema
  try {
    const validate = ajv.addSchema(bare, 'jetway:schema').getSchema('jetway:schema')!
    return {
      isValid: (value) => validate(value) as boolean,
      errors: (value) => (validate(value) ? [] : ((validate.errors ?? []) as ValidationError[])),
    }
  } finally {
    for (const key of keysOf(ajv)) if (!own.has(key)) ajv.removeSchema(key)
  }
}

type Judge = Pick<Validator, 'isValid' | 'errors'>

/** The verdict and the errors, or the name of the error that was thrown. */
export type Outcome =
  | { readonly valid: boolean; readonly errors: readonly object[] }
  | { readonly thrown: string }

export function outcomeOf(judge: Judge, value: unknown): Outcome {
  try {
    return { valid: judge.isValid(value), errors: judge.errors(value).map(comparable) }
  } catch (error) {
    return { thrown: (error as Error).name }
  }
}

/**
 * Removes differences that do not matter: ajv may name another pair of equal items, and adds a property to
 * errors.
 */
function comparable(given: ValidationError & { readonly parentSchema?: unknown }): object {
  const { parentSchema: _, ...error } = given
  return error.keyword === 'uniqueItems' ? { ...error, params: {}, message: '' } : error
}
