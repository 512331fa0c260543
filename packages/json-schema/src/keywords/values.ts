import { isEqual, textLength } from '../equal.ts'
import { type Format, FORMATS } from '../formats.ts'
import type { Check } from './run.ts'
import { fail, patternOf, type Scope } from './scope.ts'

const COMPARISONS: Readonly<
  Record<string, readonly [comparison: string, holds: (a: number, b: number) => boolean]>
> = {
  maximum: ['<=', (a, b) => a <= b],
  minimum: ['>=', (a, b) => a >= b],
  exclusiveMaximum: ['<', (a, b) => a < b],
  exclusiveMinimum: ['>', (a, b) => a > b],
}

export function limitNumber(scope: Scope, limit: number, keyword: string): Check {
  const [comparison, holds] = COMPARISONS[keyword]!
  return (data, run) => holds(data as number, limit) || fail(run, scope, keyword, data, { comparison, limit })
}

export function multipleOf(scope: Scope, divisor: number): Check {
  return (data, run) => {
    const times = (data as number) / divisor
    // Ajv compares multiples in the same way. See https://ajv.js.org/options.html#multipleofprecision.
    if (divisor !== 0 && times === Number.parseInt(String(times))) return true
    return fail(run, scope, 'multipleOf', data, { multipleOf: divisor })
  }
}

/** Limits the number of items in a list or of properties in an object. */
export function limitMembers(scope: Scope, limit: number, keyword: string): Check {
  const isMaximum = keyword.startsWith('max')
  return (data, run) => {
    const { length } = Array.isArray(data) ? data : Object.keys(data as object)
    return (isMaximum ? length <= limit : length >= limit) || fail(run, scope, keyword, data, { limit })
  }
}

export function limitLength(scope: Scope, limit: number, keyword: string): Check {
  return (data, run) => {
    const text = data as string
    const { length } = text
    // The number of characters is between half the number of UTF-16 code units and that number, so counting is
    // often unnecessary.
    const isWithin =
      keyword === 'maxLength'
        ? length <= limit || textLength(text) <= limit
        : length >= limit && (length >= 2 * limit || textLength(text) >= limit)
    return isWithin || fail(run, scope, keyword, data, { limit })
  }
}

export function pattern(scope: Scope, source: string): Check {
  const expression = patternOf(scope, source)
  return (data, run) =>
    expression.test(data as string, run.counter) || fail(run, scope, 'pattern', data, { pattern: source })
}

export function format(scope: Scope, name: string, _: string, type: string | undefined): Check | undefined {
  const known: Format | undefined = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined
  if (known === undefined || known === true) return undefined
  const isText = typeof known === 'function'
  if (type !== (isText ? 'string' : 'number')) return undefined
  const validate = (isText ? known : known.validate) as (data: unknown) => boolean
  return (data, run) => validate(data) || fail(run, scope, 'format', data, { format: name })
}

export function constant(scope: Scope, value: unknown): Check {
  return (data, run) => isEqual(data, value) || fail(run, scope, 'const', data, { allowedValue: value })
}

export function enumeration(scope: Scope, values: readonly unknown[]): Check {
  if (values.length === 0) throw new Error('enum must have non-empty array')
  const plain = new Set(values)
  const others = values.filter((value) => typeof value === 'object' && value !== null)
  return (data, run) =>
    plain.has(data) ||
    (typeof data === 'object' && others.some((other) => isEqual(data, other))) ||
    fail(run, scope, 'enum', data, { allowedValues: values })
}
