import { AsyncResource } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type AcceptedRequest,
  collectStream,
  type Endpoint,
  type HttpReply,
  type RequestBody,
  sendNodeStream,
  watchNodeReply,
} from '@jetway/core/http'
import type { MountRequest } from './request.ts'

// #region answer
/**
 * Answers a request. It uses no promise where the endpoint needs none: a promise costs more than most calls.
 */
export function answerRequest(endpoint: Endpoint, asked: MountRequest): void {
  const accepted = endpoint.accept(asked)
  if (accepted instanceof Promise) void accepted.then((settled) => readBody(endpoint, asked, settled))
  else readBody(endpoint, asked, accepted)
}

function readBody(endpoint: Endpoint, asked: MountRequest, accepted: HttpReply | AcceptedRequest): void {
  if ('status' in accepted) return sendFirst(endpoint, asked, accepted)
  const answer = (body: RequestBody | Error): void => {
    const reply = accepted.answer(body)
    if (reply instanceof Promise) void reply.then((settled) => sendFirst(endpoint, asked, settled))
    else sendFirst(endpoint, asked, reply)
  }
  const body = asked.body(accepted.bodyLimit)
  if (body !== asked.request) return answer(body as RequestBody | Error)
  // Events of the stream run outside the async context of the app's middleware, which handlers expect.
  const context = new AsyncResource('jetway')
  collectStream(asked.request, accepted, (read) => context.runInAsyncScope(answer, undefined, read))
}
// #endregion

// #region reply
/** Sends a reply, unless a timeout of the app has replied. */
function sendFirst(endpoint: Endpoint, asked: MountRequest, reply: HttpReply): void {
  const { request, response } = asked
  if (response.headersSent) return endpoint.discard(reply)
  watchNodeReply(endpoint, { asked, request, response }, reply)
  send(response, request, reply)
}

/** Sends a reply, with the headers that middleware has set. */
export function send(response: ServerResponse, request: IncomingMessage, reply: HttpReply): void {
  if (reply.open !== undefined)
    return sendNodeStream(request, response, reply, () => (setHead(response, reply), true))
  const { status, headers, body } = reply
  if (body === undefined) {
    setHead(response, reply)
    response.end()
  } else {
    // One call costs less than one for each header. Node adds the length only if it makes the head by itself.
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
  }
}

function setHead(response: ServerResponse, { status, headers }: HttpReply): void {
  response.statusCode = status
  for (const name in headers) response.setHeader(name, headers[name] as string)
}
// #endregion
