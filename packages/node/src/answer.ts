import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Endpoint, HttpReply } from '@jetway/core/http'
import { sendNodeStream, watchNodeReply } from './adapter/reply.ts'
import { serve } from './adapter/serve.ts'
import type { MountRequest } from './request.ts'

/** Sends the reply to a request, unless a timeout in the app has already replied. */
export function answerRequest(endpoint: Endpoint, httpRequest: MountRequest): void {
  const { request, response } = httpRequest
  serve(httpRequest, endpoint.accept(httpRequest), (reply) => {
    if (response.headersSent) return endpoint.discard(reply)
    try {
      watchNodeReply(endpoint, { httpRequest, request, response }, reply)
      send(response, request, reply, (error) => sendFailure(endpoint, httpRequest, error))
    } catch (error) {
      sendFailure(endpoint, httpRequest, error)
    }
  })
}

/**
 * Replies with 500 after an error in the host, such as middleware that throws when the headers are sent.
 * Never throws.
 */
export function sendFailure(endpoint: Endpoint, httpRequest: MountRequest, error: unknown): void {
  const { request, response } = httpRequest
  const reply = endpoint.fail(httpRequest, error)
  try {
    if (!response.headersSent) return send(response, request, reply)
  } catch {
    // The error has already been logged.
  }
  response.destroy()
}

/**
 * Sends a reply, including the headers that middleware has set.
 *
 * @param failed - called if the head of a stream cannot be sent
 */
export function send(
  response: ServerResponse,
  request: IncomingMessage,
  reply: HttpReply,
  failed?: (error: unknown) => void,
): void {
  if (reply.open !== undefined)
    return sendNodeStream(request, response, () => (setHead(response, reply), true), reply.open, failed)
  const { status, headers, body } = reply
  if (body === undefined) {
    setHead(response, reply)
    response.end()
  } else {
    // A single call is cheaper than one call per header. Node adds the length only if it creates the head itself.
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
  }
}

function setHead(response: ServerResponse, { status, headers }: HttpReply): void {
  response.statusCode = status
  for (const name in headers) response.setHeader(name, headers[name] as string)
}
