import { type Dialect, dialectOf } from './dialect.ts'
import { createDocument, type Place } from './document.ts'
import { metaschemasOf } from './metaschemas.ts'
import { refuseLoops } from './keywords/loops.ts'
import type { Failure, Routine, Run } from './keywords/run.ts'
import { makeRoutine } from './keywords/subschema.ts'
import type { StepLimit } from './limit.ts'
import type { JsonSchema, Validator, ValidatorOptions } from './types.ts'
import { withoutEmptyFragment } from './uri.ts'

/**
 * Creates a validator for a schema. The validator walks through the schema and generates no code, so it works
 * where `new Function` is forbidden. Its results and errors are the same as those of ajv with the options
 * `allErrors` and `strict` off and `ownProperties` on. Unknown keywords and formats are treated as annotations.
 * Nothing is fetched: references can refer only to the schema itself or to a metaschema of its dialect.
 *
 * @throws Error for a schema that is invalid, has an unknown dialect, or contains a reference that cannot be
 * resolved or that leads back to its own schema with the same value; with a limit, also for patterns with
 * backreferences or lookbehinds
 * @throws StepLimitError if its creation exceeds the limit
 */
export function createValidator(
  schema: JsonSchema,
  { validateSchema = true, limit }: ValidatorOptions = {},
): Validator {
  const dialect = dialectOf(schema)
  // Do not count steps inside a metaschema.
  const metaschemas = (uri: string): Place | string | undefined =>
    limit === undefined && uri.includes('//json-schema.org/') ? libraryOf(dialect).byUri.get(uri) : undefined
  const document = createDocument(schema, dialect, metaschemas, limit?.start())
  if (validateSchema) checkSchema(schema, dialect, limit)
  const routine = makeRoutine(document.root)
  refuseLoops(document.routines)
  let steps = 0
  return {
    isValid(value) {
      const run = startRun(false, limit)
      const isValid = routine.check(value, run) !== false
      steps += run.steps
      return isValid
    },
    errors: (value) => failuresOf(routine, value, limit),
    steps: () => steps,
  }
}

function failuresOf(routine: Routine, value: unknown, limit: StepLimit | undefined): Failure[] {
  const run = startRun(true, limit)
  return routine.check(value, run) === false ? run.failures : []
}

function startRun(explains: boolean, limit: StepLimit | undefined): Run {
  return {
    failures: [],
    explains,
    anchors: new Map(),
    evaluated: [],
    base: 0,
    hasEnded: false,
    steps: 1,
    counter: limit?.start(),
  }
}

/** @throws Error for a schema that is invalid in its own dialect */
function checkSchema(schema: JsonSchema, dialect: Dialect, limit: StepLimit | undefined): void {
  const [whole] = libraryOf(dialect).documents
  const failures = failuresOf((whole!.routine ??= makeRoutine(whole!)), schema, limit)
  if (failures.length === 0) return
  const problems = failures.map(({ instancePath, message }) => `data${instancePath} ${message}`)
  throw new Error(`schema is invalid: ${problems.join(', ')}`)
}

interface Library {
  readonly documents: readonly Place[]
  readonly byUri: ReadonlyMap<string, Place | string>
}

const libraries = new Map<Dialect, Library>()

/**
 * Returns the documents of a dialect. They are created when an author's schema is first checked against them
 * or first refers to one.
 */
function libraryOf(dialect: Dialect): Library {
  let library = libraries.get(dialect)
  if (library === undefined) {
    const byUri = new Map<string, Place | string>()
    const documents = metaschemasOf(dialect).map((schema) => {
      const { root } = createDocument(schema, dialect, (uri) => byUri.get(uri))
      byUri.set(root.baseUri, root)
      return root
    })
    byUri.set('http://json-schema.org/schema', withoutEmptyFragment(documents[0]!.baseUri))
    library = { documents, byUri }
    libraries.set(dialect, library)
  }
  return library
}
