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
/** Node looks this often whether the client has read more, in ms, and acts when it has not: after one to two times this. */
const STALLED_MS = 60_000

/**
 * Watches the body of a reply that is about to be sent on Node's response. Until it has left the process it counts as queued;
 * if the client reads nothing of it for one to two minutes, the connection is closed. Otherwise a client that never reads could make a
 * server keep any number of replies.
 */
export function watchNodeBody(
  endpoint: Pick<Endpoint, 'hold'>,
  response: NodeResponse,
  { body }: HttpReply,
): void {
  if (body === undefined || body.length < LARGE) return
  response.once('close', endpoint.hold(body.length))
  // Node sets another time after the reply.
  response.setTimeout(STALLED_MS, () => response.destroy())
}
