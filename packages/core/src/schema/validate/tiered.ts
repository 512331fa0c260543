import type { JsonSchema, JsonSchemaCompiler, JsonValidator } from '../types.ts'
import type { Interpreted } from './interpret.ts'

/** How much a schema is interpreted before it is compiled, in values looked at. docs/design/decisions/validation.md */
const HOT = 50_000

/** Generates code for a schema; fails where that is not allowed. */
export type Generate = (schema: JsonSchema) => Promise<JsonValidator>

interface Tiers {
  /** For schemas that are new. */
  readonly interpret: (schema: JsonSchema, origin: 'author' | 'library') => Interpreted
  /** For schemas that are hot. It is first called when the first one is. */
  readonly generate: Generate
  /** @default 50_000 values looked at */
  readonly hot?: number
}

/** Interprets schemas, and compiles each once that pays. Both give the same verdicts and messages. */
export function createTieredCompiler({ interpret, generate, hot = HOT }: Tiers): JsonSchemaCompiler {
  const promote = createQueue(generate)
  return {
    compile(schema, origin) {
      const interpreted = interpret(schema, origin)
      let compiled: JsonValidator | undefined
      let isQueued = mentionsMetaschema(schema)
      const note = (): void => {
        if (isQueued || interpreted.steps() < hot) return
        isQueued = true
        promote(schema, (validator) => (compiled = validator))
      }
      const use = <T>(check: (validator: JsonValidator) => T): T => {
        if (compiled !== undefined) return checkCompiled(compiled, interpreted, check)
        const result = check(interpreted)
        note()
        return result
      }
      return {
        isValid: (value) => use((validator) => validator.isValid(value)),
        explain: (value) => use((validator) => validator.explain(value)),
      }
    },
  }
}

/** Ajv would need the documents of the dialect, which take more time to compile than such schemas ever save. */
const mentionsMetaschema = (schema: JsonSchema): boolean =>
  JSON.stringify({ ...schema, $schema: undefined }).includes('json-schema.org/')

/** Some values break ajv's code, such as an object with a property `valueOf` where a constant is expected. */
function checkCompiled<T>(
  compiled: JsonValidator,
  interpreted: JsonValidator,
  check: (validator: JsonValidator) => T,
): T {
  try {
    return check(compiled)
  } catch (error) {
    if (error instanceof RangeError) throw error
    return check(interpreted)
  }
}

type Promote = (schema: JsonSchema, done: (validator: JsonValidator) => void) => void

/** Compiles one schema after another, each in a task of its own, so that answers go out in between. */
function createQueue(generate: Generate): Promote {
  const waiting: (() => Promise<void>)[] = []
  let isWorking = false
  const work = async (): Promise<void> => {
    isWorking = true
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      await new Promise((resolve) => setTimeout(resolve, 0))
      await next()
    }
    isWorking = false
  }
  return (schema, done) => {
    if (!canGenerate()) return
    waiting.push(async () => {
      try {
        done(await generate(schema))
      } catch {
        // It stays interpreted.
      }
    })
    if (!isWorking) void work()
  }
}

let isAllowed: boolean | undefined

/** Not on Cloudflare Workers, for one, and not under a Content-Security-Policy without `unsafe-eval`. */
function canGenerate(): boolean {
  if (isAllowed !== undefined) return isAllowed
  try {
    // oxlint-disable-next-line no-new-func, no-new, typescript/no-implied-eval -- whether it can be made is what is asked
    new Function('')
    isAllowed = true
  } catch {
    isAllowed = false
  }
  return isAllowed
}
