import { AsyncResource } from 'node:async_hooks'
import type { Readable } from 'node:stream'
import type { AcceptedRequest, Endpoint, HttpReply, HttpRequest, RequestBody } from '@jetway/core/http'
import { collectStream } from './body.ts'

/** A request on Node whose body may not have been read yet. */
export interface StreamedRequest extends HttpRequest {
  /**
   * Returns the body, an error, or a stream from which to read the body. Called once, after the endpoint has
   * accepted the head.
   */
  body(limit: number): RequestBody | Error | Readable
}

/**
 * Serves a request: reads the body if the endpoint accepts the head, and passes the reply to `send`. It
 * creates no promise unless the endpoint needs one, because a promise costs more than most calls.
 *
 * @param accepted - the outcome of `endpoint.accept(request)`
 * @param send - must not throw
 */
export function serve(
  request: StreamedRequest,
  accepted: ReturnType<Endpoint['accept']>,
  send: (reply: HttpReply) => void,
): void {
  if (accepted instanceof Promise) return void accepted.then((settled) => serve(request, settled, send))
  if ('status' in accepted) return send(accepted)
  const body = bodyOf(request, accepted.bodyLimit)
  if (!('pipe' in body)) return answer(accepted, send, body)
  // Handlers expect to run in the async context of the app's hooks, but stream events run outside it.
  const context = new AsyncResource('jetway')
  collectStream(body, accepted, context.runInAsyncScope.bind(context, answer, undefined, accepted, send))
}

/** Returns an error instead of throwing it, because getters of the host may throw. */
function bodyOf(request: StreamedRequest, limit: number): ReturnType<StreamedRequest['body']> {
  try {
    return request.body(limit)
  } catch (error) {
    return error instanceof Error ? error : new Error('The body could not be read', { cause: error })
  }
}

function answer(
  accepted: AcceptedRequest,
  send: (reply: HttpReply) => void,
  body: RequestBody | Error,
): void {
  const reply = accepted.answer(body)
  if (reply instanceof Promise) void reply.then(send)
  else send(reply)
}
