import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { EVERY_CAPABILITY } from '@jetway-apps/test-support'
import { listen } from '@jetway-apps/test-support/http'
import type { Logger } from '@jetway/core'
import {
  BodyError,
  createEndpoint,
  documentsOf,
  type Route,
  routePaths,
  type Endpoint,
  type HttpReply,
  type HttpRequest,
  type RequestBody,
  type WellKnown,
} from '@jetway/core/http'
import { isQueued, nodeSignal, onTurn } from '@jetway/node/adapter'
import type { AdapterSubject, HostSetup } from '../../src/contracts/adapter.ts'

export interface Exchanged {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly host: HostSetup
  readonly endpoint: Endpoint
  readonly routes: ReadonlyMap<string, Route>
}

/** The parts of an adapter for `node:http`, which tests can replace with broken ones. */
export interface Parts {
  readonly isForMcp: (path: string) => boolean
  /** Returns the public document that a request asks for. */
  readonly document: (documents: WellKnown | undefined, exchanged: Exchanged) => HttpReply | undefined
  readonly route: (path: string, routes: ReadonlyMap<string, Route>) => Route
  /** Handles one complete exchange. */
  readonly serve: (exchanged: Exchanged, parts: Parts) => Promise<void>
  readonly request: (exchanged: Exchanged, parts: Parts) => HttpRequest
  readonly body: (exchanged: Exchanged, parts: Parts, limit: number) => Promise<RequestBody>
  readonly read: (req: IncomingMessage, limit: number) => Promise<RequestBody>
  readonly signal: (req: IncomingMessage, res: ServerResponse) => AbortSignal
  readonly isQueued: (res: ServerResponse) => boolean
  /** Calls the function when it is the stream's turn to begin. */
  readonly turn: (req: IncomingMessage, res: ServerResponse, begin: () => void) => void
  readonly sendWhole: (res: ServerResponse, reply: HttpReply) => void
  readonly sendHead: (res: ServerResponse, reply: HttpReply) => void
  readonly write: (res: ServerResponse, chunk: string) => void | Promise<void>
  readonly end: (res: ServerResponse) => void
  readonly close: (endpoint: Endpoint) => Promise<void>
}

export const SOUND: Parts = {
  isForMcp: (path) => path === '/mcp',
  document: (documents, { req }) =>
    documents?.answer({
      method: req.method ?? '',
      path: pathOf(req),
      header: (name) => req.headersDistinct[name]?.[0],
    }),
  route: (path, routes) => routes.get(path) ?? 'mcp',

  async serve(exchanged, parts) {
    const reply = await exchanged.endpoint.handle(parts.request(exchanged, parts), ({ bodyLimit }) =>
      parts.body(exchanged, parts, bodyLimit),
    )
    const { req, res } = exchanged
    if (reply.open === undefined) return parts.sendWhole(res, reply)
    parts.turn(req, res, () => {
      if (!req.socket.destroyed) parts.sendHead(res, reply)
      reply.open({ write: (chunk) => parts.write(res, chunk), close: () => parts.end(res) })
    })
  },

  request({ req, res, host, routes }, parts) {
    const path = pathOf(req)
    let signal: AbortSignal | undefined
    return {
      method: req.method ?? '',
      route: parts.route(path, routes),
      path,
      peer: req.socket,
      auth: host.auth?.(),
      get locals() {
        return host.locals?.()
      },
      get signal() {
        return (signal ??= parts.signal(req, res))
      },
      isQueued: parts.isQueued(res),
      query: (name) => new URLSearchParams(req.url?.split('?')[1]).get(name) ?? undefined,
      header: (name) => req.headersDistinct[name]?.[0],
      rawHeaders: req.rawHeaders,
    }
  },

  body: async ({ req, host }, parts, limit) =>
    host.parsesBodies === true
      ? { parsed: JSON.parse((await buffer(req)).toString()) as unknown }
      : parts.read(req, limit),

  async read(req, limit) {
    const tooLarge = new BodyError(413, 'Too large')
    const chunks: Uint8Array[] = []
    let size = 0
    try {
      for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
        size += chunk.length
        if (size > limit) throw tooLarge
        chunks.push(chunk)
      }
    } catch (error) {
      req.resume()
      throw error === tooLarge ? error : new BodyError(400, 'Ended early')
    }
    return Buffer.concat(chunks)
  },

  signal: nodeSignal,
  isQueued,
  turn: onTurn,

  sendWhole(res, { status, headers, body }) {
    res.statusCode = status
    res.setHeaders(new Map(Object.entries(headers)))
    res.end(body)
  },

  sendHead(res, { status, headers }) {
    res.statusCode = status
    res.setHeaders(new Map(Object.entries(headers)))
    res.flushHeaders()
  },

  write(res, chunk) {
    if (res.destroyed || res.write(chunk)) return undefined
    return new Promise((resolve) => {
      const go = (): void => {
        res.off('drain', go).off('close', go)
        resolve()
      }
      res.on('drain', go).on('close', go)
    })
  },

  end: (res) => void res.end(),
  close: (endpoint) => endpoint.close(),
}

const pathOf = (req: IncomingMessage): string => req.url?.split('?')[0] ?? ''

/** Logs nothing, because the cases report failures themselves. */
const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} }

/** Creates the adapter with some parts replaced. */
export function breakable(broken: Partial<Parts> = {}): AdapterSubject {
  const parts = { ...SOUND, ...broken }
  return {
    capabilities: EVERY_CAPABILITY,
    async serve(server, options, host) {
      const { headers = {}, prefix = '' } = host
      const site = prefix === '' || !options.authenticate ? undefined : documentsOf(options.authenticate, '')
      const endpoint = createEndpoint(server, { logger: SILENT, ...options }, { path: `${prefix}/mcp` })
      const routes = routePaths('/mcp', options.legacySse)
      const besides = [...routes.keys()].filter((path) => path !== '/mcp')
      const { origin, release } = await listen((req, res) => {
        const exchanged = { req, res, host, endpoint, routes }
        const path = pathOf(req)
        const inner = path.startsWith(prefix) ? path.slice(prefix.length) : ''
        for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
        const own = inner === '' ? undefined : endpoint.wellKnown
        const document =
          parts.document(own, exchanged) ?? site?.answer({ method: 'GET', path, header: () => '' })
        if (document !== undefined) parts.sendWhole(res, document)
        else if (parts.isForMcp(inner) || besides.includes(inner))
          parts.serve(exchanged, parts).catch(() => res.writeHead(500).end('secret'))
        else if (path === '/echo') req.pipe(res)
        else res.writeHead(404).end()
      })
      return { url: `${origin}${prefix}/mcp`, close: () => parts.close(endpoint), release }
    },
  }
}
