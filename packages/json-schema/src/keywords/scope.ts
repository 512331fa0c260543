import type { Dialect } from '../dialect.ts'
import type { Place } from '../document.ts'
import type { Counter } from '../limit.ts'
import { compilePattern } from '../pattern.ts'
import type { JsonSchema } from '../types.ts'
import { messageOf } from './messages.ts'
import { type Check, escapePointer, type Routine, type Run, UNREAD } from './run.ts'

/**
 * The evaluated properties or items of a value, as far as they are known when a schema is read: none, all,
 * some by name or number, or a slot in which each run notes them. `unevaluatedProperties` and
 * `unevaluatedItems` build on it as in ajv, whose verdicts are not always the specification's.
 */
export type Evaluated = undefined | true | number | Readonly<Record<string, true>> | Slot

/** A place among what a run has evaluated. */
export class Slot {
  readonly at: number

  constructor(at: number) {
    this.at = at
  }
}

/** A schema while its checks are made. */
export interface Scope {
  readonly schema: JsonSchema
  readonly dialect: Dialect
  /** The schema that the routine is made from. */
  readonly place: Place
  readonly routine: Routine
  readonly baseUri: string
  /** As failures name it. */
  readonly path: string
  /** Whether it is one of several that may fail. */
  readonly isComposite: boolean
  /** Whether nobody reads why it fails. */
  readonly isSilent: boolean
  /** Whether the value is the name of a property. */
  readonly isName: boolean
  /** Whether the value is the one that the routine got, and not a part of it. */
  readonly isWhole: boolean
  /** Whether it has to be known what has been evaluated. */
  readonly hasUnevaluated: boolean
  props: Evaluated
  items: Evaluated
  /** Makes the checks of a part. */
  readonly makePart: (scope: Scope, schema: unknown, options: PartOptions) => Part
  readonly makeRoutine: (place: Place) => Routine
}

/** A part of a schema, with what it evaluates. */
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

/** Keywords whose schemas are about the value itself. */
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
 * A failure that is all there is to say of the routine, unless it is one of several alternatives.
 *
 * @returns false, for checks to return in turn
 */
export function fail(run: Run, scope: Failing, keyword: string, data: unknown, params?: Params): false {
  if (!scope.isComposite) run.failures.length = run.base
  return failAfter(run, scope, keyword, data, params)
}

/** A failure that follows from those before it, unless one of them has ended the routine. @returns false */
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
    // The name comes from the check of names that this one is part of.
    ...(isName && { propertyName: '' }),
  })
  return false
}

/** The part of a schema that a keyword holds. */
export function partOf(scope: Scope, keyword: string, options: Omit<PartOptions, 'path'> = {}): Part {
  const path = `${scope.path}/${keyword}`
  return scope.makePart(scope, scope.schema[keyword], { path, ...options, ...reachOf(keyword) })
}

/** The part of a schema that a keyword holds under a name or an index. */
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

/** A pattern that counts its steps if they are limited. */
export function patternOf({ place }: Scope, source: string): Pattern {
  return place.document.counter?.pattern(source) ?? compilePattern(source, 'u')
}
