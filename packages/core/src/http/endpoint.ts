import { checkParsed, parseBytes } from '../protocol/parse.ts'
import { hasSessions } from '../protocol/revisions/select.ts'
import { type AuthInfo, NETWORK, networkOf } from '../stores/principal.ts'
import { isErrorOf, UsageError } from '../errors.ts'
import { type Logger, safeLogger } from '../util/logger.ts'
import { isolatedRequests } from '../util/platform.ts'
import { ThrottledLog } from '../util/throttled-log.ts'
import { receive } from '../session/receiver.ts'
import { refusePromise } from '../util/promises.ts'
import type { Caller } from '../call/scope.ts'
import { workHostOf } from '../call/wait-until.ts'
import type { ServerMount, MountHandle } from '../session/server-runtime.ts'
import { AcceptedBody, BodyBudget, type Holding } from './caller-bytes.ts'
import { type Gauges, type MountStats, NOTHING_HELD } from '../session/stats.ts'
import { createAuthenticator } from './guard/authenticate.ts'
import { createHeadGuard, type HeadGuard } from './guard/guard.ts'
import { duplicateHeader } from './guard/headers.ts'
import { answerProbe, type Probe, probesOf } from './health.ts'
import { Post, type PostParts } from './streamable/post.ts'
import type { EndpointContext } from './context.ts'
import { createContext } from './create-context.ts'
import { checkEndpoint, checkEndpointOptions } from './mount-options.ts'
import type { WellKnown } from './authenticate.ts'
import type { EndpointOptions, EndpointPlace } from './options.ts'
import type { AdaptersPart, EndpointParts } from './parts.ts'
import { resolveOptions } from './resolve-options.ts'
import { createSessions } from './create-sessions.ts'
import type { SessionRoutes } from './streamable/get-delete.ts'
import { SubscriptionHandler } from './streamable/subscription-handler.ts'
import { routeOf, routePaths } from './sse-paths.ts'
import { resolveSessionOptions } from './sessions/session-options.ts'
import { CLOSE_HEADERS, refuse, refuseCalls } from './refusals.ts'
import { StoreFailure } from './streams/store-failure.ts'
import type { ServedServer } from './servers/served-server.ts'
import type { Servable, ServerSelector } from './servers/served-servers.ts'
import { answerWith, type ReadBody } from './adapter/accept.ts'
import {
  type AcceptedRequest,
  BodyError,
  type HttpReply,
  type HttpRequest,
  LARGE_REPLY,
  type Reply,
  type ReplyLimits,
} from './types.ts'

/** A request that carries `ctx.locals` of the type that the server declares. */
export type RequestWithLocals<Locals> = HttpRequest &
  (unknown extends Locals ? unknown : { readonly locals: Locals })

/** A server mounted on HTTP. An adapter passes requests to it. */
export interface Endpoint<Locals = unknown> extends MountHandle, ReplyLimits {
  /**
   * Checks the headers of a request, and authenticates the request. Returns either a reply, or the accepted
   * request, whose body the adapter then reads and handles. Never throws or rejects.
   */
  accept(
    request: RequestWithLocals<Locals>,
  ): HttpReply | AcceptedRequest | Promise<HttpReply | AcceptedRequest>
  /** Handles one request: calls {@link accept}, then `readBody` if the body is needed. Never throws or rejects. */
  handle(request: RequestWithLocals<Locals>, readBody: ReadBody): HttpReply | Promise<HttpReply>
  /**
   * Discards a reply that cannot be sent because the host has replied already, for example after a timeout in
   * the app. Logs a remedy the first time. Call this function instead of sending the reply.
   */
  discard(reply: HttpReply): void
  /** The mount's logger, for an adapter's own messages. */
  readonly logger: Logger
  /** Logs an error of the adapter or its host. Returns a reply with status 500 to send instead. */
  fail(request: HttpRequest, error: unknown): HttpReply
  /** The paths of the `health` option, which an adapter routes to {@link probe}; empty if the option is not set. */
  readonly probes: ReadonlyMap<string, Probe>
  /** Returns the reply to a probe. */
  probe(probe: Probe, method: string): HttpReply
  /**
   * The public documents of the options `authenticate` and `card`, which an adapter serves at their full paths.
   * Undefined if there are none.
   */
  readonly wellKnown: WellKnown | undefined
}

