import type { IncomingMessage, ServerResponse } from 'node:http'
import { BodyError, createEndpoint, duplicateHeader } from '@jetway/core/http'
import type { EndpointOptions, HttpReply, HttpRequest, Servable } from '@jetway/core/http'

// #region mount
export function mcp(server: Servable, options?: EndpointOptions) {
  const endpoint = createEndpoint(server, options)
  const listener = async (req: IncomingMessage, res: ServerResponse, parsed?: unknown): Promise<void> =>
    send(res, await endpoint.handle(translate(req, res, parsed)))
  return { endpoint, listener }
}
// #endregion

// #region request
function translate(req: IncomingMessage, res: ServerResponse, parsed: unknown): HttpRequest {
  const left = new AbortController()
  res.once('close', () => res.writableFinished || left.abort())
  if (res.destroyed) left.abort()
  return {
    method: req.method ?? '',
    route: 'mcp',
    peer: req.socket,
    query: (name) => new URLSearchParams(req.url?.split('?')[1]).get(name) ?? undefined,
    header: (name) => req.headersDistinct[name]?.[0],
    headers: (name) => req.headersDistinct[name] ?? [],
    duplicateHeader: () => duplicateHeader(req.rawHeaders),
    body: (limit) => (parsed === undefined ? read(req, limit) : { parsed }),
    signal: left.signal,
  }
}
// #endregion

// #region body
async function read(req: IncomingMessage, limit: number): Promise<Uint8Array> {
  const tooLarge = BodyError.tooLarge(limit)
  if (Number(req.headers['content-length']) > limit) throw tooLarge
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of req.iterator({ destroyOnReturn: false })) {
      chunks.push(chunk)
      if ((size += chunk.length) > limit) throw tooLarge
    }
  } catch (error) {
    req.resume()
    throw error === tooLarge ? error : BodyError.endedEarly()
  }
  return Buffer.concat(chunks)
}
// #endregion

// #region reply
function send(res: ServerResponse, { status, headers, body, open }: HttpReply): void {
  if (res.headersSent) return open?.({ write: () => {}, close: () => {} })
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
