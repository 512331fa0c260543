import { isNode, type Place, type SchemaOrBoolean } from '../document.ts'
import type { JsonSchema } from '../types.ts'
import { resolveUri, splitUri, withoutEmptyFragment } from '../uri.ts'
import { GROUPS, hasRules, isOnlyReference, isUsed } from './rules.ts'
import type { Check, Routine, Run } from './run.ts'
import { fail, type Part, type PartOptions, type Scope, Slot } from './scope.ts'
import { KEYWORDS } from './table.ts'

/** @throws Error with a readable message for a schema that cannot be compiled */
export function makeRoutine(place: Place): Routine {
  const { document, schema, baseUri } = place
  for (const open of document.open)
    if (open.schema === schema && open.baseUri === baseUri) return open.routine!
  const routine: Routine = {
    check: () => true,
    slots: 0,
    props: undefined,
    items: undefined,
    isDynamic: { props: false, items: false },
    isComplete: false,
    onward: [],
  }
  place.routine = routine
  document.routines.push(routine)
  document.open.add(place)
  try {
    const part = makeSchema(
      {
        dialect: document.dialect,
        place,
        routine,
        baseUri: baseUri === '' ? `${splitUri(document.root.baseUri).document}#` : baseUri,
        path: '#',
        isComposite: false,
        isSilent: false,
        isName: false,
        isWhole: true,
        hasUnevaluated: document.hasUnevaluated,
        makePart,
        makeRoutine,
      },
      schema,
    )
    complete(routine, part, document.hasUnevaluated)
  } finally {
    document.open.delete(place)
  }
  return routine
}

function complete(routine: Routine, { check, props, items }: Part, hasUnevaluated: boolean): void {
  routine.check = check
  routine.isComplete = true
  if (!hasUnevaluated) return
  routine.isDynamic.props = props instanceof Slot
  routine.isDynamic.items = items instanceof Slot
  routine.props = props instanceof Slot ? undefined : props
  routine.items = items instanceof Slot ? undefined : items
  if (!(props instanceof Slot) && !(items instanceof Slot)) return
  routine.check = (data, run) => {
    if (check(data, run) === false) return false
    if (props instanceof Slot) routine.props = run.evaluated[props.at]
    if (items instanceof Slot) routine.items = run.evaluated[items.at]
    return true
  }
}

type Surroundings = Omit<Scope, 'schema' | 'props' | 'items'>

function makeSchema(around: Surroundings, schema: SchemaOrBoolean): Part {
  const { counter, hasUnevaluated, root } = around.place.document
  counter?.make(schema)
  const nothing = { props: undefined, items: undefined }
  if (schema === false)
    return {
      check: (data, run) => fail(run, { ...around, schema, ...nothing }, 'false schema', data),
      ...nothing,
    }
  if (typeof schema === 'boolean' || !hasRules(schema, around.dialect))
    return { check: () => true, ...nothing }
  const scope: Scope = { ...around, schema, ...nothing }
  const check = makeChecks(scope)
  const noted = hasUnevaluated ? (root.schema as JsonSchema) : undefined
  return { check: counter?.counted(check, schema, noted) ?? check, props: scope.props, items: scope.items }
}

function makePart(scope: Scope, schema: unknown, options: PartOptions): Part {
  const { schema: _, props: __, items: ___, ...around } = scope
  const part = schema as SchemaOrBoolean
  const id = isNode(part) && hasRules(part, scope.dialect) ? part['$id'] : undefined
  const baseUri = typeof id === 'string' ? resolveUri(scope.baseUri, withoutEmptyFragment(id)) : scope.baseUri
  if (isNode(part) && part['$async']) throw new Error('async schema in sync schema')
  return makeSchema({ ...around, baseUri, ...options }, part)
}

