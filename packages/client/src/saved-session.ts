import type { Conversation } from './conversation/conversation.ts'
import { type LegacySideOptions, resumeLegacy } from './eras/legacy-side.ts'
import type { ServerFacts, Side } from './eras/side.ts'
import { UnsupportedRevisionError } from './errors.ts'

/** A session over HTTP that outlives its client: JSON, to be kept as secret as credentials. */
export interface SavedSession {
  readonly id: string
  readonly protocolVersion: string
  /** Ids of requests are not used twice within a session: this one is the next. */
  readonly nextRequestId: number
  readonly server: Partial<ServerFacts>
}

/** The session of a connection, if it has one. */
export function savedSession({ transport, nextId }: Conversation, side: Side): SavedSession | undefined {
  const { sessionId } = transport
  if (sessionId === undefined) return undefined
  const { server, revision } = side
  return { id: sessionId, protocolVersion: revision.version, nextRequestId: nextId, server }
}

/**
 * Goes on with a session on a connection that has been started.
 *
 * @throws UnsupportedRevisionError where its revision is not to be spoken; TypeError where the transport has no sessions
 */
export function resumed(
  conversation: Conversation,
  { id, protocolVersion, nextRequestId, server }: SavedSession,
  options: LegacySideOptions,
): Side {
  const revision = options.revisions.find(({ version }) => version === protocolVersion)
  if (revision === undefined)
    throw new UnsupportedRevisionError(`The session is of a revision that this client does not speak`, [
      protocolVersion,
    ])
  if (conversation.transport.resume === undefined)
    throw new TypeError('The transport has no sessions that could be gone on with')
  conversation.transport.resume(id)
  conversation.continueFrom(nextRequestId)
  const { info, capabilities = {}, instructions } = server
  return resumeLegacy(conversation, options, { revision, server: { info, capabilities, instructions } })
}
