import { closestAlternative } from './issues.ts'
import type { Issue } from './types.ts'

/** What a JSON Schema validator says of a failed keyword, in the form that ajv has made common. */
export interface KeywordFailure {
  readonly keyword: string
  readonly instancePath: string
  readonly params: Readonly<Record<string, unknown>>
  readonly propertyName?: string
  readonly message?: string
}

/** Keywords whose error only sums up those reported before it. */
const SUMMARIES = new Set(['anyOf', 'oneOf', 'if', 'propertyNames', 'contains'])
const CHOICES = new Set(['const', 'enum'])

/** With `allErrors` off there are several errors only where alternatives failed, one for each. */
export function fromFailures(errors: readonly KeywordFailure[]): Issue[] {
  const causes = errors.filter(({ keyword }) => !SUMMARIES.has(keyword))
  const told = causes.length === 0 ? errors.slice(-1) : causes
  // An alternative told apart by a constant was not the one that was meant.
  const meant = told.filter(({ keyword }) => !CHOICES.has(keyword))
  return closestAlternative((meant.length === 0 ? told : meant).map((error) => [toIssue(error)]))
}

function toIssue(error: KeywordFailure): Issue {
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
      return { path, message: `must be one of ${listed(params['allowedValues'])}` }
    case 'const':
      return { path, message: `must be ${listed([params['allowedValue']])}` }
    case 'false schema':
      return { path, message: 'is not allowed' }
    default:
      return { path, message: nameProblem(error) ?? error.message ?? `does not match ${error.keyword}` }
  }
}

function nameProblem({ propertyName, message }: KeywordFailure): string | undefined {
  return propertyName === undefined ? undefined : `has a property name that ${message ?? 'is not allowed'}`
}

/** These are the schema's values, not the peer's. */
function listed(values: unknown): string {
  if (!Array.isArray(values)) return 'an allowed value'
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
