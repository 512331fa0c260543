import { AsyncResource } from 'node:async_hooks'
import { STATUS_CODES } from 'node:http'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { fastifySSE } from '@fastify/sse'
import type { AuthInfo, McpServer, MountHandle } from '@jetway/core'
import {
  checkMountOptions,
  collectStream,
  createEndpoint,
  routePaths,
  sendNodeStream,
  watchNodeReply,
} from '@jetway/core/http'
import type {
  AcceptedRequest,
  BodyError,
  Endpoint,
  EndpointOptions,
  HttpReply,
  RequestBody,
  Route,
  Servable,
  ServerSelector,
} from '@jetway/core/http'
import type { OptionNames } from '@jetway/core/protocol'
import type {
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  RegisterOptions,
  RouteHandlerMethod,
} from 'fastify'
import { checkHeaderLimits } from './header-limits.ts'
import { isIncomplete, isStream, PluginRequest, type RequestReaders } from './request.ts'
import { watchUnused } from './unused-connections.ts'

/** Chooses the server for a request. Undefined gives 404. */
export type McpSelector<Locals = unknown, App = unknown> = (
  request: FastifyRequest,
) => McpServer<Locals, App> | undefined | Promise<McpServer<Locals, App> | undefined>

interface PluginOptions<Locals, App> extends EndpointOptions {
  /** The server, or a function that chooses one for each session; without sessions, for each request. */
  readonly server: McpServer<Locals, App> | McpSelector<Locals, App>
  /**
   * Where the server answers, below `prefix` and the prefixes of the parent plugins. With `legacySse` it also answers at
   * `/sse` and `/message` in the same directory.
   *
   * @default '/mcp', or '/' where `prefix` is given, which then is the whole path
   */
  readonly path?: string
  /** Fastify's own option of a plugin: the prefix of its routes. */
  readonly prefix?: string
  /** The app's own data for a request, as `ctx.locals`. Called once, after authentication. */
  readonly locals?: (request: FastifyRequest) => NoInfer<Locals>
  /**
   * Reads the caller from the request if the app has authenticated it, as `ctx.auth`. Undefined is an anonymous caller.
   * `authenticate` finds out who calls instead; set one of them.
   */
  readonly authInfo?: (request: FastifyRequest) => AuthInfo | undefined
  /** Called with the handle of this mount: for its stats, or to close it before the app. Closing the app closes it too. */
  readonly onMount?: (mount: MountHandle) => void
}

/** The options of the plugin and of its endpoint. A server that declares its locals needs the option `locals`. */
export type McpPluginOptions<Locals = unknown, App = unknown> = PluginOptions<Locals, App> &
  (unknown extends Locals ? unknown : Required<Pick<PluginOptions<Locals, App>, 'locals'>>)

/**
 * What Fastify's own signatures of `register` ask of a server that declares its locals. No call can satisfy it: the
 * signature below takes those that are right, and the compiler reports the last signature that it tried. The types are an
 * intersection because it then reports the option that is missing, and not how two servers differ.
 */
type OptionsWithLocals = Omit<McpPluginOptions, 'server' | 'locals'> & ServerWithLocals
interface ServerWithLocals {
  readonly server: Servable<never> | ((request: FastifyRequest) => LocalsServable | Promise<LocalsServable>)
  readonly locals: (request: FastifyRequest) => 'the locals that the server declares'
}
type LocalsServable = Servable<never> | undefined

declare module 'fastify' {
  // The type of `locals` depends on the server, which Fastify's own signatures cannot express.
  interface FastifyRegister<T, RawServer, TypeProviderDefault, LoggerDefault> {
    <Locals, App>(plugin: typeof mcp, options: McpPluginOptions<Locals, App>): T
  }
}

type StreamReply = Extract<HttpReply, { readonly open: unknown }>
type Body = string | Uint8Array
type Payload = Body | Promise<Body | undefined>

