import { AsyncResource } from 'node:async_hooks'
import type { Readable } from 'node:stream'
import type { AcceptedRequest, Endpoint, HttpReply, HttpRequest, RequestBody } from '@jetway/core/http'
import { collectStream } from './body.ts'

/** A request in Node whose body may still be a stream. */
export interface StreamedRequest extends HttpRequest {
  /** The body, an error, or the stream to read the body from. Called once, after the head was accepted. */
  body(limit: number): RequestBody | Error | Readable
}

/**
 * Answers a request: reads the body if the head is accepted, and passes the reply to `send`. It does not create a
 * promise unless the endpoint needs one, because a promise costs more than most calls.
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
  // Stream events run outside the async context of the app's hooks, but handlers expect that context.
  const context = new AsyncResource('jetway')
  collectStream(body, accepted, context.runInAsyncScope.bind(context, answer, undefined, accepted, send))
}

/** Returns an error instead of throwing it: a getter of the host may throw. */
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
