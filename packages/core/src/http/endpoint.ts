import { isErrorOf, UsageError } from '../errors.ts'
import { classify } from '../protocol/jsonrpc.ts'
import { narrowRevisions, REVISIONS } from '../protocol/revisions/index.ts'
import { standsAlone } from '../protocol/revisions/select.ts'
import { type CallPool, createCallPool } from '../session/call-pool.ts'
import { Drainable } from '../session/drainable.ts'
import type { AuthInfo } from '../stores/principal.ts'
import { WaitUntil, type WorkCount } from '../call/wait-until.ts'
import { type Clock, systemClock } from '../util/clock.ts'
import { stderrLogger, safeLogger } from '../util/logger.ts'
import { isolatedRequests } from '../util/platform.ts'
import { secureRandom } from '../util/random.ts'
import type { Caller } from '../session/session.ts'
import type { ServerMount, MountHandle } from '../session/server-runtime.ts'
import { type Gauges, type MountStats, NOTHING_HELD } from '../session/stats.ts'
import { Deadlines } from '../util/timers.ts'
import { Authenticator } from './guard/authenticate.ts'
import { createHeadGuard, type HeadGuard } from './guard/guard.ts'
import { answerProbe, type Probe, probesOf } from './health.ts'
import { type Body, parseBody } from './streamable/incoming.ts'
import { SessionEraHttp } from './streamable/session-era.ts'
import { PerRequestHttp } from './streamable/per-request-era.ts'
import type { EndpointContext as MountParts } from './mount.ts'
import { OpenStreams } from './streams/open-streams.ts'
import type { EndpointOptions, ResolvedOptions } from './options.ts'
import { Rejections } from './rejections.ts'
import { resolveOptions } from './resolve-options.ts'
import type { EndpointParts } from './parts.ts'
import { createSessionRoutes, partsForSessions, type SessionRoutes } from './streamable/session-routes.ts'
import { SubscriptionHandler } from './streamable/subscription-handler.ts'
import { routeOf } from './legacy-sse/routes.ts'
import { resolveSessionOptions } from './sessions/session-options.ts'
import { refuse } from './refusals.ts'
import { StoreFailure } from './streams/store-failure.ts'
import { type Servable, type ServerSelector, type ServedServer, ServedServers } from './served-servers.ts'
import { BodyError, type HttpReply, type HttpRequest } from './types.ts'

/** A request with what the server demands to find as `ctx.locals`. */
export type RequestWithLocals<Locals> = HttpRequest &
  (unknown extends Locals ? unknown : { readonly locals: Locals })

/** A server mounted on HTTP, behind whatever framework translates for it. */
export interface Endpoint<Locals = unknown> extends MountHandle {
  /** Answers one request. Never throws and never rejects. */
  handle(request: RequestWithLocals<Locals>): HttpReply | Promise<HttpReply>
  /**
   * How many bytes of a request's body may be read before {@link handle} is asked, by its head alone: for adapters that
   * can read them, and by that save a call all waiting. Undefined where the body is to be left to `handle`, which may
   * answer without it, or has to know first who calls. An adapter whose requests have an `auth` of their own does not ask,
   * since that is looked at before the body as well: it may have expired.
   */
  mayRead(request: HttpRequest): number | undefined
  /** The paths of the option `health`, for an adapter to route to {@link probe}; empty without the option. */
  readonly probes: ReadonlyMap<string, Probe>
  /** Answers a probe, at once and whoever asks. */
  probe(probe: Probe, method: string): HttpReply
}

/**
 * Mounts a server on HTTP, or a function that chooses one for each session. Starts no timer and opens nothing before the
 * first request.
 *
 * @throws `ERR_MCP_OPTION`, `ERR_MCP_REVISION`; `ERR_MCP_CLOSED` when the server is closed
 */
export function createEndpoint<Locals = unknown>(
  server: Servable<Locals> | ServerSelector<Locals>,
  options: EndpointOptions = {},
): Endpoint<Locals> {
  return mountEndpoint(server, options, ALL_PARTS)
}

/** The parts of an endpoint that has everything. */
export const ALL_PARTS: EndpointParts = {
  sessions: {
    resolveOptions: resolveSessionOptions,
    createStores: partsForSessions,
    createRoutes: createSessionRoutes,
    routeOf,
  },
  subscriptions: (mount, calls) => new SubscriptionHandler(mount, calls),
}

/** What {@link createEndpoint} does, with the parts that a preset passes. */
export function mountEndpoint<Locals>(
  server: Servable<Locals> | ServerSelector<Locals>,
  options: EndpointOptions,
  parts: EndpointParts,
): Endpoint<Locals> {
  // The endpoint hands on what the request carries; that it fits is for the types of `handle` to say.
  const endpoint = new HttpEndpoint(server as Servable | ServerSelector, options, parts)
  if (typeof server !== 'function') server.runtime.attach(endpoint)
  return endpoint
}

