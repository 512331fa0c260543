import { copied, mergeEvaluated, newSlot } from './evaluated.ts'
import { isAlwaysValid } from './rules.ts'
import { type Check, checkAt, locate } from './run.ts'
import { fail, failAfter, partAt, partOf, patternOf, type Scope, Slot } from './scope.ts'

type Values = Readonly<Record<string, unknown>>
type Schemas = Readonly<Record<string, unknown>>

const has = (data: unknown, name: string): boolean =>
  Object.hasOwn(data as Values, name) && (data as Values)[name] !== undefined

/** Returns the property names in a schema, except the one that ajv ignores. */
const namesIn = (schemas: unknown): string[] =>
  Object.keys((schemas ?? {}) as Schemas).filter((name) => name !== '__proto__')

export function required(scope: Scope, names: readonly string[]): Check {
  return (data, run) => {
    for (const name of names)
      if ((data as Values)[name] === undefined || !Object.hasOwn(data as Values, name))
        return fail(run, scope, 'required', data, { missingProperty: name })
    return true
  }
}

export function properties(scope: Scope, schemas: Schemas): Check | undefined {
  const names = namesIn(schemas)
  const step =
    names.length > 0
      ? mergeEvaluated(scope, { props: Object.fromEntries(names.map((name) => [name, true as const])) })
      : undefined
  const checks = names
    .filter((name) => !isAlwaysValid(schemas[name], scope.dialect))
    .map((name) => ({ name, ...partAt(scope, 'properties', name) }))
  if (checks.length === 0 && step === undefined) return undefined
  return (data, run) => {
    step?.(run.evaluated)
    run.steps += checks.length
    for (const { name, check } of checks) {
      const value = (data as Values)[name]
      if (value === undefined || !Object.hasOwn(data as Values, name)) continue
      const start = run.failures.length
      if (check(value, run) !== false) continue
      locate(run, start, name)
      return false
    }
    return true
  }
}

export function additionalProperties(scope: Scope, schema: unknown): Check | undefined {
  scope.props = true
  if (isAlwaysValid(schema, scope.dialect)) return undefined
  const known = new Set(namesIn(scope.schema['properties']))
  const patterns = namesIn(scope.schema['patternProperties']).map((source) => patternOf(scope, source))
  const part = schema === false ? undefined : partOf(scope, 'additionalProperties')
  return (data, run) => {
    for (const name of Object.keys(data as Values)) {
      if (known.has(name) || patterns.some((each) => each.test(name, run.counter))) continue
      if (part === undefined)
        return fail(run, scope, 'additionalProperties', data, { additionalProperty: name })
      if (!checkAt(part.check, (data as Values)[name], run, name)) return false
    }
    return true
  }
}

export function patternProperties(scope: Scope, schemas: Schemas): Check | undefined {
  const knows = scope.dialect !== 'draft-07'
  const patterns = namesIn(schemas).map((source) => ({
    expression: patternOf(scope, source),
    part: isAlwaysValid(schemas[source], scope.dialect)
      ? undefined
      : partAt(scope, 'patternProperties', source),
  }))
  if (patterns.length === 0 || (patterns.every(({ part }) => !part) && (!knows || scope.props === true)))
    return undefined
  const before = scope.props
  const props = before === true || before instanceof Slot ? before : newSlot(scope)
  scope.props = props
  const isNoted = scope.hasUnevaluated && props instanceof Slot
  // If true, ajv's code does not return after a failure here, and checks the other properties as well.
  const goesOn = knows && props !== true
  return (data, run) => {
    if (isNoted && props !== before) run.evaluated[props.at] = copied(before) ?? {}
    for (const { expression, part } of patterns) {
      let isValid = true
      for (const name of Object.keys(data as Values)) {
        if (!expression.test(name, run.counter)) continue
        if (part !== undefined) isValid = checkAt(part.check, (data as Values)[name], run, name)
        if (!isValid && (run.hasEnded || !goesOn)) return false
        if (isNoted) note(run.evaluated[props.at], name)
      }
      if (!isValid) return false
    }
    return true
  }
}

