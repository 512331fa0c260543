import { isNode, type Place, type SchemaOrBoolean } from '../document.ts'
import { resolveUri, splitUri, withoutEmptyFragment } from '../uri.ts'
import * as arrays from './arrays.ts'
import * as combine from './combine.ts'
import * as objects from './objects.ts'
import { dynamicAnchor, dynamicReference, reference } from './references.ts'
import { type Group, GROUPS, type GroupType, hasRules, isUsed } from './rules.ts'
import type { Check, Routine } from './run.ts'
import { fail, type Part, type PartOptions, type Scope, Slot } from './scope.ts'
import * as values from './values.ts'

type MakeCheck = (
  scope: Scope,
  value: never,
  keyword: string,
  type: GroupType | undefined,
) => Check | undefined

interface Keyword {
  /** The types that its value may have. */
  readonly takes: readonly string[]
  /** Missing where another keyword speaks for it. */
  readonly make?: MakeCheck
}

const LIMIT = ['number']
const TEXT = ['string']
const SCHEMA = ['object', 'boolean']

const KEYWORDS: Readonly<Record<string, Keyword>> = {
  $comment: { takes: [] },
  id: { takes: [], make: refuseId },
  $ref: { takes: TEXT, make: reference },
  $dynamicAnchor: { takes: TEXT, make: dynamicAnchor },
  $dynamicRef: { takes: TEXT, make: dynamicReference },
  $recursiveAnchor: {
    takes: ['boolean'],
    make: (scope, value) => (value ? dynamicAnchor(scope, '') : undefined),
  },
  $recursiveRef: { takes: TEXT, make: dynamicReference },
  type: { takes: ['string', 'array'] },
  nullable: { takes: ['boolean'] },
  const: { takes: [], make: values.constant },
  enum: { takes: ['array'], make: values.enumeration },
  not: { takes: SCHEMA, make: combine.not },
  anyOf: { takes: ['array'], make: combine.anyOf },
  oneOf: { takes: ['array'], make: combine.oneOf },
  allOf: { takes: ['array'], make: combine.allOf },
  if: { takes: SCHEMA, make: combine.conditional },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword
  then: { takes: SCHEMA },
  else: { takes: SCHEMA },
  maximum: { takes: LIMIT, make: values.limitNumber },
  minimum: { takes: LIMIT, make: values.limitNumber },
  exclusiveMaximum: { takes: LIMIT, make: values.limitNumber },
  exclusiveMinimum: { takes: LIMIT, make: values.limitNumber },
  multipleOf: { takes: LIMIT, make: values.multipleOf },
  maxLength: { takes: LIMIT, make: values.limitLength },
  minLength: { takes: LIMIT, make: values.limitLength },
  pattern: { takes: TEXT, make: values.pattern },
  format: { takes: TEXT, make: values.format },
  maxItems: { takes: LIMIT, make: arrays.limitItems },
  minItems: { takes: LIMIT, make: arrays.limitItems },
  prefixItems: { takes: ['array'], make: arrays.tuple },
  additionalItems: { takes: ['boolean', 'object'], make: arrays.additionalItems },
  items: { takes: ['object', 'array', 'boolean'], make: arrays.items },
  contains: { takes: SCHEMA, make: arrays.contains },
  uniqueItems: { takes: ['boolean'], make: arrays.uniqueItems },
  maxContains: { takes: LIMIT },
  minContains: { takes: LIMIT },
  unevaluatedItems: { takes: ['boolean', 'object'], make: arrays.unevaluatedItems },
  maxProperties: { takes: LIMIT, make: objects.limitProperties },
  minProperties: { takes: LIMIT, make: objects.limitProperties },
  required: { takes: ['array'], make: objects.required },
  propertyNames: { takes: SCHEMA, make: objects.propertyNames },
  additionalProperties: { takes: ['boolean', 'object'], make: objects.additionalProperties },
  dependencies: { takes: ['object'], make: objects.dependencies },
  properties: { takes: ['object'], make: objects.properties },
  patternProperties: { takes: ['object'], make: objects.patternProperties },
  dependentRequired: { takes: ['object'], make: objects.dependentRequired },
  dependentSchemas: { takes: ['object'], make: objects.dependentSchemas },
  unevaluatedProperties: { takes: ['boolean', 'object'], make: objects.unevaluatedProperties },
}

