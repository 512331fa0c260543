import { type IncomingMessage, Server } from 'node:http'
import { Server as SecureServer } from 'node:https'
import type { Socket } from 'node:net'
import { fastifySSE } from '@fastify/sse'
import { checkMountOptions, createEndpoint, routePaths } from '@jetway/core/http'
import type { Endpoint, Servable, ServerSelector } from '@jetway/core/http'
import type { FastifyBaseLogger, FastifyInstance, RegisterOptions, RouteHandlerMethod } from 'fastify'
import { checkHeaderLimits } from './header-limits.ts'
import { type McpPluginOptions, type OptionsWithLocals, OWN_OPTIONS } from './options.ts'
import { PluginMount, setHeaders } from './plugin-mount.ts'
import { HIDDEN, METHODS } from './routes.ts'
import { answerError } from './reply.ts'
import type { PluginRequest } from './request.ts'
import { routeWellKnown } from './well-known.ts'

declare module 'fastify' {
  // The type of `locals` depends on the server, which Fastify's own signatures cannot express.
  interface FastifyRegister<T, RawServer, TypeProviderDefault, LoggerDefault> {
    <Locals, App>(plugin: typeof mcp, options: McpPluginOptions<Locals, App>): T
  }
}

const BODY_LIMIT = 4 * 1024 * 1024
/** Fastify's default limit. Any other value was set by the app. */
const FASTIFY_BODY_LIMIT = 1024 * 1024

/**
 * Mounts an MCP server on Fastify: `app.register(mcp, { server, path: '/mcp' })`.
 *
 * The routes have their own plugin scope. The app's hooks, CORS, authentication and logger apply to them, but
 * its body parsers do not: until the handler runs, `request.body` is the unread stream. If a hook assigns
 * another value to it, that value is used as the parsed body. If the app sets a lower `bodyLimit`, it also
 * applies to these routes.
 *
 * `onSend` hooks run for JSON replies and for streams that are complete at once, but not for other streams,
 * because these have no payload when their headers are sent. All replies keep the headers that earlier hooks
 * have set. Closing the app ends the streams.
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
  const logger = rest.logger ?? loggerOf(app)
  const place = { path: `${app.prefix}/${path}`.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '') }
  const limits = { ...rest.limits, bodyBytes: bodyLimit }
  const endpoint = createEndpoint(neutral(server), { ...rest, ...(logger && { logger }), limits }, place)
  onMount?.(endpoint)
  const mount = new PluginMount(app, endpoint, { locals, auth: authInfo, logs: logger === app.log })

  app.removeAllContentTypeParsers()
  // The body is not read here, because the guard must check the head first. JSON has its own entry, because
  // Fastify would otherwise look up '*' for each request.
  app.addContentTypeParser(['application/json', '*'], (_request, payload, done) => done(null, payload))
  app.setErrorHandler(answerError)
  const endUnused = watchUnused(app.server)
  app.addHook('onListen', async () => checkHeaderLimits(app.server, logger ?? app.log))
  app.addHook('onListen', async () => app.log.info(`The MCP endpoint is ${app.listeningOrigin}${place.path}`))
  app.addHook('preClose', async () => {
    await mount.close()
    endUnused()
  })
  routeProbes(app, endpoint)
  routeWellKnown(app, endpoint.wellKnown)

  // @fastify/sse creates a context, a promise and two listeners for each request, but only streams need them.
  // Therefore it wraps only the function that opens a stream, and the route keeps the handler that the app's own
  // onRoute hooks have returned.
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

/** Call this before the onRoute hooks are added, because those hooks apply only to the MCP routes. */
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

/**
 * Returns undefined if the app does not set the `logger` option. In that case, Fastify uses a stand-in whose
 * methods are all the same function.
 */
function loggerOf(app: FastifyInstance): FastifyBaseLogger | undefined {
  const log: Partial<FastifyBaseLogger> = app.log
  return log.level === undefined && log.info === log.error ? undefined : app.log
}

function neutral(server: McpPluginOptions['server']): Servable | ServerSelector {
  if (typeof server !== 'function') return server
  return (request) => server((request as PluginRequest).request)
}

function limitOf(app: FastifyInstance, wanted: number): number {
  const { bodyLimit = FASTIFY_BODY_LIMIT } = app.initialConfig
  return bodyLimit === FASTIFY_BODY_LIMIT ? wanted : Math.min(bodyLimit, wanted)
}

/** The time in which the rest of the headers must arrive after a request has begun, in ms. */
const HEAD_MS = 1000

/**
 * Watches for connections that have sent no request. Node's `server.close()` waits for these connections and
 * no longer applies `headersTimeout`, so a single client that connects and stays silent would keep the app
 * open. The returned function closes these connections. It does nothing for HTTP/2, because Fastify closes
 * HTTP/2 sessions itself.
 */
function watchUnused(server: unknown): () => void {
  const unused = new Set<Socket>()
  if (!(server instanceof Server) && !(server instanceof SecureServer)) return () => {}
  server.on(server instanceof SecureServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  server.on('request', ({ socket }: IncomingMessage) => unused.delete(socket))
  return () => {
    for (const socket of unused) if (socket.bytesRead === 0) socket.destroy()
    if (unused.size === 0) return
    const timer = setTimeout(() => {
      for (const socket of unused) socket.destroy()
    }, HEAD_MS)
    timer.unref()
  }
}
