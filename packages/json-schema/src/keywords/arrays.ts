import { findDuplicates } from '../equal.ts'
import { mergeEvaluated } from './evaluated.ts'
import { isAlwaysValid } from './rules.ts'
import { type Check, checkAt, type Run } from './run.ts'
import { fail, partAt, partOf, type Scope, Slot } from './scope.ts'

type Items = readonly unknown[]

export function uniqueItems(scope: Scope, unique: boolean): Check | undefined {
  if (!unique) return undefined
  return (data, run) => {
    run.counter?.copy(data)
    const pair = findDuplicates(data as Items)
    if (pair === undefined) return true
    const [j, i] = pair
    return fail(run, scope, 'uniqueItems', data, { i, j })
  }
}

function each(check: Check, data: Items, run: Run, from = 0): boolean {
  run.steps += data.length
  for (let i = from; i < data.length; i++) if (!checkAt(check, data[i], run, i)) return false
  return true
}

/** Checks the first items of a list, each against its own schema. */
export function tuple(scope: Scope, schemas: Items, keyword: string): Check | undefined {
  const step = schemas.length > 0 ? mergeEvaluated(scope, { items: schemas.length }) : undefined
  const parts = schemas.flatMap((schema, i) =>
    isAlwaysValid(schema, scope.dialect) ? [] : [{ i, check: partAt(scope, keyword, i).check }],
  )
  if (parts.length === 0)
    return (_, run) => {
      step?.(run.evaluated)
      return true
    }
  const slot = scope.routine.slots++
  return (data, run) => {
    step?.(run.evaluated)
    for (const { i, check } of parts) {
      if (i < (data as Items).length) {
        run.evaluated[slot] = checkAt(check, (data as Items)[i], run, i)
        if (run.evaluated[slot] === false) return false
      }
      // If a list ends before this item, ajv continues only if it has reached the item in an earlier list.
      if (run.evaluated[slot] !== true) return undefined
    }
    return true
  }
}

export function items(scope: Scope, schema: unknown): Check | undefined {
  if (Array.isArray(schema)) return tuple(scope, schema, 'items')
  const { prefixItems } = scope.dialect === 'draft-2020-12' ? scope.schema : {}
  return itemsFrom(scope, schema, 'items', Array.isArray(prefixItems) ? prefixItems.length : undefined)
}

export function additionalItems(scope: Scope, schema: unknown): Check | undefined {
  const { items: first } = scope.schema
  return Array.isArray(first) ? itemsFrom(scope, schema, 'additionalItems', first.length) : undefined
}

/** @param from - the number of items that already have schemas, or undefined if the schema has none */
function itemsFrom(
  scope: Scope,
  schema: unknown,
  keyword: string,
  from: number | undefined,
): Check | undefined {
  scope.items = true
  if (isAlwaysValid(schema, scope.dialect)) return undefined
  if (schema === false && from !== undefined)
    return (data, run) => (data as Items).length <= from || fail(run, scope, keyword, data, { limit: from })
  const { check } = partOf(scope, keyword)
  return (data, run) => each(check, data as Items, run, from)
}

export function contains(scope: Scope, schema: unknown): Check | undefined {
  const { minContains, maxContains } = scope.dialect === 'draft-07' ? {} : scope.schema
  const min = (minContains as number | undefined) ?? 1
  const max = maxContains as number | undefined
  if (max === undefined && min === 0) return undefined
  const params = max === undefined ? { minContains: min } : { minContains: min, maxContains: max }
  const refuse = (data: unknown, run: Run): false => fail(run, scope, 'contains', data, params)
  if (max !== undefined && min > max) return refuse
  const isEnough = (passed: number): boolean => passed >= min && (max === undefined || passed <= max)
  if (isAlwaysValid(schema, scope.dialect))
    return (data, run) => isEnough((data as Items).length) || refuse(data, run)
  scope.items = true
  const { check } = partOf(scope, 'contains', { isComposite: true })
  const isAny = max === undefined && min === 1
  const slot = isAny ? scope.routine.slots++ : -1
  return (data, run) => {
    const start = run.failures.length
    // Like ajv, treats an empty list as containing a match if an earlier list within the same list contained one.
    const isEmpty = isAny && (data as Items).length === 0
    const enough = max === undefined ? min : max + 1
    const isValid = isEmpty
      ? run.evaluated[slot] === true
      : isEnough(count(check, data as Items, run, enough))
    if (isAny) run.evaluated[slot] = isValid
    if (!isValid) return refuse(data, run)
    run.failures.length = start
    return true
  }
}

function count(check: Check, data: Items, run: Run, enough: number): number {
  let passed = 0
  for (let i = 0; i < data.length && passed < enough; i++) if (checkAt(check, data[i], run, i)) passed++
  return passed
}

export function unevaluatedItems(scope: Scope, schema: unknown): Check | undefined {
  const known = scope.items
  if (known === true) return undefined
  scope.items = true
  if (isAlwaysValid(schema, scope.dialect)) return undefined
  // Like ajv, compares the index with a note of any type: no number is less than undefined, and true counts as 1.
  const evaluated = (run: Run): number =>
    (known instanceof Slot ? run.evaluated[known.at] : (known ?? 0)) as number
  if (schema === false)
    return (data, run) => {
      const limit = evaluated(run)
      if (!((data as Items).length > limit)) return true
      return fail(run, scope, 'unevaluatedItems', data, { limit })
    }
  const { check } = partOf(scope, 'unevaluatedItems')
  return (data, run) => {
    const from = evaluated(run)
    return !((data as Items).length > from) || each(check, data as Items, run, from)
  }
}
