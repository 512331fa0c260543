import type { Endpoint } from '../endpoint.ts'
import type { HttpReply } from '../types.ts'

/** The members of Node's response that a body is watched on. */
export interface NodeResponse {
  once(event: 'close', listener: () => void): unknown
  setTimeout(ms: number, listener: () => void): unknown
  destroy(): unknown
}

/** Smaller bodies fit into the buffers of a socket. */
const LARGE = 65_536
/** How long a client may read nothing of a body, in ms. */
const STALLED_MS = 60_000

/**
 * Watches the body of a reply that is about to be sent on Node's response. Until it has left the process it counts as queued;
 * if the client reads nothing of it for 60 s, the connection is closed. Otherwise a client that never reads could make a
 * server keep any number of replies.
 */
export function watchNodeBody(
  endpoint: Pick<Endpoint, 'hold'>,
  response: NodeResponse,
  { body }: HttpReply,
): void {
  if (body === undefined || body.length < LARGE) return
  response.once('close', endpoint.hold(body.length))
  // Node restarts the time with each part that the client reads, and sets another one after the reply.
  response.setTimeout(STALLED_MS, () => response.destroy())
}