class HttpEndpoint implements Endpoint, ServerMount {
  readonly probes: ReadonlyMap<string, Probe>
  readonly #mount: MountParts
  readonly #guard: HeadGuard
  readonly #admission: Authenticator
  readonly #authenticates: boolean
  readonly #sessions: SessionRoutes | undefined
  readonly #stateless: CallPool | undefined
  readonly #http: SessionEraHttp
  readonly #modern: PerRequestHttp
  readonly #work: Drainable
  readonly #isolated = isolatedRequests()
  #closed = false

  constructor(server: Servable | ServerSelector, options: EndpointOptions, parts: EndpointParts) {
    const clock = (typeof server === 'function' ? undefined : server.runtime.clock) ?? systemClock
    const resolved = resolveOptions(options, parts)
    this.#work = new Drainable(clock, { begin: () => this.#drain(), finish: () => this.#end() })
    this.#mount = createMount(server, options, { resolved, clock, work: this.#work, parts })
    const { logger, tenants } = this.#mount
    this.probes = probesOf(options.health)
    this.#guard = createHeadGuard({ ...options, stateless: resolved.stateless }, this.#mount.served)
    this.#authenticates = options.authenticate !== undefined
    this.#admission = new Authenticator(options.authenticate, clock, logger)
    this.#sessions = parts.sessions?.createRoutes(this.#mount, options)
    this.#stateless = resolved.stateless ? createCallPool() : undefined
    this.#http = new SessionEraHttp(this.#mount, this.#sessions, this.#stateless)
    tenants.measure = (tenant) => this.#held(tenant)
    this.#modern = new PerRequestHttp(this.#mount, this.#http, parts)
  }

  get closed(): Promise<void> {
    return this.#work.closed
  }

  handle(request: HttpRequest): HttpReply | Promise<HttpReply> {
    try {
      const reply = this.#handle(request)
      return reply instanceof Promise ? this.#tracked(request, reply) : this.#report(request, reply)
    } catch (error) {
      return this.#report(request, this.#failed(error))
    }
  }

