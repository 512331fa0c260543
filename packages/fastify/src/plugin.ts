import { AsyncResource } from 'node:async_hooks'
import { STATUS_CODES } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { fastifySSE } from '@fastify/sse'
import type { AuthInfo, McpServer, MountHandle } from '@jetway/core'
import {
  BodyError,
  collectStream,
  createEndpoint,
  routePaths,
  readStream,
  duplicateHeader,
} from '@jetway/core/http'
import type {
  Route,
  Endpoint,
  EndpointOptions,
  FrameSink,
  HttpReply,
  HttpRequest,
  Servable,
  ServerSelector,
} from '@jetway/core/http'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'

/** Chooses the server of a request. Undefined is answered 404. */
export type McpSelector<Locals = unknown, App = unknown> = (
  request: FastifyRequest,
) => McpServer<Locals, App> | undefined | Promise<McpServer<Locals, App> | undefined>

/** Where the server answers, and everything that an endpoint takes. */
export interface McpPluginOptions<Locals = unknown, App = unknown> extends EndpointOptions {
  /** What is served, or a function that chooses it: once for each session, or for each request without sessions. */
  readonly server: McpServer<Locals, App> | McpSelector<Locals, App>
  /**
   * Where the server answers, below `prefix` and the prefixes of the plugins around this one. With `legacySse` it answers
   * at `/sse` and `/message` beside this path too.
   *
   * @default '/mcp', or '/' where `prefix` is given, which then is the whole path
   */
  readonly path?: string
  readonly prefix?: string
  /** The app's own data for a request, as `ctx.locals`. Called once for a request that has passed the guard. */
  readonly locals?: (request: FastifyRequest) => NoInfer<Locals>
  /** What the app's own authentication left on the request, as `ctx.auth`. */
  readonly auth?: (request: FastifyRequest) => AuthInfo | undefined
  /** Given the handle of this mount when it is registered, to watch it or to close it before the app. Closing the app closes it too. */
  readonly onMount?: (mount: MountHandle) => void
}

declare module 'fastify' {
  // What a server demands of `locals` depends on the server, which Fastify's own signatures cannot express.
  interface FastifyRegister<T, RawServer, TypeProviderDefault, LoggerDefault> {
    <Locals, App>(
      plugin: typeof mcp,
      options: McpPluginOptions<Locals, App> & Required<Pick<McpPluginOptions<Locals, App>, 'locals'>>,
    ): T
  }
}

type StreamReply = Extract<HttpReply, { readonly open: unknown }>
type Body = string | Uint8Array
type Payload = Body | Promise<Body | undefined>

/** All of them, so that methods which MCP does not know get the endpoint's 405 and not the app's 404. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
/** Fastify would add the charset to every reply that lacks it. */
const JSON_TYPE = 'application/json; charset=utf-8'
const BODY_LIMIT = 4 * 1024 * 1024
/** What an app that set no limit shows. Any other value is the app's choice. */
const FASTIFY_BODY_LIMIT = 1024 * 1024
/** How long the last frames may take to leave, in ms, once the endpoint has closed: a stalled peer never reads them. */
const FLUSH_MS = 1000
const EMPTY = new Uint8Array()

/**
 * Mounts an MCP server on Fastify: `app.register(mcp, { server, path: '/mcp' })`.
 *
 * The routes live in a plugin scope of their own. Hooks, CORS, authentication and the logger of the app apply to them;
 * its body parsers do not: until the handler runs, `request.body` is the unread stream. A hook that assigns something
 * else to it is taken to have parsed the body. An app-wide `bodyLimit` below the mount's holds here too.
 *
 * `onSend` hooks run for JSON replies. They cannot run for streams, which have no payload when their headers leave; the
 * headers that earlier hooks have set are kept on both. Closing the app ends the streams.
 */