/** Leaves the routes out of the documents of @fastify/swagger: OpenAPI cannot describe them. */
const HIDDEN: FastifySchema & { readonly hide: true } = { hide: true }
/** All methods, so that unknown ones get the endpoint's 405 and not the app's 404. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const OWN_OPTIONS: OptionNames<Omit<McpPluginOptions, keyof EndpointOptions> & RegisterOptions> = {
  server: 1,
  path: 1,
  locals: 1,
  authInfo: 1,
  onMount: 1,
  prefix: 1,
  logLevel: 1,
  logSerializers: 1,
}
/** Fastify would add the charset to a content type without one. */
const JSON_TYPE = 'application/json; charset=utf-8'
const BODY_LIMIT = 4 * 1024 * 1024
/** Fastify's default. Any other value was set by the app. */
const FASTIFY_BODY_LIMIT = 1024 * 1024
/** How long to wait for the last bytes after a close, in ms: a stalled client never reads them. */
const FLUSH_MS = 1000

/**
 * Mounts an MCP server on Fastify: `app.register(mcp, { server, path: '/mcp' })`.
 *
 * The routes have their own plugin scope. Hooks, CORS, authentication and the logger of the app apply to them; its body
 * parsers do not: until the handler runs, `request.body` is the unread stream. If a hook assigns another value to it, that
 * value is the parsed body. A lower `bodyLimit` of the app applies here too.
 *
 * `onSend` hooks run for JSON replies and for streams that are complete at once, but not for other streams, which have no
 * payload when their headers are sent. All keep the headers that earlier hooks have set. Closing the app ends the streams.
 */
export async function mcp(
  app: FastifyInstance,
  options: OptionsWithLocals | McpPluginOptions,
): Promise<void> {
  checkMountOptions(options, OWN_OPTIONS, 'app.register(mcp, { server })')
  const {
    server,
    path = options.prefix === undefined ? '/mcp' : '/',
    prefix: _prefix,
    locals,
    authInfo,
    onMount,
    logLevel: _logLevel,
    logSerializers: _logSerializers,
    ...rest
  } = options as McpPluginOptions & RegisterOptions
  const routes = routePaths(path, rest.legacySse)
  const bodyLimit = limitOf(app, rest.limits?.bodyBytes ?? BODY_LIMIT)
  const endpoint = createEndpoint(neutral(server), {
    logger: app.log,
    ...rest,
    limits: { ...rest.limits, bodyBytes: bodyLimit },
  })
  onMount?.(endpoint)
  const mount = new PluginMount(app, endpoint, { locals, auth: authInfo })

  app.removeAllContentTypeParsers()
  // Reads nothing: the guard checks the head first. JSON has its own entry because Fastify looks up '*' again for each request.
  app.addContentTypeParser(['application/json', '*'], (_request, payload, done) => done(null, payload))
  app.setErrorHandler(answerError)
  const endUnused = watchUnused(app.server)
  app.addHook('onListen', async () => checkHeaderLimits(app.server, rest.logger ?? app.log))
  app.addHook('preClose', async () => {
    await mount.close()
    endUnused()
  })
  routeProbes(app, endpoint)

  // @fastify/sse creates a context, a promise and two listeners for each request, but only streams need them. So it wraps
  // the function that opens a stream, and the route keeps the handler as the app's own onRoute hooks have left it.
  let handler: RouteHandlerMethod = mount.open
  app.addHook('onRoute', (route) => {
    handler = route.handler
    route.handler = mount.open
  })
  await app.register(fastifySSE)
  app.addHook('onRoute', (route) => {
    mount.stream = route.handler
    route.handler = mount.handler(handler)
  })

  for (const [url, route] of routes) {
    app.route({
      method: METHODS,
      url,
      exposeHeadRoute: false,
      schema: HIDDEN,
      bodyLimit,
      sse: { kind: 'manual', heartbeat: false },
      handler: mount.answerAt(route),
    })
  }
}

