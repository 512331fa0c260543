import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { AuthInfo, MountHandle } from '@jetway/core'
import {
  checkMountOptions,
  createEndpoint,
  type EndpointOptions,
  type Servable,
  type ServerSelector,
} from '@jetway/core/http'
import type { OptionNames } from '@jetway/core/protocol'
import { onNodeClose } from './adapter/turn.ts'
import { answerRequest, send, sendFailure } from './answer.ts'
import { missedPath } from './missed-path.ts'
import { createRouter, DEFAULT_PATH, pathOf } from './paths.ts'
import { MountRequest, type ParsedBody } from './request.ts'
import { documenter } from './well-known.ts'

/** A request from `node:http`, or from the compatibility API of `node:http2`. */
export type NodeRequest = IncomingMessage | Http2ServerRequest
/** The response to a {@link NodeRequest}. */
export type NodeResponse = ServerResponse | Http2ServerResponse

/**
 * Chooses the server for a request. If it returns undefined, the request is refused with 404. If the mount is
 * used in Koa, the second argument is Koa's context. This is declared as a method so that a function may
 * require the request type of its host, such as Express's.
 */
export type McpSelector<Locals = unknown> = {
  select(
    request: NodeRequest,
    context?: unknown,
  ): Servable<Locals> | undefined | Promise<Servable<Locals> | undefined>
}['select']

/**
 * The mount's own options. If the mount is used in Koa, the functions receive Koa's context as their second
 * argument.
 */
export interface MountOptions<Locals> {
  /**
   * The server, or a function that chooses a server for each session (or, without sessions, for each request).
   */
  readonly server: Servable<Locals> | McpSelector<Locals>
  /**
   * The path of the server, relative to the path at which the host mounts it, or the full path:
   * `app.use('/mcp', mcp({ server, path: '/mcp' }))`. With `legacySse`, the server also handles `/sse` and
   * `/message` in the same directory.
   *
   * @default '/mcp'. The mount path itself is then handled too: `app.use('/mcp', mcp({ server }))`
   */
  readonly path?: string
  /**
   * Returns the app's own data for a request, available to handlers as `ctx.locals`. Called once, after
   * authentication.
   */
  locals?(this: void, request: NodeRequest, context?: unknown): NoInfer<Locals>
  /**
   * Returns the caller that the app has already authenticated, available to handlers as `ctx.auth`. Undefined
   * means an anonymous caller. To authenticate callers in the mount instead, set `authenticate`; the two
   * options exclude each other.
   */
  authInfo?(this: void, request: NodeRequest, context?: unknown): AuthInfo | undefined
}

const OWN_OPTIONS: OptionNames<MountOptions<unknown>> = { server: 1, path: 1, locals: 1, authInfo: 1 }

/**
 * The options of the mount and of its endpoint. `locals` is required if the server declares the type of
 * `ctx.locals`.
 */
export type McpMountOptions<Locals = unknown> = EndpointOptions &
  MountOptions<Locals> &
  (unknown extends Locals ? unknown : Required<Pick<MountOptions<Locals>, 'locals'>>)

/** The properties of Koa's context that the mount uses. */
export interface KoaContext {
  readonly req: NodeRequest
  readonly res: NodeResponse
  readonly originalUrl: string
  readonly request: object
  respond?: boolean
}

/** A `node:http` listener, Express and Connect middleware, and the mount's handle. */
export interface McpMount extends MountHandle {
  /**
   * Handles requests to the mount's paths. Other requests are passed to `next`, or refused with 404 if there is
   * no `next`. Never throws.
   */
  (request: NodeRequest, response: NodeResponse, next?: (error?: unknown) => void): void
  /** The same mount as Koa middleware. Its promise resolves when the reply has ended. */
  readonly koa: (context: KoaContext, next: () => Promise<unknown>) => Promise<unknown>
}