export async function mcp(app: FastifyInstance, options: McpPluginOptions): Promise<void> {
  const {
    server,
    path = options.prefix === undefined ? '/mcp' : '/',
    prefix: _prefix,
    locals,
    auth,
    onMount,
    ...rest
  } = options
  const routes = routePaths(path, rest.legacySse)
  const bodyLimit = limitOf(app, rest.bodyLimit ?? BODY_LIMIT)
  const endpoint = createEndpoint(neutral(server), { logger: app.log, ...rest, bodyLimit })
  onMount?.(endpoint)
  const mount = new PluginMount(app, endpoint, { locals, auth })

  app.removeAllContentTypeParsers()
  // Reads nothing: the guard judges the head first. JSON is named because Fastify looks '*' up anew for every request.
  app.addContentTypeParser(['application/json', '*'], (_request, payload, done) => done(null, payload))
  app.setErrorHandler(answerError)
  app.addHook('preClose', () => mount.close())
  routeProbes(app, endpoint)

  // @fastify/sse gives every request of its routes a context, a promise and two listeners, but only streams need them.
  // So it gets to wrap the opening of a stream, and the handler goes on as the app's own onRoute hooks have left it.
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
      bodyLimit,
      sse: { kind: 'manual', heartbeat: false },
      handler: mount.answerAt(route),
    })
  }
}

