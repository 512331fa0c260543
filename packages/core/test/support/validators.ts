import type { Ajv, Options } from 'ajv'
import { Ajv as AjvDraft07 } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { compilePattern, type Dialect, dialectOf, FORMATS } from '@jetway/json-schema'
import type { Issue, JsonSchema, JsonValidator } from '../../src/schema/types.ts'
import { fromErrors } from '../../src/schema/validate/from-errors.ts'

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
  /** Its metaschemas. */
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

/** What ajv alone makes of a schema. @throws Error for what is no valid schema */
export function ajvAlone(schema: JsonSchema): JsonValidator {
  const { ajv, own } = instanceFor(dialectOf(schema))
  const { $schema: _, $async: __, ...bare } = schema
  try {
    const validate = ajv.addSchema(bare, 'jetway:schema').getSchema('jetway:schema')!
    return {
      isValid: (value) => validate(value) as boolean,
      explain: (value) => (validate(value) ? [] : fromErrors(validate.errors ?? [])),
    }
  } finally {
    for (const key of keysOf(ajv)) if (!own.has(key)) ajv.removeSchema(key)
  }
}

/** The verdict of compiled code, or that there is none. */
export function verdictOf(isValid: (value: unknown) => boolean, value: unknown): boolean | string {
  try {
    return isValid(value)
  } catch (error) {
    return (error as Error).name
  }
}

/** The part of an outcome that compiled code gives. */
export const verdictIn = (outcome: Outcome): boolean | string =>
  'valid' in outcome ? outcome.valid : outcome.thrown

/** A verdict and what is said of it, or why there is none. */
export type Outcome =
  | { readonly valid: boolean; readonly issues: readonly Issue[] }
  | { readonly thrown: string }

export function outcomeOf(validator: JsonValidator, value: unknown): Outcome {
  try {
    return { valid: validator.isValid(value), issues: validator.explain(value).map(withoutPair) }
  } catch (error) {
    return { thrown: (error as Error).name }
  }
}

/** Which of several equal items are named first is our own choice. */
function withoutPair({ path, message }: Issue): Issue {
  return { path, message: message.replaceAll(/## \d+ and \d+/g, '## … and …') }
}
