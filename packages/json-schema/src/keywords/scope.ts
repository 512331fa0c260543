import type { Dialect } from '../dialect.ts'
import type { Place } from '../document.ts'
import type { Counter } from '../limit.ts'
import { compilePattern } from '../pattern.ts'
import type { JsonSchema } from '../types.ts'
import { messageOf } from './messages.ts'
import { type Check, escapePointer, type Routine, type Run, UNREAD } from './run.ts'

/**
 * The evaluated properties or items of a value, as far as they are known when the schema is compiled: none,
 * all, some (by name or number), or a slot in which each run records them. `unevaluatedProperties` and
 * `unevaluatedItems` use this information in the same way as ajv, whose results do not always follow the
 * specification.
 */
export type Evaluated = undefined | true | number | Readonly<Record<string, true>> | Slot

/** The index of a slot in which a run records what is evaluated. */
export class Slot {
  readonly at: number

  constructor(at: number) {
    this.at = at
  }
}

/** A schema while it is being compiled. */
export interface Scope {
  readonly schema: JsonSchema
  readonly dialect: Dialect
  /** The schema from which the routine is compiled. */
  readonly place: Place
  readonly routine: Routine
  readonly baseUri: string
  /** The schema's path, as given in failures. */
  readonly path: string
  /** If true, the schema is one of several alternatives that may fail. */
  readonly isComposite: boolean
  /** If true, the caller needs only the verdict, not the reasons. */
  readonly isSilent: boolean
  /** If true, the value is the name of a property. */
  readonly isName: boolean
  /** If true, the value is the whole value that the routine received. */
  readonly isWhole: boolean
  /** If true, the evaluated properties and items must be recorded. */
  readonly hasUnevaluated: boolean
  props: Evaluated
  items: Evaluated
  /** Compiles a subschema. */
  readonly makePart: (scope: Scope, schema: unknown, options: PartOptions) => Part
  readonly makeRoutine: (place: Place) => Routine
}

/** A compiled subschema, and what is known about the parts of the value that it evaluates. */
export interface Part {
  readonly check: Check
  readonly props: Evaluated
  readonly items: Evaluated
}

export interface PartOptions {
  readonly path: string
  readonly isComposite?: true
  readonly isSilent?: true
  readonly isName?: true
  readonly isWhole?: false
}

/** Keywords whose schemas apply to the value itself. */
const ABOUT_WHOLE = new Set([
  'not',
  'anyOf',
  'oneOf',
  'allOf',
  'if',
  'then',
  'else',
  'dependencies',
  'dependentSchemas',
])

const reachOf = (keyword: string): { isWhole?: false } => (ABOUT_WHOLE.has(keyword) ? {} : { isWhole: false })

type Failing = Omit<Scope, 'schema'> & { readonly schema: JsonSchema | boolean }
type Params = Readonly<Record<string, unknown>>

/**
 * Records a failure that replaces all other failures of the routine, unless the schema is one of several
 * alternatives.
 *
 * @returns false, so that checks can return the result directly
 */
export function fail(run: Run, scope: Failing, keyword: string, data: unknown, params?: Params): false {
  if (!scope.isComposite) run.failures.length = run.base
  return failAfter(run, scope, keyword, data, params)
}

/**
 * Records a failure that results from earlier ones, unless one of them has ended the routine.
 *
 * @returns false, so that checks can return the result directly
 */
export function failAfter(
  run: Run,
  scope: Failing,
  keyword: string,
  data: unknown,
  params: Params = {},
): false {
  if (run.hasEnded) return false
  if (!scope.isComposite) run.hasEnded = true
  const { schema: around, path, isName } = scope
  const schema = typeof around === 'boolean' ? around : around[keyword]
  const isRead = run.explains && !scope.isSilent
  run.counter?.fail(isRead, [path, params, schema])
  if (!isRead) {
    run.failures.push(UNREAD)
    return false
  }
  run.failures.push({
    keyword,
    instancePath: '',
    schemaPath: `${path}/${keyword}`,
    params,
    message: messageOf(keyword, params),
    schema,
    data,
    // The enclosing check of property names fills in the name.
    ...(isName && { propertyName: '' }),
  })
  return false
}

/** Compiles a keyword's schema. */
export function partOf(scope: Scope, keyword: string, options: Omit<PartOptions, 'path'> = {}): Part {
  const path = `${scope.path}/${keyword}`
  return scope.makePart(scope, scope.schema[keyword], { path, ...options, ...reachOf(keyword) })
}

/** Compiles the schema at the given name or index in a keyword. */
export function partAt(scope: Scope, keyword: string, name: string | number, isComposite?: true): Part {
  const parts = scope.schema[keyword] as Readonly<Record<string, unknown>>
  const fragment = encodeURIComponent(escapePointer(String(name)))
  const path = `${scope.path}/${keyword}/${fragment}`
  return scope.makePart(scope, parts[name], {
    path,
    ...(isComposite && { isComposite }),
    ...reachOf(keyword),
  })
}

interface Pattern {
  test(text: string, counter: Counter | undefined): boolean
}

/** Compiles a pattern. If there is a limit, matching the pattern counts steps. */
export function patternOf({ place }: Scope, source: string): Pattern {
  return place.document.counter?.pattern(source) ?? compilePattern(source, 'u')
}
