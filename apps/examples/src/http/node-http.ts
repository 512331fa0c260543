import type { IncomingMessage, ServerResponse } from 'node:http'
import { createEndpoint } from '@jetway/core/http'
import type { AcceptedRequest, EndpointOptions, HttpReply, HttpRequest, Servable } from '@jetway/core/http'
import { collectStream } from '@jetway/node/adapter'

// #region mount
export function mcp(server: Servable, options?: EndpointOptions) {
  const endpoint = createEndpoint(server, options)
  const listener = async (req: IncomingMessage, res: ServerResponse, parsed?: unknown): Promise<void> => {
    const readBody = (accepted: AcceptedRequest) => (parsed === undefined ? read(req, accepted) : { parsed })
    const reply = await endpoint.handle(translate(req, res), readBody)
    if (res.headersSent) endpoint.discard(reply)
    else send(res, reply)
  }
  return { endpoint, listener }
}
// #endregion

// #region request
function translate(req: IncomingMessage, res: ServerResponse): HttpRequest {
  const left = new AbortController()
  res.once('close', () => res.writableFinished || left.abort())
  if (res.destroyed) left.abort()
  return {
    method: req.method ?? '',
    route: 'mcp',
    peer: req.socket,
    query: (name) => new URLSearchParams(req.url?.split('?')[1]).get(name) ?? undefined,
    header: (name) => req.headersDistinct[name]?.[0],
    rawHeaders: req.rawHeaders,
    signal: left.signal,
  }
}
// #endregion

// #region body
function read(req: IncomingMessage, accepted: AcceptedRequest): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    collectStream(req, accepted, (body) => (body instanceof Error ? reject(body) : resolve(body)))
  })
}
// #endregion

// #region reply
function send(res: ServerResponse, { status, headers, body, open }: HttpReply): void {
  res.statusCode = status
  res.setHeaders(new Map(Object.entries(headers)))
  if (open === undefined) return void res.end(body)
  res.flushHeaders()
  let drained = (): void => {}
  res.on('drain', () => drained()).on('close', () => drained())
  const wait = () => new Promise<void>((resolve) => (drained = resolve))
  open({
    write: (chunk) => (res.destroyed || res.write(chunk) ? undefined : wait()),
    close: () => void res.end(),
  })
}
// #endregion
