import { type CliError, usageError } from './errors.ts'
import { nearest } from './parse.ts'
import { printableLine } from './terminal.ts'

/** Creates the error for an unknown name. */
export async function unknownName(what: string, name: string, known: readonly string[]): Promise<CliError> {
  const near = await nearest(name, known)
  const names = known.map(printableLine).join(', ')
  const list = known.length === 0 ? 'There are none' : `Use ${known.length === 1 ? '' : 'one of '}${names}`
  return usageError(
    `${what} ${name} is unknown`,
    near === undefined ? list : `Did you mean ${printableLine(near)}?`,
  )
}
