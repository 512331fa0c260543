import { describeIssues } from '../../schema/issues.ts'
import { findJsonLoss } from '../../schema/validate/json-losses.ts'

/** Thrown if a handler returned a value that cannot be sent. It is logged, and the peer gets a generic text. */
export class OutputError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'OutputError'
  }
}

/** @throws OutputError with the path of a part that JSON cannot represent */
export function stringify(value: unknown, source: string): string {
  const json = tryStringify(value, source)
  if (json === undefined)
    throw new OutputError(`${source} returned a value of type ${typeof value}, which JSON cannot carry`)
  refuseLosses(value, source)
  return json
}

/**
 * Like {@link stringify}, but returns undefined for a value that JSON omits, and does not search for parts that
 * JSON loses.
 */
export function tryStringify(value: unknown, source: string): string | undefined {
  try {
    return JSON.stringify(value)
  } catch (cause) {
    throw new OutputError(`${source} returned a value that JSON cannot carry`, { cause })
  }
}

/** @throws OutputError with the path of a part that JSON loses */
export function refuseLosses(value: unknown, source: string): void {
  const loss = findJsonLoss(value)
  if (loss === undefined) return
  const cause = value instanceof Error ? { cause: value } : undefined
  throw new OutputError(`${source} returned a value that JSON cannot carry: ${describeIssues([loss])}`, cause)
}