/** Call it before the onRoute hooks are added, which are for the MCP routes only. */
function routeProbes(app: FastifyInstance, endpoint: Endpoint): void {
  for (const [url, probe] of endpoint.probes) {
    app.route({
      method: METHODS,
      url,
      exposeHeadRoute: false,
      schema: HIDDEN,
      handler(request, reply) {
        const answer = endpoint.probe(probe, request.method)
        reply.code(answer.status)
        setHeaders(reply, answer.headers)
        reply.send(answer.body ?? '')
      },
    })
  }
}

function neutral(server: McpPluginOptions['server']): Servable | ServerSelector {
  if (typeof server !== 'function') return server
  return (request) => server((request as PluginRequest).request)
}

class PluginMount {
  /** `open`, wrapped by @fastify/sse. */
  stream: RouteHandlerMethod
  readonly #app: FastifyInstance
  readonly #endpoint: Endpoint
  readonly #readers: RequestReaders
  /** The handlers that `handler` gives for those of `answerAt`. */
  readonly #direct = new Map<RouteHandlerMethod, RouteHandlerMethod>()
  readonly #opening = new WeakMap<FastifyReply, StreamReply>()
  /** Streams, and bodies still being sent after their reply: Node's server waits for their connections. */
  readonly #unfinished = new Set<IncomingMessage | ServerResponse>()

  constructor(app: FastifyInstance, endpoint: Endpoint, readers: RequestReaders) {
    this.#app = app
    this.#endpoint = endpoint
    this.#readers = readers
    this.stream = this.open
  }

