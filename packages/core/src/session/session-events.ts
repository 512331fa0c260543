import type { ServerRuntime } from './server-runtime.ts'
import type { Session } from './session.ts'

/** Emits `session:open` now, and `session:close` when the session closes. */
export function emitSessionEvents(
  { events, clock }: Pick<ServerRuntime, 'events' | 'clock'>,
  session: Session,
  { resumed }: { readonly resumed: boolean },
): void {
  const { id, principal, client } = session.record
  const since = clock.now()
  events.emit('session:open', () => ({
    sessionId: id,
    session,
    principal,
    revision: session.revision.version,
    client: client.info?.name,
    resumed,
  }))
  session.onClose(() =>
    events.emit('session:close', () => ({ sessionId: id, principal, durationMs: clock.now() - since })),
  )
}