/**
 * Mounts a server on HTTP, or a function that chooses a server for each session. Starts no timers and opens
 * nothing before the first request.
 *
 * @throws `ERR_MCP_OPTION`, `ERR_MCP_REVISION`; `ERR_MCP_CLOSED` when the server is closed
 */
export function createEndpoint<Locals = unknown>(
  server: Servable<Locals> | ServerSelector<Locals>,
  options: EndpointOptions = {},
  place: EndpointPlace = {},
): Endpoint<Locals> {
  checkEndpoint(server, options)
  return mountEndpoint(server, options, ALL_PARTS, place)
}

/** The checks that only adapters need. */
export const ADAPTERS: AdaptersPart = { duplicateHeader, checkParsed }

/** The parts of an endpoint with all features. */
export const ALL_PARTS: EndpointParts = {
  sessions: { resolveOptions: resolveSessionOptions, create: createSessions, routeOf, routePaths },
  subscriptions: (context) => new SubscriptionHandler(context),
  adapters: ADAPTERS,
  checkOptions: checkEndpointOptions,
}

/** Creates an endpoint like {@link createEndpoint}, but with the parts of a preset. */
export function mountEndpoint<Locals>(
  server: Servable<Locals> | ServerSelector<Locals>,
  options: EndpointOptions,
  parts: EndpointParts,
  place: EndpointPlace,
): Endpoint<Locals> {
  // The signatures of `accept` and `handle` check the type of `locals`.
  const endpoint = new HttpEndpoint(server as Servable | ServerSelector, options, parts, place)
  if (typeof server !== 'function') server.runtime.attach(endpoint)
  return endpoint
}

/** Handles the parsed body of a request. */
type MessageHandler = (message: unknown) => Reply

/** The outcome of checking the headers of a request. */
type Accepted = HttpReply | AcceptedRequest

/** https://www.rfc-editor.org/rfc/rfc9110#section-15.5.16 */
const IDENTITY = { 'accept-encoding': 'identity' }

const LOCALS_PROMISE = 'locals returned a promise. It must return the value: await it in a handler instead'

const REPLIED_BEFORE =
  'The app replied before the MCP server did, so the result of a call is lost. If a timeout of the app is the cause, ' +
  'exclude the MCP path from it: calls have the time limits of the server'

class HttpEndpoint implements Endpoint, ServerMount {
  readonly probes: ReadonlyMap<string, Probe>
  readonly logger: Logger
  readonly #context: EndpointContext
  /** The `logger` option. If it is not set, calls log to their server's logger. */
  readonly #ownLogger: Logger | undefined
  readonly #guard: HeadGuard
  readonly #authenticate: ReturnType<typeof createAuthenticator>
  readonly #sessions: SessionRoutes | undefined
  readonly #posts: PostParts
  readonly #checkParsed: AdaptersPart['checkParsed'] | undefined
  readonly #bodies: BodyBudget
  readonly #lostBodies: ThrottledLog
  readonly #isolated = isolatedRequests()
  #closed = false
  #discarded = false
  /** The callers of requests whose replies may be large. A request that is not in this map is anonymous. */
  readonly #large = new WeakMap<HttpRequest, string>()

  constructor(
    server: Servable | ServerSelector,
    options: EndpointOptions,
    parts: EndpointParts,
    place: EndpointPlace,
  ) {
    const context = createContext(server, options, {
      place,
      resolved: resolveOptions(options, parts),
      steps: { begin: () => this.#drain(), finish: () => this.#end() },
      measure: (served) => this.#held(served),
    })
    this.#context = context
    this.#checkParsed = parts.adapters?.checkParsed
    this.logger = context.logger
    this.#ownLogger = options.logger && context.logger
    this.#lostBodies = new ThrottledLog(context.clock)
    this.#bodies = new BodyBudget(context.clock, context.options)
    this.probes = probesOf(options.health)
    const guarded = { ...options, stateless: context.options.stateless }
    this.#guard = createHeadGuard(guarded, context, parts.adapters?.duplicateHeader)
    this.#authenticate = createAuthenticator(context.authenticate, context)
    this.#sessions = parts.sessions?.create(context, options)
    this.#posts = {
      context,
      sessions: hasSessions(context.served) ? this.#sessions?.table : undefined,
      subscriptions: parts.subscriptions?.(context),
    }
  }

  get closed(): Promise<void> {
    return this.#context.work.closed
  }

  get wellKnown(): WellKnown | undefined {
    return this.#context.wellKnown
  }

