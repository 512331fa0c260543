import type { HttpReply, HttpRequest } from '../types.ts'
import { LARGE_REPLY } from '../caller-bytes.ts'
import { type NodeIncoming, onNodeClose } from './node-turn.ts'
import { type NodeResponse, StallLimit } from './stall-limit.ts'

/** The limits of an endpoint that apply after it has replied. */
export interface ReplyLimits {
  /**
   * Counts the bytes of a reply in `stats().queuedBytes`, for `limits.queuedBytes`, until the returned function is
   * called: an adapter knows how long its host takes to send them. The stats of the server have them too, unless a
   * selector chose it for this request alone.
   *
   * @param hasten - called once if too many replies wait: a client that reads nothing should get less time
   */
  hold(request: HttpRequest, bytes: number, hasten?: () => void): () => void
  /**
   * Limits the time of a request whose body nobody reads, as that of a body. The
   * returned function clears the limit.
   *
   * @param stop - called after `limits.bodyTimeoutMs`
   */
  limitRest(stop: () => void): () => void
}

/** The members of Node's request that are watched. */
export interface NodeRequest extends NodeIncoming {
  /** Undefined on requests that a host makes up. */
  readonly complete?: boolean | undefined
  /** Of HTTP/2, whose requests do not end their stream when they are destroyed. */
  readonly stream?: { destroy(): unknown }
  once(event: 'close', listener: () => void): unknown
  destroy(): unknown
}

/** A request, and what carries it on Node. */
export interface NodeReplyTo {
  readonly asked: HttpRequest
  readonly request: NodeRequest
  readonly response: NodeResponse
}

/**
 * Watches a reply that is about to be sent on Node's response, until the client has read it
 * and has sent its whole request.
 *
 * A large body counts as queued until it has left the process. If the client reads nothing of it for
 * one to two minutes, the connection is closed: otherwise a client that never reads could make a
 * server keep any number of replies. If so many replies wait that callers are refused, five to ten seconds
 * are enough. If the reply precedes the end of the request, such as 413, the
 * rest has the time of a body.
 */
export function watchNodeReply(
  endpoint: ReplyLimits,
  { asked, request, response }: NodeReplyTo,
  { open, body }: HttpReply,
): void {
  if (open !== undefined) return
  if (request.complete === false) {
    const { stream = request } = request
    request.once(
      'close',
      endpoint.limitRest(() => stream.destroy()),
    )
  }
  if (body === undefined || body.length < LARGE_REPLY) return
  const stall = new StallLimit(response)
  stall.begin()
  onNodeClose(
    request,
    response,
    endpoint.hold(asked, body.length, () => stall.hasten()),
  )
}