  mayRead(request: HttpRequest): number | undefined {
    if (request.method !== 'POST' || request.route !== 'mcp') return undefined
    // A mount that closes refuses most by their heads: their bodies may take for ever.
    if (this.#authenticates || this.#work.closing) return undefined
    return this.#guard(request) === undefined ? this.#mount.options.bodyLimit : undefined
  }

  close({ deadline }: { readonly deadline?: number } = {}): Promise<void> {
    return this.#work.close({ deadline: deadline ?? this.#mount.options.closeDeadlineMs })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  probe(probe: Probe, method: string): HttpReply {
    return answerProbe(method, probe === 'livez' || !this.#work.closing)
  }

  gauges(): Gauges {
    const { streams = 0, events = 0, bytes = 0 } = this.#mount.events?.size ?? {}
    return { ...this.#held(), replayStreams: streams, replayEvents: events, replayBytes: bytes }
  }

  stats(): MountStats {
    return {
      ...this.gauges(),
      draining: this.#work.closing,
      refusals: this.#mount.rejections.refusals.snapshot(),
    }
  }

  /** What is held, of one server only where one is given. The log of events is the mount's, not a server's. */
  #held(tenant?: ServedServer): Gauges {
    let sessions = 0
    let callsInFlight =
      (this.#stateless?.inFlight(tenant?.runtime) ?? 0) + this.#modern.inFlight(tenant?.runtime)
    for (const { session, tenant: own } of this.#sessions?.all() ?? []) {
      if (tenant !== undefined && own !== tenant) continue
      sessions++
      callsInFlight += session.inFlight
    }
    return { ...NOTHING_HELD, ...this.#mount.openStreams.held(tenant), sessions, callsInFlight }
  }

  #handle(request: HttpRequest): HttpReply | Promise<HttpReply> {
    const refused = request.headJudged === true ? undefined : this.#guard(request)
    if (refused !== undefined) return refused
    if (this.#work.closing && (this.#closed || !mayAnswer(request))) return refuse('draining')
    const auth = this.#admission.admit(request)
    if (auth instanceof Promise) return auth.then((found) => this.#admitted(request, found))
    return this.#admitted(request, auth)
  }

  #admitted(request: HttpRequest, auth: AuthInfo | HttpReply | undefined): HttpReply | Promise<HttpReply> {
    if (auth !== undefined && 'status' in auth) return auth
    const caller: Caller = {
      auth,
      locals: request.locals,
      background: this.#mount.background,
      host: request,
    }
    if (request.route !== 'mcp') return this.#sessions?.legacySse(request, caller) ?? refuse('notHere')
    if (request.method === 'POST') return this.#post(request, caller)
    // Where there are no sessions the guard lets no other verb pass.
    return this.#sessions?.[request.method === 'GET' ? 'get' : 'delete'](request, caller) ?? refuse('notHere')
  }

  #post(request: HttpRequest, caller: Caller): HttpReply | Promise<HttpReply> {
    const body = request.body(this.#mount.options.bodyLimit)
    if (!(body instanceof Promise)) return this.#received(request, caller, body)
    return body.then((bytes) => this.#received(request, caller, bytes))
  }

  #received(request: HttpRequest, caller: Caller, body: Body): HttpReply | Promise<HttpReply> {
    const { options, served } = this.#mount
    const parsed = parseBody(body, options.parseLimits)
    if (!parsed.ok) return refuse('parseError', parsed.error)
    if (Array.isArray(parsed.value)) return this.#http.postBatch(request, caller, parsed.value)
    const incoming = classify(parsed.value)
    if (incoming.kind === 'request' || incoming.kind === 'notification') {
      const { message } = incoming
      if (standsAlone(message, request.header('mcp-protocol-version'), served))
        return this.#modern.post(request, caller, message)
    }
    return this.#http.post(request, caller, incoming)
  }

  #tracked(request: HttpRequest, reply: Promise<HttpReply>): Promise<HttpReply> {
    const { work } = this.#mount
    work.begin()
    const settled = reply.then(
      (value) => {
        work.end()
        return this.#report(request, value)
      },
      (error: unknown) => {
        work.end()
        return this.#report(request, this.#failed(error))
      },
    )
    // Others may wait for what this one has begun, such as a lifespan that opens: it must not end with its client.
    if (this.#isolated) request.waitUntil?.(settled)
    return settled
  }

  /** Tells listeners of a request that was turned away. */
  #report(request: HttpRequest, reply: HttpReply): HttpReply {
    // Nearly every reply is an answer, and costs no more than this comparison.
    if (reply.status >= 400) this.#mount.rejections.see(request, reply)
    return reply
  }

  #failed(error: unknown): HttpReply {
    if (isErrorOf(UsageError, error) && error.code === 'ERR_MCP_CLOSED') return refuse('draining')
    if (error instanceof BodyError) return refuse(error.status === 413 ? 'bodyTooLarge' : 'unreadableBody')
    this.#mount.logger.error({ err: error }, 'A request could not be served')
    return refuse(error instanceof StoreFailure ? 'unavailable' : 'internal')
  }

  #drain(): void {
    this.#http.drain()
    this.#sessions?.drain()
    this.#modern.drain()
    this.#sessions?.endStandalone()
  }

  #end(): void {
    const { openStreams, upgrades, tenants } = this.#mount
    this.#stateless?.endAll()
    this.#modern.endAll()
    this.#sessions?.closeAll()
    upgrades.clear()
    openStreams.cutAll()
    tenants.finish()
    this.#closed = true
  }
}

const NO_STORES: Pick<MountParts, 'events' | 'pings'> = { events: undefined, pings: undefined }

function createMount(
  server: Servable | ServerSelector,
  options: EndpointOptions,
  {
    resolved,
    clock,
    work,
    parts,
  }: {
    readonly resolved: ResolvedOptions
    readonly clock: Clock
    readonly work: WorkCount
    readonly parts: EndpointParts
  },
): MountParts {
  const runtime = typeof server === 'function' ? undefined : server.runtime
  const random = runtime?.random ?? secureRandom
  const logger = options.logger ?? runtime?.logger ?? safeLogger(stderrLogger)
  const tenants = new ServedServers(server, clock)
  return {
    clock,
    random,
    tenants,
    rejections: new Rejections(tenants, options.onReject, logger),
    options: resolved,
    logger,
    served: narrowRevisions(runtime?.revisions ?? REVISIONS, options.revisions),
    ...(parts.sessions?.createStores({ clock, random, logger }, options, resolved) ?? NO_STORES),
    openStreams: new OpenStreams(clock, resolved.keepAlive),
    upgrades: new Deadlines(clock, resolved.upgradeAfterMs),
    work,
    background: new WaitUntil(work, logger),
  }
}

/** A call that is still running may wait for an answer, which only its client's session can bring. */
const mayAnswer = (request: HttpRequest): boolean =>
  request.method === 'POST' && (request.route === 'message' || request.header('mcp-session-id') !== undefined)
