import type { Pruning } from '../convert/publish.ts'
import { unknownProperties } from '../convert/strict.ts'
import { asZod, type ZodParse, type ZodSchema } from '../convert/zod.ts'
import { isPromiseLike } from '../../util/promises.ts'
import { fromStandardIssues } from '../issues.ts'
import type {
  CheckedInput,
  CompiledInput,
  CompiledOutput,
  Failed,
  JsonValidator,
  StandardResult,
  StandardSchema,
} from '../types.ts'
import { isJsonFaithful } from './json-faithful.ts'
import { findJsonLoss } from './json-losses.ts'
import { prune, type Fits } from './prune.ts'

type CheckInput = CompiledInput['check']

/** The maximum number of issues that zod describes. */
const MAX_DESCRIBED = 1_000

/** Creates a check that validates arguments against a JSON Schema. */
export const jsonCheck =
  (validator: JsonValidator): CheckInput =>
  (value) =>
    refusalOf(validator, value) ?? { ok: true, value }

/** Creates a check that validates arguments with a schema library. */
export function standardCheck(schema: StandardSchema): CheckInput {
  const parse = limitedParse(schema)
  // The field is read only once, because it is a getter in zod.
  let props: StandardSchema['~standard'] | undefined
  return (value) => {
    props ??= schema['~standard']
    const result = parse === undefined ? props.validate(value) : parse(value)
    if (isPromiseLike(result)) return Promise.resolve(result).then(fromStandardResult)
    return result.issues === undefined ? { ok: true, value: result.value } : fromStandardResult(result)
  }
}

/** Thrown to stop zod, together with the issue that is then reported. */
const TOO_MANY = new RangeError(`has more than ${MAX_DESCRIBED} issues`)
const STOPPED: StandardResult<unknown> = { issues: [TOO_MANY] }
const unlessStopped = (thrown: unknown) => (thrown === TOO_MANY ? STOPPED : Promise.reject(thrown))

type Parsing = ZodSchema & Required<Pick<ZodSchema, 'safeParse' | 'safeParseAsync'>>
const parses = (zod: ZodSchema | undefined): zod is Parsing => zod?.safeParse !== undefined

/**
 * Returns a function that parses with zod 4, and stops when zod has described too many issues. This is needed
 * because a peer determines how many issues there are, and describing an issue costs more than finding it.
 * Returns undefined for schemas of other libraries.
 */
function limitedParse(schema: StandardSchema): StandardSchema['~standard']['validate'] | undefined {
  const zod = asZod(schema)
  if (!parses(zod)) return undefined
  return (value) => {
    let left = MAX_DESCRIBED
    const error = (): void => {
      if (left-- === 0) throw TOO_MANY
    }
    // Reading the issues makes zod describe them.
    const read = ({ data, error: fault }: ReturnType<ZodParse>): StandardResult<unknown> =>
      fault === undefined ? { value: data } : { issues: fault.issues }
    try {
      // A valid value is parsed in this way because with options, `safeParse` takes 20 times as long.
      const run = zod._zod.run?.({ value, issues: [] }, { async: false, error })
      if (run !== undefined && 'issues' in run) {
        if (run.issues.length === 0) return { value: run.value }
        if (run.issues.length > MAX_DESCRIBED) return STOPPED
        // This schema makes zod describe the issues that it has found. Schemas of `zod/mini` validate again.
        const describing = zod.nullable?.().check(({ issues }) => void issues.push(...run.issues))
        if (describing !== undefined) return read(describing.safeParse(null, { error }))
      }
      left = MAX_DESCRIBED
      return read(zod.safeParse(value, { error }))
    } catch (thrown) {
      if (thrown === TOO_MANY) return STOPPED
      // zod throws here if the schema has asynchronous parts.
      return zod.safeParseAsync(value, { error }).then(read).catch(unlessStopped)
    }
  }
}

/**
 * Combines a library's validation, which silently drops unknown properties, with a check of the structure,
 * which reports them.
 */
export const strictCheck =
  (check: CheckInput, structure: JsonValidator): CheckInput =>
  (value) => {
    const unknown = unknownProperties(refusalOf(structure, value)?.issues ?? [])
    const refuse = (checked: CheckedInput): CheckedInput => {
      if (unknown.length === 0) return checked
      return { ok: false, issues: checked.ok ? unknown : [...checked.issues, ...unknown] }
    }
    const checked = check(value)
    return checked instanceof Promise ? checked.then(refuse) : refuse(checked)
  }

function fromStandardResult(result: StandardResult<unknown>): CheckedInput {
  return result.issues === undefined
    ? { ok: true, value: result.value }
    : { ok: false, issues: fromStandardIssues(result.issues) }
}

/** How to drop unknown properties of zod objects from a result, as zod does. */
interface Prunes {
  readonly pruning: Pruning
  readonly zod: ZodSchema
  readonly fits: Fits
}

export function outputCheck(validator: JsonValidator, prunes: Prunes | undefined): CompiledOutput['check'] {
  return (value, json) => {
    if (json === undefined) return failed('is missing')
    try {
      const faithful = isJsonFaithful(value)
      const loss = faithful ? undefined : findJsonLoss(value)
      if (loss !== undefined) return { ok: false, issues: [loss] }
      if (prunes?.pruning !== 'always') {
        // JSON changes some values, so these are parsed back from the JSON. Other values need not be parsed.
        const read: unknown = faithful ? value : JSON.parse(json)
        if (validator.isValid(read)) return { ok: true, json }
        if (prunes === undefined) return { ok: false, issues: validator.explain(read) }
      }
      const copy: unknown = JSON.parse(json)
      const changed = prune(prunes.zod, copy, prunes.fits)
      return refusalOf(validator, copy) ?? { ok: true, json: changed ? JSON.stringify(copy) : json }
    } catch (error) {
      return tooDeep(error)
    }
  }
}

function refusalOf(validator: JsonValidator, value: unknown): Failed | undefined {
  try {
    return validator.isValid(value) ? undefined : { ok: false, issues: validator.explain(value) }
  } catch (error) {
    return tooDeep(error)
  }
}

/**
 * Reports a stack overflow as an invalid value, because with a recursive schema, validation needs more stack
 * for a deeper value.
 */
function tooDeep(error: unknown): Failed {
  if (error instanceof RangeError) return failed('is nested too deeply')
  throw error
}

const failed = (message: string): Failed => ({ ok: false, issues: [{ path: [], message }] })
