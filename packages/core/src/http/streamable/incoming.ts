import type { Incoming } from '../../protocol/jsonrpc.ts'
import { checkParsed, type Parsed, parseBytes, type ParseLimits } from '../../protocol/parse.ts'
import type { Session } from '../../session/session.ts'

/** A body as an adapter gives it: bytes, or what its host has parsed before. */
export type Body = Uint8Array | { readonly parsed: unknown }

/** What a body says, within the limits on its shape. */
export function parseBody(body: Body, limits: ParseLimits): Parsed {
  return 'parsed' in body ? checkParsed(body.parsed, limits) : parseBytes(body, limits)
}

/** Hands over what has no answer. Without a session there is nobody whom it could concern. */
export function deliver(session: Session | undefined, incoming: Incoming): void {
  if (incoming.kind === 'notification') session?.notification(incoming.message)
  else if (incoming.kind === 'response') session?.response(incoming.message)
}