/** Before the hooks on routes are there, which are for the MCP route alone. */
function routeProbes(app: FastifyInstance, endpoint: Endpoint): void {
  for (const [url, probe] of endpoint.probes) {
    app.route({
      method: METHODS,
      url,
      exposeHeadRoute: false,
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

interface HostReaders {
  readonly locals: ((request: FastifyRequest) => unknown) | undefined
  readonly auth: ((request: FastifyRequest) => AuthInfo | undefined) | undefined
}

class PluginMount {
  /** `open`, inside what @fastify/sse puts around it. */
  stream: RouteHandlerMethod
  readonly #app: FastifyInstance
  readonly #endpoint: Endpoint
  readonly #host: HostReaders
  /** For each handler of a door the one that takes its place, see `handler`. */
  readonly #direct = new Map<RouteHandlerMethod, RouteHandlerMethod>()
  readonly #opening = new WeakMap<FastifyReply, StreamReply>()
  /** Streams, and bodies that still come in after their reply: Node's server would wait for their connections. */
  readonly #unfinished = new Set<IncomingMessage | ServerResponse>()
  /** Requests whose bodies come in before their reply. Node's server would wait for these, too. */
  readonly #reading = new Set<IncomingMessage>()

  constructor(app: FastifyInstance, endpoint: Endpoint, host: HostReaders) {
    this.#app = app
    this.#endpoint = endpoint
    this.#host = host
    this.stream = this.open
  }

  /** Returns what Fastify sends. Never undefined at once, which Fastify would take for "not answered yet". */
  answerAt(route: Route): RouteHandlerMethod {
    const answer = (request: FastifyRequest, reply: FastifyReply): Payload => {
      const answered = this.#endpoint.handle(new PluginRequest(route, request, reply, this.#host))
      if (!(answered instanceof Promise)) return this.#payload(reply, answered) ?? NOTHING
      if (!request.raw.complete) this.#reading.add(request.raw)
      return answered.then((settled) => this.#payload(reply, settled))
    }
    this.#direct.set(answer, (request, reply) => this.#send(route, request, reply))
    return answer
  }

  /**
   * The same where nobody waits for what the handler returns. Then the body can be read before the endpoint is asked,
   * which answers at once whatever it need not wait for: without a promise, which costs more than most calls.
   */
  #send(route: Route, request: FastifyRequest, reply: FastifyReply): void {
    const asked = new PluginRequest(route, request, reply, this.#host)
    // Who calls is asked before the body is read, and the host may say so too.
    const stream = this.#host.auth === undefined ? asked.unread() : undefined
    const limit = stream === undefined ? undefined : this.#endpoint.mayRead(asked)
    if (stream === undefined || limit === undefined || asked.isBeyond(limit)) return this.#reply(asked, reply)
    // What the app's hooks keep for a request is theirs to find in handlers too; the stream's events know nothing of it.
    const context = new AsyncResource('jetway')
    this.#reading.add(request.raw)
    collectStream(stream, limit, (body) => {
      asked.take(body)
      context.runInAsyncScope(() => this.#reply(asked, reply))
    })
  }

  #reply(asked: PluginRequest, reply: FastifyReply): void {
    const fail = (error: Error): void => void reply.send(error)
    const send = (answer: HttpReply): void => {
      try {
        const payload = this.#payload(reply, answer)
        if (payload instanceof Promise) payload.catch(fail)
        else reply.send(payload)
      } catch (error) {
        fail(error as Error)
      }
    }
    const answer = this.#endpoint.handle(asked)
    if (!(answer instanceof Promise)) return send(answer)
    if (!reply.request.raw.complete) this.#reading.add(reply.request.raw)
    void answer.then(send)
  }

  /** The handler of the route, where the app's own hooks have left it as it was or have put something around it. */
  handler(left: RouteHandlerMethod): RouteHandlerMethod {
    return this.#direct.get(left) ?? left
  }

  #payload(reply: FastifyReply, answer: HttpReply): Payload | undefined {
    const { request } = reply
    this.#reading.delete(request.raw)
    const { complete, readableEnded } = request.raw
    if (!complete && !readableEnded && request.method !== 'GET') this.#track(request.raw)
    if (answer.open) {
      this.#opening.set(reply, answer)
      return this.stream.call(this.#app, request, reply) as Promise<undefined>
    }
    reply.code(answer.status)
    setHeaders(reply, answer.headers)
    return answer.body
  }

  /** Sends the head of a stream, with all that hooks have set on it, and hands the rest over to the endpoint. */
  readonly open = (_request: FastifyRequest, reply: FastifyReply): void => {
    const answer = this.#opening.get(reply)
    if (!answer) return
    const { raw } = reply
    const sink = new RawSink(raw)
    // In the meantime the peer may have left, or a timeout of the app may have answered.
    if (raw.destroyed || raw.headersSent || reply.sent) sink.drop()
    else {
      setHeaders(reply, answer.headers)
      reply.sse.keepAlive()
      reply.sse.sendHeaders(answer.status)
      this.#track(raw)
      raw.once('close', () => sink.drop())
    }
    answer.open(sink)
    // Node holds the head back for the first chunk, which may be long in coming.
    if (!sink.used) raw.flushHeaders()
  }

  #track(side: IncomingMessage | ServerResponse): void {
    this.#unfinished.add(side)
    side.once('close', () => this.#unfinished.delete(side))
  }

  async close(): Promise<void> {
    await this.#endpoint.close()
    const late = [...this.#reading].filter(({ complete }) => !complete)
    await Promise.all([...this.#unfinished, ...late].map(endOf))
  }
}

const NOTHING = Promise.resolve(undefined)

function setHeaders(reply: FastifyReply, headers: HttpReply['headers']): void {
  for (const name in headers) {
    const value = headers[name]
    reply.header(name, value === 'application/json' ? JSON_TYPE : value)
  }
}

/** Resolves when one side of an exchange is over; cuts the connection where the peer does not do its part. */
function endOf(side: IncomingMessage | ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (side.destroyed) return resolve()
    const timer = setTimeout(() => side.destroy(), FLUSH_MS)
    side.once('close', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

function limitOf(app: FastifyInstance, wanted: number): number {
  const { bodyLimit = FASTIFY_BODY_LIMIT } = app.initialConfig
  return bodyLimit === FASTIFY_BODY_LIMIT ? wanted : Math.min(bodyLimit, wanted)
}

/** What Fastify itself refuses is answered as JSON-RPC; what the app's hooks throw is for the app's error handler. */
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

class PluginRequest implements HttpRequest {
  readonly method: string
  readonly route: Route
  readonly request: FastifyRequest
  readonly #reply: FastifyReply
  readonly #host: HostReaders
  readonly #headers: FastifyRequest['headers']
  #abort: AbortController | undefined
  #locals: { readonly value: unknown } | undefined
  #body: Uint8Array | BodyError | undefined

  constructor(route: Route, request: FastifyRequest, reply: FastifyReply, host: HostReaders) {
    this.route = route
    this.method = request.method
    this.request = request
    this.#reply = reply
    this.#host = host
    this.#headers = request.headers
  }

  /** What the client has asked for, whatever the app has rewritten it to. */
  get path(): string {
    return this.request.originalUrl.split('?', 1)[0] as string
  }

  get peer(): HttpRequest['peer'] {
    return this.request.socket
  }

  get auth(): AuthInfo | undefined {
    return this.#host.auth?.(this.request)
  }

  get locals(): unknown {
    return (this.#locals ??= { value: this.#host.locals?.(this.request) }).value
  }

  get signal(): AbortSignal {
    return (this.#abort ??= abortedBy(this.#reply.raw)).signal
  }

  query(name: string): string | undefined {
    const value = (this.request.query as Record<string, string | string[] | undefined>)[name]
    return Array.isArray(value) ? value[0] : value
  }

  header(name: string): string | undefined {
    // HTTP/2 carries the host as a pseudo-header.
    const value = this.#headers[name] ?? (name === 'host' ? this.#headers[':authority'] : undefined)
    return Array.isArray(value) ? value[0] : value
  }

  headers(name: string): readonly string[] {
    const { rawHeaders } = this.request.raw
    const values = rawHeaders.filter(
      (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name,
    )
    if (values.length > 1) return values
    // What a hook has put in the place of the wire's value counts.
    const value = this.header(name)
    return value === undefined ? [] : [value]
  }

  duplicateHeader(): string | undefined {
    return duplicateHeader(this.request.raw.rawHeaders)
  }

  get headJudged(): boolean {
    return this.#body !== undefined
  }

  /** The stream of the body, where nobody has begun to read it. */
  unread(): Readable | undefined {
    const { body } = this.request
    return isStream(body) && !body.readableDidRead && !body.destroyed ? body : undefined
  }

  /** Whether the body is declared to be longer. What a hook has put in its place has another length. */
  isBeyond(limit: number): boolean {
    const { body, raw } = this.request
    return body === raw && Number(raw.headers['content-length']) > limit
  }

  /** Takes what was read of the body, after the guard has let the head pass. */
  take(body: Uint8Array | BodyError): void {
    this.#body = body
  }

  body(limit: number): ReturnType<HttpRequest['body']> {
    if (this.#body !== undefined)
      return this.#body instanceof BodyError ? Promise.reject(this.#body) : this.#body
    const { body } = this.request
    if (body === undefined) return EMPTY
    if (body instanceof Uint8Array) return body
    if (!isStream(body)) return { parsed: body }
    const stream = this.unread()
    if (stream === undefined)
      return Promise.reject(new BodyError(400, 'The body is gone: a hook has read it, or the peer has left'))
    return this.isBeyond(limit) ? Promise.reject(BodyError.tooLarge(limit)) : readStream(stream, limit)
  }
}

function abortedBy(raw: ServerResponse): AbortController {
  const controller = new AbortController()
  const gone = (): void => {
    if (!raw.writableFinished) controller.abort()
  }
  if (raw.destroyed) gone()
  else raw.once('close', gone)
  return controller
}

function isStream(body: unknown): body is Readable {
  return typeof (body as { pipe?: unknown } | null)?.pipe === 'function'
}

/** Writes to a response. After the peer has gone chunks are dropped: the request's signal tells the endpoint. */
class RawSink implements FrameSink {
  /** Whether the head has left, with a chunk or in vain. */
  used = false
  #raw: ServerResponse | undefined
  #drained: Promise<void> | undefined
  #release: (() => void) | undefined

  constructor(raw: ServerResponse) {
    this.#raw = raw
  }

  write(chunk: string): void | Promise<void> {
    if (!this.#raw) return
    this.used = true
    if (this.#raw.write(chunk)) return
    return (this.#drained ??= this.#wait(this.#raw))
  }

  close(): void {
    this.used = true
    this.#raw?.end()
    this.#raw = undefined
  }

  /** The peer has gone: nobody waits for it any more. */
  drop(): void {
    this.used = true
    this.#raw = undefined
    this.#release?.()
  }

  #wait(raw: ServerResponse): Promise<void> {
    return new Promise((resolve) => {
      this.#release = () => {
        this.#drained = undefined
        resolve()
      }
      raw.once('drain', this.#release)
    })
  }
}
