import type { CompileJsonSchema, JsonSchema } from '../types.ts'
import type { Interpreted } from './interpret.ts'

/** The number of checked values after which a schema is compiled. See docs/design/decisions/validation.md. */
const HOT = 50_000

/** Generates code that decides whether a value is valid. Rejects if code cannot be generated. */
type Generate = (schema: JsonSchema) => Promise<IsValid>
type IsValid = (value: unknown) => boolean

interface Tiers {
  /** The interpreter, which is used for new schemas. */
  readonly interpret: (schema: JsonSchema, origin: 'author' | 'library') => Interpreted
  /** The compiler, which is used for schemas that are used often. */
  readonly generate: Generate
  /** The number of checked values after which a schema is compiled. @default 50_000 */
  readonly hot?: number
}

/**
 * Interprets schemas, and compiles a schema once it is used so often ("hot") that compiling it pays off. Both
 * methods give the same result. Only the interpreter explains why a value is invalid, so messages do not
 * change when a schema becomes hot.
 */
export function createTieredCompiler({ interpret, generate, hot = HOT }: Tiers): CompileJsonSchema {
  const promote = createQueue(generate)
  return (schema, origin) => {
    const interpreted = interpret(schema, origin)
    let compiled: IsValid | undefined
    let isQueued = mentionsMetaschema(schema)
    return {
      isValid(value) {
        if (compiled !== undefined) return checkCompiled(compiled, interpreted, value)
        const isValid = interpreted.isValid(value)
        if (!isQueued && interpreted.steps() >= hot) {
          isQueued = true
          promote(schema, (generated) => (compiled = generated))
        }
        return isValid
      },
      explain: (value) => interpreted.explain(value),
    }
  }
}

/**
 * Returns whether a schema refers to a metaschema. If so, ajv would also have to compile the dialect's
 * documents, which takes more time than it saves.
 */
const mentionsMetaschema = (schema: JsonSchema): boolean =>
  JSON.stringify({ ...schema, $schema: undefined }).includes('json-schema.org/')

/**
 * Uses the interpreter for values that make ajv's code throw, such as an object with a property `valueOf` where
 * a constant is expected.
 */
function checkCompiled(isValid: IsValid, interpreted: Interpreted, value: unknown): boolean {
  try {
    return isValid(value)
  } catch (error) {
    if (error instanceof RangeError) throw error
    return interpreted.isValid(value)
  }
}

/** Compiles schemas one at a time, each in a separate task, so that responses can be sent in between. */
function createQueue(generate: Generate): (schema: JsonSchema, use: (generated: IsValid) => void) => void {
  let last: Promise<unknown> = Promise.resolve()
  return (schema, use) => {
    if (!canGenerate()) return
    last = last
      .then(() => new Promise((resolve) => setTimeout(resolve, 0)))
      .then(() => generate(schema))
      // A schema that cannot be compiled continues to be interpreted.
      .then(use, () => {})
  }
}

let isAllowed: boolean | undefined

/**
 * Returns whether code can be generated. For example, it cannot be generated on Cloudflare Workers, or under
 * a Content-Security-Policy without `unsafe-eval`.
 */
function canGenerate(): boolean {
  try {
    // oxlint-disable-next-line no-new-func, typescript/no-implied-eval -- the only way to know
    isAllowed ??= Boolean(new Function(''))
  } catch {
    isAllowed = false
  }
  return isAllowed
}