function note(evaluated: unknown, name: string): void {
  if (typeof evaluated === 'object') (evaluated as Record<string, unknown>)[name] = true
}

export function propertyNames(scope: Scope, schema: unknown): Check | undefined {
  if (isAlwaysValid(schema, scope.dialect)) return undefined
  const { check } = partOf(scope, 'propertyNames', { isComposite: true, isName: true })
  return (data, run) => {
    for (const name of Object.keys(data as Values)) {
      const start = run.failures.length
      if (check(name, run) !== false) continue
      for (const failure of run.failures.slice(start))
        if (failure.propertyName === '') failure.propertyName = name
      return failAfter(run, scope, 'propertyNames', data, { propertyName: name })
    }
    return true
  }
}

export function dependentRequired(scope: Scope, names: Schemas, keyword: string): Check {
  const entries = Object.entries(names as Readonly<Record<string, readonly string[]>>)
  return (data, run) => {
    for (const [property, needed] of entries) {
      const missing = has(data, property) ? needed.find((name) => !has(data, name)) : undefined
      if (missing === undefined) continue
      const deps = { deps: needed.join(', '), depsCount: needed.length }
      return fail(run, scope, keyword, data, { property, missingProperty: missing, ...deps })
    }
    return true
  }
}

export function dependentSchemas(scope: Scope, schemas: Schemas, keyword: string): Check | undefined {
  const parts = Object.entries(schemas)
    .filter(([, schema]) => !isAlwaysValid(schema, scope.dialect))
    .map(([name]) => {
      const part = partAt(scope, keyword, name)
      return { name, part, step: mergeEvaluated(scope, part, Slot) }
    })
  if (parts.length === 0) return undefined
  return (data, run) => {
    for (const { name, part, step } of parts) {
      if (!has(data, name)) continue
      if (part.check(data, run) === false) return false
      step?.(run.evaluated)
    }
    return true
  }
}

/** Checks `dependencies` in draft-07 and 2019-09: names, or a schema, for each property. */
export function dependencies(scope: Scope, value: Schemas): Check | undefined {
  const entries = Object.entries(value).filter(([name]) => name !== '__proto__')
  const names = entries.filter(([, needed]) => Array.isArray(needed))
  const schemas = entries.filter(([, needed]) => !Array.isArray(needed))
  const first = dependentRequired(scope, Object.fromEntries(names), 'dependencies')
  const second = dependentSchemas(scope, Object.fromEntries(schemas), 'dependencies')
  if (second === undefined) return first
  return (data, run) => first(data, run) !== false && second(data, run)
}

export function unevaluatedProperties(scope: Scope, schema: unknown): Check | undefined {
  const { props } = scope
  scope.props = true
  if (props === true || isAlwaysValid(schema, scope.dialect)) return undefined
  const part = schema === false ? undefined : partOf(scope, 'unevaluatedProperties')
  return (data, run) => {
    const evaluated = props instanceof Slot ? run.evaluated[props.at] : props
    if (evaluated === true) return true
    for (const name of Object.keys(data as Values)) {
      if (isAmong(evaluated, name, props instanceof Slot)) continue
      if (part === undefined)
        return fail(run, scope, 'unevaluatedProperties', data, { unevaluatedProperty: name })
      if (!checkAt(part.check, (data as Values)[name], run, name)) return false
    }
    return true
  }
}

/**
 * Returns whether a property is recorded as evaluated. As in ajv, names that every object inherits count as
 * evaluated.
 */
function isAmong(evaluated: unknown, name: string, isNoted: boolean): boolean {
  if (evaluated === undefined || evaluated === null) return false
  return isNoted ? Boolean((evaluated as Values)[name]) : Object.hasOwn(evaluated, name)
}
