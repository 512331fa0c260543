import { ClientError } from '../errors.ts'
import { printable } from '../util/printable.ts'

const MAX_NAMES = 20

export const shown = (name: string): string => printable(name, 128)

function list(names: readonly string[], none: string): string {
  if (names.length === 0) return none
  const some = names.slice(0, MAX_NAMES).map(shown).join(', ')
  const more = names.length - MAX_NAMES
  return `there are: ${some}${more > 0 ? ` and ${more} more` : ''}`
}

export const unknownServer = (server: string, known: readonly string[]): ClientError =>
  new ClientError(
    'unknown-server',
    `There is no server ${shown(server)}; ${list(known, 'none is connected')}`,
  )

export const unknownTool = (tool: string, known: readonly string[]): ClientError =>
  new ClientError('unknown-tool', `There is no tool ${shown(tool)}; ${list(known, 'there are none')}`)

export const notApproved = (what: string, server: string, cause?: unknown): ClientError =>
  new ClientError('not-approved', `${what} of the server ${shown(server)} was not approved`, causeOf(cause))

export const unavailable = (server: string, why: string, cause?: unknown): ClientError =>
  new ClientError('unavailable', `The server ${shown(server)} ${why}`, causeOf(cause))

const causeOf = (cause: unknown): ErrorOptions | undefined => (cause === undefined ? undefined : { cause })