function refuseId(): never {
  throw new Error('NOT SUPPORTED: keyword "id", use "$id" for schema ID')
}

/** @throws Error with a readable message for a schema that does not compile */
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
  const nothing = { props: undefined, items: undefined }
  if (schema === false)
    return {
      check: (data, run) => fail(run, { ...around, schema, ...nothing }, 'false schema', data),
      ...nothing,
    }
  if (typeof schema === 'boolean' || !hasRules(schema, around.dialect))
    return { check: () => true, ...nothing }
  const scope: Scope = { ...around, schema, ...nothing }
  return { check: makeChecks(scope), props: scope.props, items: scope.items }
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
  const types = values.typesOf(schema)
  const groups = GROUPS[dialect].filter((group) => isUsed(schema, group))
  // The type is left to the group of keywords that are about it, after those that are about any.
  const isLate = types.length === 1 && groups.some(({ type }) => type === types[0])
  const ofType = types.length === 0 || isLate ? undefined : typeCheck(scope, types)
  const { $ref } = schema
  const isReference =
    typeof $ref === 'string' && $ref !== '' && (dialect === 'draft-07' || isAlone('$ref', scope))
  const made = isReference
    ? [keywordCheck(scope, '$ref', undefined)]
    : groups.map((group) => groupCheck(scope, group, isLate && group.type === types[0]))
  const checks = made.filter((check) => check !== undefined)
  const all = inTurn(checks)
  if (ofType === undefined) return all
  if (!isComposite) return checks.length === 0 ? ofType : (data, run) => ofType(data, run) && all(data, run)
  // Where several alternatives may fail, ajv also reports what keywords about any type
  // say of a value of a wrong one.
  const first = made[0]
  return (data, run) => {
    if (ofType(data, run)) return all(data, run)
    first?.(data, run)
    return false
  }
}

const isAlone = (keyword: string, { schema, dialect }: Scope): boolean =>
  !hasRules(Object.fromEntries(Object.entries(schema).filter(([key]) => key !== keyword)), dialect)

function typeCheck(scope: Scope, types: readonly string[]): Check {
  const refuse = values.refuseType(scope)
  const [first, ...others] = types.map(values.isOfType)
  if (others.length === 0) return (data, run) => first!(data) || refuse(data, run)
  return (data, run) => first!(data) || others.some((isOther) => isOther(data)) || refuse(data, run)
}

function groupCheck(scope: Scope, { type, keywords }: Group, checksType: boolean): Check | undefined {
  const checks = keywords.flatMap((keyword) =>
    scope.schema[keyword] === undefined ? [] : (keywordCheck(scope, keyword, type) ?? []),
  )
  const inGroup = inTurn(checks)
  const all = withoutFailures(scope, type, (data, run) => inGroup(data, run) !== false)
  if (type === undefined) return checks.length === 0 ? undefined : all
  if (checks.length === 0 && !checksType) return undefined
  const isOfType = values.isOfType(type)
  if (!checksType) return (data, run) => !isOfType(data) || all(data, run)
  const refuse = values.refuseType(scope)
  return (data, run) => (isOfType(data) ? all(data, run) : refuse(data, run))
}

/** `patternProperties` may go on after a failure. */
function withoutFailures({ schema }: Scope, type: GroupType | undefined, all: Check): Check {
  if (type !== 'object' || schema['patternProperties'] === undefined) return all
  return (data, run) => {
    const start = run.failures.length
    return all(data, run) !== false && run.failures.length === start
  }
}

function inTurn(checks: readonly Check[]): Check {
  const [first, second, ...others] = checks
  if (first === undefined) return () => true
  if (second === undefined) return first
  if (others.length === 0)
    return (data, run) => {
      const passed = first(data, run)
      return passed === true ? second(data, run) : passed
    }
  return (data, run) => {
    for (const check of checks) {
      const passed = check(data, run)
      if (passed !== true) return passed
    }
    return true
  }
}

function keywordCheck(scope: Scope, keyword: string, type: GroupType | undefined): Check | undefined {
  const { takes, make } = KEYWORDS[keyword]!
  const value = scope.schema[keyword]
  if (
    takes.length > 0 &&
    !takes.includes(Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value)
  )
    throw new Error(`${keyword} value must be ${JSON.stringify(takes)}`)
  return make?.(scope, value as never, keyword, type)
}
