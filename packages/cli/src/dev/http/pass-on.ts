import type { IncomingMessage, ServerResponse } from 'node:http'
import { request as send } from 'node:http'
import { endToEnd, type HttpProcess } from './process-http.ts'

/** Passes a request that is not an MCP request to the process, and returns its reply. Both remain unchanged. */
export function passOn(process: HttpProcess, request: IncomingMessage, response: ServerResponse): void {
  const end = process.begin()
  const { method, url, headers } = request
  const outgoing = send({
    host: '127.0.0.1',
    port: process.child.port,
    method,
    path: url,
    headers: endToEnd(headers),
    agent: false,
  })
  outgoing.once('response', (reply) => {
    response.writeHead(reply.statusCode ?? 502, endToEnd(reply.headers))
    // The head is sent immediately, because a stream may have no events for a long time.
    response.flushHeaders()
    reply.pipe(response)
    // An event stream may never end, so draining does not wait for it.
    if (reply.headers['content-type']?.startsWith('text/event-stream') === true) end()
    reply.once('error', () => response.destroy())
  })
  outgoing.once('error', () => {
    if (response.headersSent) response.destroy()
    else response.writeHead(502, { 'content-type': 'text/plain' }).end('The server ended before it replied')
  })
  response.once('close', () => {
    end()
    outgoing.destroy()
  })
  request.pipe(outgoing)
}