  /** A handler that returns what Fastify sends, for hooks that wrap it. */
  answerAt(route: Route): RouteHandlerMethod {
    const answer = (request: FastifyRequest, reply: FastifyReply): Promise<Body | undefined> => {
      const asked = new PluginRequest(route, request, reply, this.#readers)
      return new Promise((resolve, reject) => {
        this.#answer(asked, (answered) => {
          try {
            resolve(this.#payload(asked, answered))
          } catch (error) {
            reject(error)
          }
        })
      })
    }
    this.#direct.set(answer, (request, reply) => {
      const asked = new PluginRequest(route, request, reply, this.#readers)
      this.#answer(asked, (answered) => this.#send(asked, answered))
    })
    return answer
  }

  /** Without a wrapper of the app, a handler that needs no promise: a promise costs more than most calls. */
  handler(handler: RouteHandlerMethod): RouteHandlerMethod {
    return this.#direct.get(handler) ?? handler
  }

  #answer(asked: PluginRequest, send: (answered: HttpReply) => void): void {
    const accepted = this.#endpoint.accept(asked)
    if (!(accepted instanceof Promise)) return this.#read(asked, accepted, send)
    void accepted.then((settled) => this.#read(asked, settled, send))
  }

  #read(
    asked: PluginRequest,
    accepted: HttpReply | AcceptedRequest,
    send: (answered: HttpReply) => void,
  ): void {
    if ('status' in accepted) return send(accepted)
    const answer = (body: RequestBody | BodyError): void => {
      const answered = accepted.answer(body)
      if (answered instanceof Promise) void answered.then(send)
      else send(answered)
    }
    const body = asked.body()
    if (!isStream(body)) return answer(body)
    // Events of the stream run outside the async context of the app's hooks, which handlers expect.
    const context = new AsyncResource('jetway')
    collectStream(body, accepted, (read) => context.runInAsyncScope(answer, undefined, read))
  }

  #send(asked: PluginRequest, answered: HttpReply): void {
    const { reply } = asked
    // A timeout of the app has replied.
    if (reply.raw.headersSent) return this.#endpoint.discard(answered)
    try {
      const payload = this.#payload(asked, answered)
      if (payload instanceof Promise) payload.catch((error: Error) => void reply.send(error))
      else reply.send(payload)
    } catch (error) {
      reply.send(error)
    }
  }

  #payload(asked: PluginRequest, answer: HttpReply): Payload | undefined {
    const { request, reply } = asked
    if (isIncomplete(request.raw) && request.method !== 'GET') this.#track(request.raw)
    if (answer.open) return this.#stream(reply, answer)
    reply.code(answer.status)
    setHeaders(reply, answer.headers)
    watchNodeReply(this.#endpoint, { asked, request: request.raw, response: reply.raw }, answer)
    return answer.body
  }

  /** Resolves when the stream is open. */
  #stream(reply: FastifyReply, answer: StreamReply): Promise<undefined> {
    const { request, raw } = reply
    return new Promise((resolve) => {
      let headed: Promise<undefined> | undefined
      const open: StreamReply['open'] = (sink) => {
        answer.open(sink)
        resolve(headed)
      }
      sendNodeStream(request.raw, raw, { ...answer, open }, () => {
        this.#opening.set(reply, answer)
        headed = this.stream.call(this.#app, request, reply) as Promise<undefined>
        return raw.headersSent
      })
    })
  }

  /** Sends the head of a stream, with the headers that hooks have set. */
  readonly open = (request: FastifyRequest, reply: FastifyReply): void => {
    const answer = this.#opening.get(reply)
    if (answer === undefined || reply.sent) return
    setHeaders(reply, answer.headers)
    reply.sse.keepAlive()
    if (request.raw.httpVersionMajor === 2)
      reply.raw.writeHead(answer.status, reply.getHeaders() as OutgoingHttpHeaders)
    else {
      if (!reply.hasHeader('connection')) reply.header('connection', connectionOf(reply.raw))
      reply.sse.sendHeaders(answer.status)
    }
    this.#track(reply.raw)
  }

  #track(side: IncomingMessage | ServerResponse): void {
    this.#unfinished.add(side)
    side.once('close', () => this.#unfinished.delete(side))
  }

  async close(): Promise<void> {
    await this.#endpoint.close()
    // The end of a stream is the turn of those that the client has pipelined behind it.
    while (this.#unfinished.size > 0)
      await Promise.all([...this.#unfinished].map((side) => this.#endOf(side)))
  }

  /** Resolves when a request or a response has closed; destroys it after FLUSH_MS. */
  #endOf(side: IncomingMessage | ServerResponse): Promise<void> {
    return new Promise((resolve) => {
      const ended = (): void => {
        clearTimeout(timer)
        this.#unfinished.delete(side)
        resolve()
      }
      const timer = setTimeout(() => side.destroy(), FLUSH_MS)
      if (side.destroyed) ended()
      else side.once('close', ended)
    })
  }
}

function setHeaders(reply: FastifyReply, headers: HttpReply['headers']): void {
  for (const name in headers) {
    const value = headers[name]
    reply.header(name, value === 'application/json' ? JSON_TYPE : value)
  }
}

/** `sendHeaders` sets `keep-alive`, whatever the client has asked for and Fastify has decided. */
function connectionOf(raw: ServerResponse): string {
  const decided = raw.getHeader('connection')
  if (typeof decided === 'string') return decided
  return raw.shouldKeepAlive ? 'keep-alive' : 'close'
}

function limitOf(app: FastifyInstance, wanted: number): number {
  const { bodyLimit = FASTIFY_BODY_LIMIT } = app.initialConfig
  return bodyLimit === FASTIFY_BODY_LIMIT ? wanted : Math.min(bodyLimit, wanted)
}

/** Answers Fastify's own errors as JSON-RPC, and leaves errors of hooks to the app's error handler. */
function answerError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): string {
  const status = error.statusCode ?? 500
  if (status !== 413 && status !== 415 && !String(error.code).startsWith('FST_ERR_')) {
    reply.code(status >= 400 ? status : 500)
    throw error
  }
  if (status >= 500) request.log.error({ err: error }, 'Fastify refused an MCP request')
  reply.code(status)
  return problem(reply, status)
}

function problem(reply: FastifyReply, status: number): string {
  reply.header('content-type', JSON_TYPE)
  const code = status >= 500 ? -32603 : -32600
  return JSON.stringify({ jsonrpc: '2.0', error: { code, message: STATUS_CODES[status] ?? 'Refused' } })
}
