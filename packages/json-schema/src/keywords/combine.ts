import { mergeEvaluated, type Step } from './evaluated.ts'
import { at } from './objects.ts'
import { isAlwaysValid } from './rules.ts'
import type { Check, Run } from './run.ts'
import { fail, failAfter, type MakePart, type Part, type Scope, Slot } from './scope.ts'

interface Alternative {
  readonly check: Check
  readonly step: Step | undefined
}

const reset = (run: Run, start: number): true => {
  run.failures.length = start
  return true
}

export function not(makePart: MakePart, scope: Scope, schema: unknown): Check {
  const message = 'must NOT be valid'
  if (isAlwaysValid(schema, scope.dialect)) return (data, run) => fail(run, scope, 'not', data, message)
  const path = `${scope.path}/not`
  const { check } = makePart(scope, schema, { path, isComposite: true, isSilent: true })
  return (data, run) => {
    const start = run.failures.length
    return check(data, run) !== false ? fail(run, scope, 'not', data, message) : reset(run, start)
  }
}

export function allOf(makePart: MakePart, scope: Scope, schemas: readonly unknown[]): Check | undefined {
  const parts = schemas.flatMap((schema, i): Alternative[] => {
    if (isAlwaysValid(schema, scope.dialect)) return []
    const part = at(makePart, scope, 'allOf', i)
    return [{ check: part.check, step: mergeEvaluated(scope, part) }]
  })
  if (parts.length === 0) return undefined
  return (data, run) => {
    for (const { check, step } of parts) {
      if (check(data, run) === false) return false
      step?.(run.evaluated)
    }
    return true
  }
}

function alternativeOf(makePart: MakePart, scope: Scope, keyword: string, i: number): Part {
  const schemas = scope.schema[keyword] as readonly unknown[]
  return makePart(scope, schemas[i], { path: `${scope.path}/${keyword}/${i}`, isComposite: true })
}

export function anyOf(makePart: MakePart, scope: Scope, schemas: readonly unknown[]): Check | undefined {
  const knows = scope.dialect !== 'draft-07'
  if (!knows && schemas.some((schema) => isAlwaysValid(schema, scope.dialect))) return undefined
  const alternatives = schemas.map((_, i) => {
    const part = alternativeOf(makePart, scope, 'anyOf', i)
    const isOpen = knows && (scope.props !== true || scope.items !== true)
    const step = isOpen ? mergeEvaluated(scope, part, Slot) : undefined
    return { check: part.check, isNoted: isOpen && scope.hasUnevaluated, step }
  })
  return (data, run) => {
    const start = run.failures.length
    let isValid = false
    for (const { check, isNoted, step } of alternatives) {
      if (check(data, run) !== false) {
        isValid = true
        step?.(run.evaluated)
      }
      if (isValid && !isNoted) break
    }
    return isValid ? reset(run, start) : failAfter(run, scope, 'anyOf', data, 'must match a schema in anyOf')
  }
}

export function oneOf(makePart: MakePart, scope: Scope, schemas: readonly unknown[]): Check {
  const alternatives = schemas.map((schema, i): Alternative => {
    if (isAlwaysValid(schema, scope.dialect)) return { check: () => true, step: undefined }
    const part = alternativeOf(makePart, scope, 'oneOf', i)
    return { check: part.check, step: mergeEvaluated(scope, part, Slot) }
  })
  return (data, run) => {
    const start = run.failures.length
    let passed = 0
    for (const { check, step } of alternatives) {
      if (check(data, run) === false) continue
      if (++passed === 2) break
      step?.(run.evaluated)
    }
    return passed === 1
      ? reset(run, start)
      : failAfter(run, scope, 'oneOf', data, 'must match exactly one schema in oneOf')
  }
}

export function conditional(makePart: MakePart, scope: Scope, schema: unknown): Check | undefined {
  const says = (keyword: 'then' | 'else'): boolean =>
    scope.schema[keyword] !== undefined && !isAlwaysValid(scope.schema[keyword], scope.dialect)
  if (!says('then') && !says('else')) return undefined
  const condition = makePart(scope, schema, { path: `${scope.path}/if`, isComposite: true, isSilent: true })
  const before = mergeEvaluated(scope, condition)
  const clause = (keyword: 'then' | 'else'): Alternative | undefined => {
    if (!says(keyword)) return undefined
    const part = makePart(scope, scope.schema[keyword], { path: `${scope.path}/${keyword}` })
    return { check: part.check, step: mergeEvaluated(scope, part, Slot) }
  }
  const onPass = clause('then')
  const onFail = clause('else')
  return (data, run) => {
    const start = run.failures.length
    const holds = condition.check(data, run) !== false
    reset(run, start)
    before?.(run.evaluated)
    const chosen = holds ? onPass : onFail
    if (chosen === undefined) return true
    if (!chosen.check(data, run))
      return failAfter(run, scope, 'if', data, `must match "${holds ? 'then' : 'else'}" schema`)
    chosen.step?.(run.evaluated)
    return true
  }
}