function makeChecks(scope: Scope): Check {
  const { schema, dialect, isComposite } = scope
  const types = typesOf(schema)
  const groups = GROUPS[dialect].filter((group) => isUsed(schema, group))
  // With a single type, the group of keywords for that type checks the type. It comes after the keywords that
  // apply to any type.
  const isLate = types.length === 1 && groups.some(({ type }) => type === types[0])
  const ofType = types.length === 0 || isLate ? undefined : typeCheck(scope, types)
  // In draft-07, keywords next to a reference are ignored.
  const isReference = isOnlyReference(dialect === 'draft-07' ? { $ref: schema['$ref'] } : schema, dialect)
  const made = isReference
    ? [keywordCheck(scope, '$ref', undefined)]
    : groups.map((group) => groupCheck(scope, group, isLate && group.type === types[0]))
  const checks = made.filter((check) => check !== undefined)
  const all = inTurn(checks)
  if (ofType === undefined) return all
  if (!isComposite) return checks.length === 0 ? ofType : (data, run) => ofType(data, run) && all(data, run)
  // If the schema is one of several alternatives, ajv also reports failures of the keywords for any type if the
  // value has the wrong type.
  const first = made[0]
  return (data, run) => {
    if (ofType(data, run)) return all(data, run)
    first?.(data, run)
    return false
  }
}

function typeCheck(scope: Scope, types: readonly string[]): Check {
  if (types.length === 1) return groupCheck(scope, { type: types[0], keywords: [] }, true)!
  return (data, run) => types.some((type) => isOfType(data, type)) || refuseType(scope, data, run)
}

/**
 * Returns a single function that checks the type and all keywords in the group, because every value passes
 * through it.
 */
function groupCheck(
  scope: Scope,
  { type, keywords }: { readonly type: string | undefined; readonly keywords: readonly string[] },
  checksType: boolean,
): Check | undefined {
  const checks = keywords.flatMap((keyword) =>
    scope.schema[keyword] === undefined ? [] : (keywordCheck(scope, keyword, type) ?? []),
  )
  if (checks.length === 0 && !checksType) return undefined
  // `patternProperties` may let the check continue after a failure.
  const mayGoOn = type === 'object' && scope.schema['patternProperties'] !== undefined
  return (data, run) => {
    if (type !== undefined && !isOfType(data, type)) return !checksType || refuseType(scope, data, run)
    const start = run.failures.length
    for (const check of checks) {
      const passed = check(data, run)
      if (passed === false) return false
      if (passed === undefined) break
    }
    return !mayGoOn || run.failures.length === start
  }
}

function isOfType(data: unknown, type: string): boolean {
  switch (type) {
    case 'object':
      return typeof data === 'object' && data !== null && !Array.isArray(data)
    case 'array':
      return Array.isArray(data)
    case 'integer':
      return typeof data === 'number' && data % 1 === 0
    case 'null':
      return data === null
    default:
      return typeof data === type
  }
}

function refuseType(scope: Scope, data: unknown, run: Run): false {
  return fail(run, scope, 'type', data, { type: scope.schema['type'] })
}

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'null', 'array', 'object'])

/** @throws Error for unknown types */
function typesOf({ type, nullable }: Readonly<Record<string, unknown>>): string[] {
  const types = (Array.isArray(type) ? [...(type as unknown[])] : type ? [type] : []) as string[]
  if (!types.every((each) => TYPES.has(each)))
    throw new Error(`type must be JSONType or JSONType[]: ${types.join(',')}`)
  if (types.includes('null')) {
    if (nullable === false) throw new Error('type: null contradicts nullable: false')
  } else {
    if (types.length === 0 && nullable !== undefined)
      throw new Error('"nullable" cannot be used without "type"')
    if (nullable === true) types.push('null')
  }
  return types
}

function inTurn(checks: readonly Check[]): Check {
  const [first, second] = checks
  if (first === undefined) return () => true
  if (second === undefined) return first
  return (data, run) => {
    for (const check of checks) {
      const passed = check(data, run)
      if (passed !== true) return passed
    }
    return true
  }
}

function keywordCheck(scope: Scope, keyword: string, type: string | undefined): Check | undefined {
  const [takes, make] = KEYWORDS[keyword]!
  const value = scope.schema[keyword]
  if (
    takes.length > 0 &&
    !takes.includes(Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value)
  )
    throw new Error(`${keyword} value must be ${JSON.stringify(takes)}`)
  return make?.(scope, value as never, keyword, type)
}
