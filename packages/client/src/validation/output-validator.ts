import { type CallToolResult, describeIssues, isObject, type JsonObject } from '@jetway/core/protocol'
import { OutputMismatchError } from '../errors.ts'
import { BoundedMap } from '../util/bounded-map.ts'

type Check = (value: unknown) => string | undefined

/** The maximum depth of objects and lists in a schema. */
const MAX_DEPTH = 64
/** The maximum number of objects in a schema. */
const MAX_PARTS = 4_000
/**
 * The maximum number of steps in one validation, which correspond to up to 0.1 s. A value that fails is
 * validated twice.
 */
const MAX_STEPS = 400_000

/** The limits of the cache of compiled schemas. The weight of a schema is the length of its text. */
const CACHE = { maxEntries: 200, maxWeight: 16 * 1024 * 1024, weigh: (text: string): number => text.length }

/**
 * Validates structured results against their tools' schemas. A schema that does not compile, or whose
 * validation takes too many steps, is reported once and then no longer used.
 */
export class OutputValidator {
  readonly #onError: (error: Error) => void
  /** The compiled schemas, keyed by their text, so that a tool that is listed again is not compiled again. */
  readonly #compiled = new BoundedMap<string, Promise<Check | undefined>>(CACHE)

  constructor(onError: (error: Error) => void) {
    this.#onError = onError
  }

  /** Validates a result. @throws OutputMismatchError */
  async check(tool: string, schema: JsonObject | undefined, result: CallToolResult): Promise<void> {
    if (schema === undefined || result.isError === true || result.structuredContent === undefined) return
    const text = JSON.stringify(schema)
    const compiled = this.#compiled.get(text) ?? compile(schema)
    this.#compiled.set(text, compiled)
    let problem: string | undefined
    try {
      problem = (await compiled)?.(result.structuredContent)
    } catch (cause) {
      // Concurrent calls do not report the problem again.
      if (this.#compiled.get(text) === compiled) this.#drop(tool, text, cause)
    }
    if (problem !== undefined) throw new OutputMismatchError(tool, problem, result)
  }

  #drop(tool: string, text: string, cause: unknown): void {
    this.#compiled.set(text, Promise.resolve(undefined))
    const problem = cause instanceof Error ? cause.message : String(cause)
    const why = cause instanceof RangeError ? 'it is nested too deeply' : problem
    this.#onError(new Error(`The outputSchema of the tool ${tool} is not used: ${why}`, { cause }))
  }
}

/** Compiles a schema. @throws Error if it is invalid or too costly */
async function compile(schema: JsonObject): Promise<Check> {
  limitParts(schema, 0, { parts: 0 })
  const { interpret, maxSteps } = await import('@jetway/core/schema')
  const validator = interpret(schema, 'author', maxSteps(MAX_STEPS))
  return (value) => (validator.isValid(value) ? undefined : describeIssues(validator.explain(value), 3))
}

/** Checks the size of a schema. @throws Error if it is too large */
function limitParts(value: unknown, depth: number, seen: { parts: number }): void {
  if (!isObject(value) && !Array.isArray(value)) return
  if (depth > MAX_DEPTH) throw new Error(`it is nested more than ${MAX_DEPTH} deep`)
  if (isObject(value) && ++seen.parts > MAX_PARTS) throw new Error(`it has more than ${MAX_PARTS} parts`)
  for (const child of Object.values(value)) limitParts(child, depth + 1, seen)
}
