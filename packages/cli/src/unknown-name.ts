import { type CliError, usageError } from './errors.ts'
import { nearest } from './parse.ts'

/** Creates the error for an unknown name. */
export async function unknownName(what: string, name: string, known: readonly string[]): Promise<CliError> {
  const near = await nearest(name, known)
  const list =
    known.length === 0 ? 'There are none' : `Use ${known.length === 1 ? '' : 'one of '}${known.join(', ')}`
  return usageError(`${what} ${name} is unknown`, near === undefined ? list : `Did you mean ${near}?`)
}
