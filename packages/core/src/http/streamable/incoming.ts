import type { Incoming } from '../../protocol/jsonrpc.ts'
import type { Session } from '../../session/session.ts'

/** Hands over what has no answer. Without a session there is nobody whom it could concern. */
export function deliver(session: Session | undefined, incoming: Incoming): void {
  if (incoming.kind === 'notification') session?.notification(incoming.message)
  else if (incoming.kind === 'response') session?.response(incoming.message)
}