/**
 * Mounts an MCP server on `node:http`, Express, Connect or Koa: `createServer(mcp({ server }))`,
 * `app.use('/mcp', mcp({ server }))`, `app.use(mcp({ server }).koa)`.
 *
 * Mount it before body parsers. If a parser has already read the body, the mount uses `request.body`, and the
 * parser's limits apply. Replies and streams keep the headers that earlier middleware has set. Close it before
 * the HTTP server.
 */
export function mcp<Locals = unknown>(options: McpMountOptions<Locals>): McpMount {
  checkMountOptions(options, OWN_OPTIONS, 'mcp({ server })')
  const { server, path, locals, authInfo, ...rest }: EndpointOptions & MountOptions<Locals> = options
  const at = path ?? DEFAULT_PATH
  const endpoint = createEndpoint(neutral(server), rest, { path: at })
  const documents = documenter(endpoint.wellKnown)
  const missed = missedPath(endpoint, at)
  const routeOf = createRouter(path, rest.legacySse, endpoint.probes)
  const readers = { locals, auth: authInfo }

  /**
   * Handles the request. Returns false if the request is not meant for this mount. HTTP/2's compatibility API
   * has all the HTTP/1 properties that are used here.
   */
  function answers(req: NodeRequest, res: NodeResponse, original: string, koa?: KoaContext): boolean {
    const [request, response] = [req as IncomingMessage, res as ServerResponse]
    const route = routeOf(request.url ?? '/', original)
    if (route === undefined) {
      const answered = documents.answer(request, response, original)
      if (!answered) missed(request, pathOf(request.url ?? '/'))
      return answered
    }
    documents.check(request.url, original)
    if (route === 'livez' || route === 'readyz')
      send(response, request, endpoint.probe(route, request.method ?? ''))
    else {
      const body = (koa?.request ?? request) as ParsedBody
      const around = { path: original, body, readers, context: koa }
      answerRequest(endpoint, new MountRequest(route, request, response, around))
    }
    return true
  }

  /** Replies with 500 if there is no host to do so, because an uncaught error would terminate the process. */
  function fails(req: NodeRequest, res: NodeResponse, error: unknown): void {
    const [request, response] = [req as IncomingMessage, res as ServerResponse]
    const around = { path: request.url ?? '/', body: {}, readers, context: undefined }
    sendFailure(endpoint, new MountRequest('mcp', request, response, around), error)
  }

  const mount = (request: NodeRequest, response: NodeResponse, next?: (error?: unknown) => void): void => {
    const original = (request as { originalUrl?: string }).originalUrl ?? request.url ?? '/'
    try {
      if (answers(request, response, original)) return
    } catch (error) {
      // Only a mistake in the app's setup causes an error here.
      return next === undefined ? fails(request, response, error) : next(error)
    }
    if (next !== undefined) return next()
    const head = { 'content-type': 'text/plain; charset=utf-8' }
    ;(response as ServerResponse)
      .writeHead(404, head)
      .end(`Not found. The MCP endpoint is /${at.replace(/^\//, '')}\n`)
  }
  return Object.assign(mount, {
    koa(context: KoaContext, next: () => Promise<unknown>): Promise<unknown> {
      const { req, res, originalUrl } = context
      if (!answers(req, res, originalUrl, context)) return next()
      context.respond = false
      return new Promise<void>((resolve) =>
        onNodeClose(req as IncomingMessage, res as ServerResponse, resolve),
      )
    },
    close: (closing?: { readonly deadline?: number }) => endpoint.close(closing),
    closed: endpoint.closed,
    stats: () => endpoint.stats(),
    [Symbol.asyncDispose]: () => endpoint.close(),
  })
}

/** Drops the type of `locals`, because the signature of `mcp` has already checked it. */
function neutral<Locals>(server: Servable<Locals> | McpSelector<Locals>): Servable | ServerSelector {
  if (typeof server !== 'function') return server as Servable
  return (request) => {
    const httpRequest = request as MountRequest
    return server(httpRequest.request, httpRequest.context) as ReturnType<ServerSelector>
  }
}
