import { fromStandardIssues } from '../issues.ts'
import { isJsonFaithful } from './json-faithful.ts'
import { prune, type Fits } from './prune.ts'
import type { Pruning } from '../convert/publish.ts'
import { unknownProperties } from '../convert/strict.ts'
import type {
  CheckedInput,
  CheckedOutput,
  CompiledInput,
  CompiledOutput,
  Failed,
  Issue,
  JsonSchema,
  JsonValidator,
  StandardResult,
  StandardSchema,
} from '../types.ts'
import type { ZodSchema } from '../convert/zod.ts'

/** Arguments that a JSON Schema checks. */
export function jsonInput(jsonSchema: JsonSchema, validator: JsonValidator): CompiledInput {
  return {
    jsonSchema,
    check: (value) =>
      contained<CheckedInput>(() =>
        validator.isValid(value) ? { ok: true, value } : { ok: false, issues: validator.explain(value) },
      ),
  }
}

/** Arguments that a library checks. */
export function standardInput(jsonSchema: JsonSchema, schema: StandardSchema): CompiledInput {
  return { jsonSchema, check: standardCheck(schema) }
}

/** Arguments that a library checks, whose JSON Schema is made when it is first read. */
export function deferredInput(schema: StandardSchema, compile: () => CompiledInput): CompiledInput {
  let compiled: CompiledInput | undefined
  return {
    get jsonSchema() {
      return (compiled ??= compile()).jsonSchema
    },
    isDeferred: true,
    check: standardCheck(schema),
  }
}

function standardCheck(schema: StandardSchema): CompiledInput['check'] {
  // Looked up once: in zod it is a getter.
  let props: StandardSchema['~standard'] | undefined
  return (value) => {
    props ??= schema['~standard']
    const result = props.validate(value)
    return isThenable(result) ? Promise.resolve(result).then(fromStandardResult) : fromStandardResult(result)
  }
}

/** The library's own check, and one by a structure for what it would let fall without a word. */
export function strictInput(open: CompiledInput, structure: JsonValidator): CompiledInput {
  const refuse = (checked: CheckedInput, unknown: readonly Issue[]): CheckedInput => {
    if (unknown.length === 0) return checked
    return { ok: false, issues: checked.ok ? unknown : [...checked.issues, ...unknown] }
  }
  return {
    jsonSchema: open.jsonSchema,
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

/** A result's check that is made, with its JSON Schema, when either is first needed. */
export function deferredOutput(compile: () => CompiledOutput): CompiledOutput {
  let compiled: CompiledOutput | undefined
  const made = (): CompiledOutput => (compiled ??= compile())
  return {
    get jsonSchema() {
      return made().jsonSchema
    },
    check: (value, json) => made().check(value, json),
  }
}

export function plainOutput(jsonSchema: JsonSchema, validator: JsonValidator): CompiledOutput {
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

/** Where unknown properties of zod objects are dropped, as zod would. */
export function prunedOutput(
  {
    jsonSchema,
    pruning,
    zod,
  }: { jsonSchema: JsonSchema; pruning: Exclude<Pruning, 'never'>; zod: ZodSchema },
  validator: JsonValidator,
  fits: Fits,
): CompiledOutput {
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
