import type { IncomingMessage, ServerResponse } from 'node:http'
import { type HttpReply, type HttpRequest, LARGE_REPLY, type ReplyLimits } from '@jetway/core/http'
import { onNodeClose } from './turn.ts'
import { StallLimit } from './stall-limit.ts'

/** A request, and the request and the response of Node that carry it. */
export interface NodeExchange {
  readonly asked: HttpRequest
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/**
 * Watches a reply that is about to be sent on Node's response, until the client has read it
 * and has sent its whole request.
 *
 * A large body counts as queued until it has left the process. If the client reads nothing of it for
 * one to two minutes, the connection is closed: otherwise a client that never reads could make a
 * server keep any number of replies. If so many replies wait that callers are refused, the client has five to
 * ten seconds. If the reply precedes the end of the request, such as 413, the
 * rest has the time of a body.
 */
export function watchNodeReply(
  endpoint: ReplyLimits,
  { asked, request, response }: NodeExchange,
  { open, body }: HttpReply,
): void {
  if (open !== undefined) return
  // A request that a host makes up has no `complete`.
  const { complete = true } = request as Partial<IncomingMessage>
  if (!complete) {
    // A request of HTTP/2 does not end its stream when it is destroyed.
    const { stream = request } = request as { readonly stream?: { destroy(): unknown } }
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
    endpoint.hold(asked, body.length, () => stall.shorten()),
  )
}
