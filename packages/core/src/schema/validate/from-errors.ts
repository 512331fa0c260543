import type { ValidationError } from '@jetway/json-schema'
import { closestAlternative } from '../issues.ts'
import type { Issue } from '../types.ts'

/** Keywords whose errors only summarise the errors reported before them. */
const SUMMARIES = new Set(['anyOf', 'oneOf', 'if', 'propertyNames', 'contains'])

/**
 * The maximum number of unions for which the intended alternative is determined. The number is limited
 * because a peer can choose how many unions fail.
 */
const MAX_UNIONS = 100

/**
 * Converts errors to issues. Because `allErrors` is off, there is more than one error only if the
 * alternatives of a union failed: one error for each alternative.
 */
export function fromErrors(errors: readonly ValidationError[]): Issue[] {
  let reported = errors.filter(({ keyword }) => !SUMMARIES.has(keyword))
  const unions = errors.filter(({ keyword }) => keyword === 'oneOf' || keyword === 'anyOf')
  for (const union of unions.slice(0, MAX_UNIONS)) {
    const meant = meantAlternatives(union)
    const start = `${union.schemaPath}/`
    if (meant.includes(true))
      reported = reported.filter(
        ({ schemaPath }) =>
          !schemaPath.startsWith(start) ||
          meant[Number(schemaPath.slice(start.length).split('/')[0])] === true,
      )
  }
  const alternatives = (reported.length === 0 ? errors.slice(-1) : reported).map((error) => [toIssue(error)])
  return closestAlternative(alternatives)
}

/**
 * Returns the alternatives for which an object was intended, judging by its constants. The errors of other
 * alternatives are irrelevant.
 */
const meantAlternatives = ({ schema: alternatives, data }: ValidationError): boolean[] =>
  Array.isArray(alternatives) ? alternatives.map((alternative) => hasConstantsOf(alternative, data)) : []

function hasConstantsOf(alternative: unknown, data: unknown): boolean {
  const constants = Object.entries(member(alternative, 'properties') ?? {})
    .map(([key, property]): [string, unknown] => [key, member(property, 'const')])
    .filter(([, constant]) => constant !== undefined)
  return constants.length > 0 && constants.every(([key, constant]) => member(data, key) === constant)
}

function member(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return (value as Readonly<Record<string, unknown>>)[key]
}

function toIssue(error: ValidationError): Issue {
  const path = parsePointer(error.instancePath)
  const at = (property: unknown, message: string): Issue => ({ path: [...path, String(property)], message })
  const { params } = error
  switch (error.keyword) {
    case 'required':
      return at(params['missingProperty'], 'is required')
    case 'additionalProperties':
      return at(params['additionalProperty'], 'is not a known property')
    case 'unevaluatedProperties':
      return at(params['unevaluatedProperty'], 'is not a known property')
    case 'enum':
      return { path, message: `must be one of ${listed(params['allowedValues'] as readonly unknown[])}` }
    case 'const':
      return { path, message: `must be ${listed([params['allowedValue']])}` }
    case 'false schema':
      return { path, message: 'is not allowed' }
    default:
      return { path, message: nameProblem(error) ?? error.message ?? `does not match ${error.keyword}` }
  }
}

function nameProblem({ propertyName, message }: ValidationError): string | undefined {
  return propertyName === undefined ? undefined : `has a property name that ${message ?? 'is not allowed'}`
}

/** Lists the allowed values, which come from the schema, not from the peer. */
function listed(values: readonly unknown[]): string {
  const shown = values.slice(0, 10).map((value) => JSON.stringify(value))
  return shown.join(', ') + (values.length > shown.length ? ', …' : '')
}

function parsePointer(pointer: string): (string | number)[] {
  const segments = pointer.split('/').slice(1)
  return segments.map((segment) => {
    const key = segment.replaceAll('~1', '/').replaceAll('~0', '~')
    return /^(0|[1-9]\d{0,8})$/.test(key) ? Number(key) : key
  })
}
