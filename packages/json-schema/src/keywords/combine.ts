import { mergeEvaluated, type Step } from './evaluated.ts'
import { isAlwaysValid } from './rules.ts'
import type { Check, Run } from './run.ts'
import { fail, failAfter, partAt, partOf, type Scope, Slot } from './scope.ts'

interface Alternative {
  readonly check: Check
  readonly step: Step | undefined
}

const reset = (run: Run, start: number): true => {
  run.failures.length = start
  return true
}

export function not(scope: Scope, schema: unknown): Check {
  if (isAlwaysValid(schema, scope.dialect)) return (data, run) => fail(run, scope, 'not', data)
  const { check } = partOf(scope, 'not', { isComposite: true, isSilent: true })
  return (data, run) => {
    const start = run.failures.length
    return check(data, run) !== false ? fail(run, scope, 'not', data) : reset(run, start)
  }
}

export function allOf(scope: Scope, schemas: readonly unknown[]): Check | undefined {
  const parts = schemas.flatMap((schema, i): Alternative[] => {
    if (isAlwaysValid(schema, scope.dialect)) return []
    const part = partAt(scope, 'allOf', i)
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

export function anyOf(scope: Scope, schemas: readonly unknown[]): Check | undefined {
  const knows = scope.dialect !== 'draft-07'
  if (!knows && schemas.some((schema) => isAlwaysValid(schema, scope.dialect))) return undefined
  const alternatives = schemas.map((_, i) => {
    const part = partAt(scope, 'anyOf', i, true)
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
    return isValid ? reset(run, start) : failAfter(run, scope, 'anyOf', data)
  }
}

export function oneOf(scope: Scope, schemas: readonly unknown[]): Check {
  const alternatives = schemas.map((schema, i): Alternative => {
    if (isAlwaysValid(schema, scope.dialect)) return { check: () => true, step: undefined }
    const part = partAt(scope, 'oneOf', i, true)
    return { check: part.check, step: mergeEvaluated(scope, part, Slot) }
  })
  return (data, run) => {
    const start = run.failures.length
    const passing: number[] = []
    for (const [i, { check, step }] of alternatives.entries()) {
      if (check(data, run) === false) continue
      if (passing.push(i) === 2) break
      step?.(run.evaluated)
    }
    if (passing.length === 1) return reset(run, start)
    return failAfter(run, scope, 'oneOf', data, { passingSchemas: passing.length === 0 ? null : passing })
  }
}

export function conditional(scope: Scope): Check | undefined {
  const says = (keyword: 'then' | 'else'): boolean =>
    scope.schema[keyword] !== undefined && !isAlwaysValid(scope.schema[keyword], scope.dialect)
  if (!says('then') && !says('else')) return undefined
  const condition = partOf(scope, 'if', { isComposite: true, isSilent: true })
  const before = mergeEvaluated(scope, condition)
  const clause = (keyword: 'then' | 'else'): Alternative | undefined => {
    if (!says(keyword)) return undefined
    const part = partOf(scope, keyword)
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
      return failAfter(run, scope, 'if', data, { failingKeyword: holds ? 'then' : 'else' })
    chosen.step?.(run.evaluated)
    return true
  }
}
