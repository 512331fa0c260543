import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Endpoint, HttpReply } from '@jetway/core/http'
import { sendNodeStream, watchNodeReply } from './adapter/reply.ts'
import { serve } from './adapter/serve.ts'
import type { MountRequest } from './request.ts'

/** Answers a request, unless a timeout in the app has already replied. */
export function answerRequest(endpoint: Endpoint, httpRequest: MountRequest): void {
  const { request, response } = httpRequest
  serve(httpRequest, endpoint.accept(httpRequest), (reply) => {
    if (response.headersSent) return endpoint.discard(reply)
    watchNodeReply(endpoint, { httpRequest, request, response }, reply)
    send(response, request, reply)
  })
}

/** Sends a reply, including the headers that middleware has set. */
export function send(response: ServerResponse, request: IncomingMessage, reply: HttpReply): void {
  if (reply.open !== undefined)
    return sendNodeStream(request, response, () => (setHead(response, reply), true), reply.open)
  const { status, headers, body } = reply
  if (body === undefined) {
    setHead(response, reply)
    response.end()
  } else {
    // A single call costs less than one call for each header. Node adds the length only if it creates the head
    // itself.
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
  }
}

function setHead(response: ServerResponse, { status, headers }: HttpReply): void {
  response.statusCode = status
  for (const name in headers) response.setHeader(name, headers[name] as string)
}
