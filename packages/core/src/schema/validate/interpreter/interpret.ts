import { type Dialect, dialectOf } from '../../convert/dialect.ts'
import type { JsonSchema, JsonSchemaCompiler, JsonValidator } from '../../types.ts'
import { bareSchema } from '../bare-schema.ts'
import { fromFailures } from '../failures.ts'
import { createDocument, type Metaschemas, type Place, type SchemaNode } from './document.ts'
import { metaschemasOf } from './metaschemas.ts'
import { call, type Failure, type Routine, startRun } from './run.ts'
import { makeRoutine } from './subschema.ts'
import { withoutEmptyFragment } from './uri.ts'

/** A validator that tells how much it has done. */
export interface Interpreted extends JsonValidator {
  /** How many values it has looked at so far, about. */
  steps(): number
}

/**
 * Checks values by walking through the schema, without generating code, with the verdicts and the messages of ajv. Schemas
 * cost next to nothing to make ready, and it works where `new Function` does not.
 *
 * @throws Error with a readable message
 */
export function interpret(schema: JsonSchema, origin: 'author' | 'library'): Interpreted {
  const dialect = dialectOf(schema)
  const document = createDocument(bareSchema(schema), dialect, metaschemasFor(dialect))
  if (origin === 'author') checkSchema(document.root.schema as SchemaNode, dialect)
  const routine = makeRoutine(document.root)
  let steps = 0
  return {
    isValid(value) {
      const run = startRun(false)
      const isValid = call(routine, value, run)
      steps += run.steps
      return isValid
    },
    explain: (value) => fromFailures(failuresOf(routine, value)),
    steps: () => steps,
  }
}

export const interpreter: JsonSchemaCompiler = { compile: interpret }

function failuresOf(routine: Routine, value: unknown): Failure[] {
  const run = startRun(true)
  return call(routine, value, run) ? [] : run.failures
}

/** @throws Error for what is no schema of the dialect */
function checkSchema(schema: JsonSchema, dialect: Dialect): void {
  const [whole] = libraryOf(dialect).documents
  const failures = failuresOf((whole!.routine ??= makeRoutine(whole!)), schema)
  if (failures.length === 0) return
  const problems = failures.map(({ instancePath, message }) => `data${instancePath} ${message}`)
  throw new Error(`schema is invalid: ${problems.join(', ')}`)
}

interface Library {
  readonly documents: readonly Place[]
  readonly byUri: ReadonlyMap<string, Place | string>
}

const libraries = new Map<Dialect, Library>()

/** Made when a schema of an author is first checked, or first refers to a document of its dialect. */
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

const metaschemasFor =
  (dialect: Dialect): Metaschemas =>
  (uri) =>
    uri.includes('//json-schema.org/') ? libraryOf(dialect).byUri.get(uri) : undefined
