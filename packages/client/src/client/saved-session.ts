import type { Revision } from '@jetway/core/protocol'
import type { Dialect, DialectOptions, ServerDescription } from '../dialect/dialect.ts'
import { LegacyDialect } from '../dialect/legacy-dialect.ts'
import { UnsupportedRevisionError } from '../errors.ts'

/** An HTTP session for a later client, as JSON. Store it like a credential. */
export interface SavedSession {
  readonly id: string
  readonly protocolVersion: string
  /** Request ids must not repeat within a session. */
  readonly nextRequestId: number
  readonly server: Partial<ServerDescription>
}

export function savedSession({ connection, server, revision }: Dialect): SavedSession | undefined {
  const { sessionId: id } = connection.transport
  if (id === undefined) return undefined
  return { id, protocolVersion: revision.version, nextRequestId: connection.nextId, server }
}

/** Resumes a saved session. @throws UnsupportedRevisionError; TypeError if the transport has no sessions */
export function resume(
  options: DialectOptions,
  revisions: readonly Revision[],
  { id, protocolVersion, nextRequestId, server }: SavedSession,
): Dialect {
  const { connection } = options
  const { transport } = connection
  const revision = revisions.find(({ version }) => version === protocolVersion)
  if (revision === undefined)
    throw new UnsupportedRevisionError('This client does not speak the revision of the saved session', [
      protocolVersion,
    ])
  if (transport.resume === undefined)
    throw new TypeError('The transport has no sessions: resume a session over Streamable HTTP')
  transport.resume(id)
  connection.nextId = nextRequestId
  connection.negotiated(revision)
  const { info, capabilities = {}, instructions } = server
  const session = { revision, server: { info, capabilities, instructions } }
  return new LegacyDialect(options, revisions, session)
}
