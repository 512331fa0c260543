import { ClientError } from '../errors.ts'
import { printable } from '../printable.ts'

/** Names that a message gives, and what of each. */
const MAX_NAMES = 20
const MAX_NAME = 128

export const shown = (name: string): string => printable(name, MAX_NAME)

function listed(names: readonly string[]): string {
  const some = names.slice(0, MAX_NAMES).map(shown).join(', ')
  const more = names.length - MAX_NAMES
  return more > 0 ? `${some} and ${more} more` : some
}

export const unknownServer = (server: string, known: readonly string[]): ClientError =>
  new ClientError(
    'unknown-server',
    `There is no server ${shown(server)}; ${known.length === 0 ? 'none is connected' : `there are: ${listed(known)}`}`,
  )

export const unknownTool = (tool: string, known: readonly string[]): ClientError =>
  new ClientError(
    'unknown-tool',
    `There is no tool ${shown(tool)}; ${known.length === 0 ? 'there are none' : `there are: ${listed(known)}`}`,
  )

export const notApproved = (what: string, server: string, cause?: unknown): ClientError =>
  new ClientError(
    'not-approved',
    `${what} of the server ${shown(server)} was not approved`,
    cause === undefined ? undefined : { cause },
  )

/** The server is registered, and cannot be asked now. */
export const unavailable = (server: string, why: string, cause?: unknown): ClientError =>
  new ClientError(
    'unavailable',
    `The server ${shown(server)} ${why}`,
    cause === undefined ? undefined : { cause },
  )
