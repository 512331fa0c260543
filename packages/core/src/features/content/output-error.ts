import { describeIssues } from '../../schema/issues.ts'
import { findJsonLoss } from '../../schema/validate/json-losses.ts'

/** A handler returned a value that cannot be sent. It is logged, and the peer gets a generic text. */
export class OutputError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'OutputError'
  }
}

/** @throws OutputError for a value that JSON cannot represent, with the path of the part */
export function stringify(value: unknown, source: string): string {
  const json = tryStringify(value, source)
  if (json === undefined)
    throw new OutputError(`${source} returned a value of type ${typeof value}, which JSON cannot carry`)
  refuseLosses(value, source)
  return json
}

/**
 * As {@link stringify}, but undefined for a value that JSON leaves out, and without
 * a search for what JSON loses.
 */
export function tryStringify(value: unknown, source: string): string | undefined {
  try {
    return JSON.stringify(value)
  } catch (cause) {
    throw new OutputError(`${source} returned a value that JSON cannot carry`, { cause })
  }
}

/** @throws OutputError for a value with a part that JSON loses, with its path */
export function refuseLosses(value: unknown, source: string): void {
  const loss = findJsonLoss(value)
  if (loss === undefined) return
  const cause = value instanceof Error ? { cause: value } : undefined
  throw new OutputError(`${source} returned a value that JSON cannot carry: ${describeIssues([loss])}`, cause)
}