  accept(request: HttpRequest): Accepted | Promise<Accepted> {
    try {
      const refused = this.#guard(request)
      if (refused !== undefined) return this.#settled(request, refused)
      if (this.#context.work.closing && (this.#closed || !mayAnswer(request)))
        return this.#settled(request, refuse('draining'))
      const auth = this.#authenticate(request)
      const accepted =
        auth instanceof Promise
          ? auth.then((found) => this.#authenticated(request, found))
          : this.#authenticated(request, auth)
      return this.#settled(request, accepted)
    } catch (error) {
      return this.fail(request, error)
    }
  }

  handle(request: HttpRequest, readBody: ReadBody): HttpReply | Promise<HttpReply> {
    const accepted = this.accept(request)
    return accepted instanceof Promise
      ? accepted.then((settled) => answerWith(settled, readBody))
      : answerWith(accepted, readBody)
  }

  close({ deadline }: { readonly deadline?: number } = {}): Promise<void> {
    return this.#context.work.close({ deadline: deadline ?? this.#context.options.closeDeadlineMs })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  discard(reply: HttpReply): void {
    reply.open?.({ write: () => {}, close: () => {} })
    if (this.#discarded) return
    this.#discarded = true
    this.#context.logger.warn({}, REPLIED_BEFORE)
  }

  hold(request: HttpRequest, bytes: number, shorten: (atOnce: boolean) => void = () => {}): () => void {
    const { queued, servers } = this.#context
    const release = servers.of(request)?.hold(bytes)
    const reply: Holding = { holder: this.#large.get(request) ?? NETWORK, held: 0, shorten }
    queued.hold(reply, bytes)
    return () => {
      queued.hold(reply, -reply.held)
      release?.()
    }
  }

  limitRest(stop: () => void): () => void {
    const { clock, options } = this.#context
    const timer = clock.setTimeout(stop, options.bodyTimeoutMs)
    return () => clock.clearTimeout(timer)
  }

  probe(probe: Probe, method: string): HttpReply {
    return answerProbe(method, probe === 'livez' || !this.#context.work.closing)
  }

  gauges(): Gauges {
    const { streams = 0, events = 0, bytes = 0 } = this.#sessions?.table.events?.size ?? {}
    return { ...this.#held(), replayStreams: streams, replayEvents: events, replayBytes: bytes }
  }

  stats(): MountStats {
    return {
      ...this.gauges(),
      draining: this.#context.work.closing,
      refusals: this.#context.rejections.refusals.snapshot(),
    }
  }

  /**
   * Returns the gauges of the given server, or of all servers. Stored events belong to the mount, not to a
   * server.
   */
  #held(server?: ServedServer): Gauges {
    const { calls, openStreams, queued, servers } = this.#context
    let sessions = 0
    let callsInFlight = calls.inFlight(server?.runtime)
    for (const { inFlight } of server?.sessions ?? servers.sessions()) {
      sessions++
      callsInFlight += inFlight
    }
    const held = openStreams.held(server)
    const queuedBytes = server === undefined ? queued.total : held.queuedBytes + server.sending
    return { ...NOTHING_HELD, ...held, queuedBytes, sessions, callsInFlight }
  }

  #authenticated(request: HttpRequest, auth: AuthInfo | HttpReply | undefined): Accepted | Promise<Accepted> {
    if (auth !== undefined && 'status' in auth) return auth
    const { locals } = request
    if (locals !== undefined) refusePromise(locals, LOCALS_PROMISE)
    const caller: Caller = {
      auth,
      holder: auth?.principal ?? networkOf(request.peer?.remoteAddress),
      locals,
      background: this.#context.background,
      host: request.waitUntil && workHostOf(request),
      logger: request.logger ?? this.#ownLogger,
      httpRequestId: request.logger === undefined ? request.id : undefined,
    }
    const sessions = this.#sessions
    if (request.route !== 'mcp') {
      const answer = sessions?.legacySse?.handle(request, caller) ?? refuse('notHere')
      return typeof answer === 'function' ? this.#accepted(request, caller, answer) : answer
    }
    if (request.method === 'POST')
      return this.#accepted(request, caller, (message) =>
        receive(message, new Post(this.#posts, request, caller)),
      )
    // On a mount without sessions, the guard has already refused all other methods.
    if (request.method === 'GET' && this.#context.queued.exceeded(caller.holder))
      return refuse('unreadReplies')
    return sessions?.handle(request, caller) ?? refuse('notHere')
  }

  #accepted(request: HttpRequest, caller: Caller, answer: MessageHandler): Accepted {
    if (Number(request.header('content-length')) > this.#bodies.bodyLimit) return refuse('bodyTooLarge')
    const { holder } = caller
    return new AcceptedBody(this.#bodies, holder, (body) => {
      try {
        // The endpoint may have closed while the body was being read. The rest of the body may never arrive.
        if (this.#closed) return this.#settled(request, refuse('draining', { headers: CLOSE_HEADERS }))
        if (body instanceof Error) throw body
        const { parseLimits } = this.#context.options
        const parsed =
          'parsed' in body ? this.#checkParsed?.(body.parsed, parseLimits) : parseBytes(body, parseLimits)
        if (parsed?.ok !== true) return this.#settled(request, refuse('parseError', parsed?.error))
        const refused = this.#context.queued.exceeded(holder) ? refuseCalls(parsed.value) : undefined
        return this.#settled(request, refused ?? answer(parsed.value), holder)
      } catch (error) {
        return this.fail(request, error)
      }
    })
  }

  /**
   * Counts a refusal, and remembers which caller receives a large reply, because the reply's bytes are
   * counted while the adapter sends them. If `result` is a promise, the mount waits for it when it closes.
   */
  #settled<T extends Accepted>(
    request: HttpRequest,
    result: T | Promise<T>,
    holder?: string,
  ): T | HttpReply | Promise<T | HttpReply> {
    if (result instanceof Promise) {
      const { work } = this.#context
      work.begin()
      const settled = result.then(
        (value) => {
          work.end()
          return this.#settled(request, value, holder)
        },
        (error: unknown) => {
          work.end()
          return this.fail(request, error)
        },
      )
      // Other requests may be waiting for work that this request has started, such as opening the lifespan. That
      // work must not stop when the client disconnects.
      if (this.#isolated) request.waitUntil?.(settled)
      return settled
    }
    if ('status' in result) {
      if (result.status >= 400) this.#context.rejections.addReply(request, result)
      if (holder !== undefined && result.body !== undefined && result.body.length >= LARGE_REPLY)
        this.#large.set(request, holder)
    }
    return result
  }

  fail(request: HttpRequest, error: unknown): HttpReply {
    const reply = this.#errorReply(request, error)
    this.#context.rejections.addReply(request, reply)
    return reply
  }

  #errorReply(request: HttpRequest, error: unknown): HttpReply {
    if (isErrorOf(UsageError, error) && error.code === 'ERR_MCP_CLOSED') return refuse('draining')
    if (!(error instanceof BodyError)) {
      const { logger, id } = request
      const problem = 'A request could not be served'
      if (logger !== undefined) safeLogger(logger).error({ err: error }, problem)
      else this.#context.logger.error({ ...(id !== undefined && { reqId: id }), err: error }, problem)
      return refuse(error instanceof StoreFailure ? 'unavailable' : 'internal')
    }
    const { status, lost, message } = error
    // The rest of the body may never arrive, so the connection must not wait for it.
    if (status === 408) return refuse('bodyTimeout', { headers: CLOSE_HEADERS })
    if (status === 503) return refuse('tooManyBodies', { headers: CLOSE_HEADERS })
    if (status === 415) return refuse('encodedBody', { headers: IDENTITY })
    if (!lost) return refuse(status === 413 ? 'bodyTooLarge' : 'unreadableBody')
    this.#lostBodies.log((skipped) => this.#context.logger.error(skipped === 0 ? {} : { skipped }, message))
    return refuse('unreadableBody', { message })
  }

  /** Ends the streams that would otherwise stay open. */
  #drain(): void {
    this.#posts.subscriptions?.closeAll()
    this.#sessions?.table.endStandalone()
  }

  async #end(): Promise<void> {
    const { calls, openStreams, upgrades, servers } = this.#context
    this.#closed = true
    calls.endAll()
    this.#sessions?.table.closeAll()
    this.#sessions?.legacySse?.closeAll()
    upgrades.clear()
    this.#bodies.close()
    await openStreams.endAll()
    // When all streams have ended, this node leaves the cluster.
    await this.#sessions?.table.leave()
    servers.finish()
  }
}

/**
 * Returns whether a request is still accepted while the mount is closing. A running call may be waiting for a
 * response that the client sends in a POST.
 */
const mayAnswer = (request: HttpRequest): boolean =>
  request.method === 'POST' && (request.route === 'message' || request.header('mcp-session-id') !== undefined)
