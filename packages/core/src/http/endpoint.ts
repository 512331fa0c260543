import { usageError } from '../errors.ts'
import { resolveRevisions } from '../protocol/revisions/index.ts'
import type { Revision } from '../protocol/revisions/revision.ts'
import type { AuthInfo } from '../runtime/auth.ts'
import { CHANGES_TOPIC } from '../runtime/bus.ts'
import { MemoryEventStore } from '../runtime/memory-event-store.ts'
import { MemorySessionStore } from '../runtime/memory-session-store.ts'
import type { Closable, ServerRuntime } from '../runtime/server-runtime.ts'
import { type Caller, toChangeEvent } from '../runtime/session.ts'
import { Admission } from './admission.ts'
import { createHeadGuard, type HeadGuard } from './guards.ts'
import { LegacyHttp } from './legacy.ts'
import type { Mount } from './mount.ts'
import { OpenStreams } from './open-streams.ts'
import { type EndpointOptions, type ResolvedOptions, resolveOptions } from './options.ts'
import { Sessions } from './sessions.ts'
import { StatelessCalls } from './stateless.ts'
import { refuse } from './statuses.ts'
import { StoreFailure } from './store-failure.ts'
import { Deadlines, Work } from '../runtime/timers.ts'
import { BodyError, type HttpReply, type HttpRequest } from './types.ts'

/** A server mounted on HTTP, behind whatever framework translates for it. */
export interface Endpoint extends Closable {
  /** Answers one request. Never throws and never rejects. */
  handle(request: HttpRequest): HttpReply | Promise<HttpReply>
  [Symbol.asyncDispose](): Promise<void>
}

/** What `createEndpoint` needs of a server: `McpServer` has it. */
export interface Servable {
  readonly runtime: ServerRuntime
}

const DEFAULT_DEADLINE_MS = 10_000

/**
 * Mounts a server on HTTP. Starts no timer and opens nothing before the first request.
 *
 * @throws `ERR_MCP_OPTION`, `ERR_MCP_REVISION`; `ERR_MCP_CLOSED` when the server is closed
 */
export function createEndpoint(server: Servable, options: EndpointOptions = {}): Endpoint {
  const endpoint = new HttpEndpoint(server.runtime, options)
  server.runtime.attach(endpoint)
  return endpoint
}

class HttpEndpoint implements Endpoint {
  readonly closed: Promise<void>
  readonly #mount: Mount
  readonly #guard: HeadGuard
  readonly #admission: Admission
  readonly #sessions: Sessions
  readonly #stateless: StatelessCalls | undefined
  readonly #http: LegacyHttp
  #unsubscribe: (() => void) | undefined
  #closing: Promise<void> | undefined
  #resolveClosed!: () => void

  constructor(runtime: ServerRuntime, options: EndpointOptions) {
    const resolved = resolveOptions(options)
    this.#mount = createMount(runtime, options, resolved)
    this.#guard = createHeadGuard(options)
    this.#admission = new Admission(options.authenticate, runtime.clock, this.#mount.logger)
    const { max, maxPerPrincipal } = resolved.sessions
    const store =
      options.sessionStore ?? new MemorySessionStore({ max, maxPerPrincipal, clock: runtime.clock })
    this.#sessions = new Sessions(this.#mount, store, () => this.#listenForChanges())
    this.#stateless = resolved.stateless ? new StatelessCalls(runtime) : undefined
    this.#http = new LegacyHttp(this.#mount, this.#sessions, this.#stateless)
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve
    })
  }

  handle(request: HttpRequest): HttpReply | Promise<HttpReply> {
    try {
      const reply = this.#handle(request)
      return reply instanceof Promise ? this.#settled(reply) : reply
    } catch (error) {
      return this.#failed(error)
    }
  }

  close({ deadline = DEFAULT_DEADLINE_MS }: { readonly deadline?: number } = {}): Promise<void> {
    // A later call may be in more of a hurry.
    this.#mount.work.limit(deadline)
    return (this.#closing ??= this.#drain())
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #handle(request: HttpRequest): HttpReply | Promise<HttpReply> {
    const refused = this.#guard(request)
    if (refused !== undefined) return refused
    if (this.#closing !== undefined) return refuse('draining')
    const auth = this.#admission.admit(request)
    if (auth instanceof Promise) return auth.then((found) => this.#admitted(request, found))
    return this.#admitted(request, auth)
  }

  #admitted(request: HttpRequest, auth: AuthInfo | HttpReply | undefined): HttpReply | Promise<HttpReply> {
    if (auth !== undefined && 'status' in auth) return auth
    const caller: Caller = { auth, mount: request.mount }
    if (request.method === 'POST') return this.#http.post(request, caller)
    return request.method === 'GET' ? this.#http.get(request, caller) : this.#http.delete(request, caller)
  }

  #settled(reply: Promise<HttpReply>): Promise<HttpReply> {
    const { work } = this.#mount
    work.begin()
    return reply.then(
      (value) => {
        work.end()
        return value
      },
      (error: unknown) => {
        work.end()
        return this.#failed(error)
      },
    )
  }

  #failed(error: unknown): HttpReply {
    if (error instanceof BodyError) return refuse(error.status === 413 ? 'bodyTooLarge' : 'unreadableBody')
    this.#mount.logger.error({ err: error }, 'A request could not be served')
    return refuse(error instanceof StoreFailure ? 'unavailable' : 'internal')
  }

  /** Sessions hear of changes through the bus, so that it does not matter which node made them. */
  #listenForChanges(): void {
    this.#unsubscribe ??= this.#mount.runtime.bus.subscribe(CHANGES_TOPIC, (message) => {
      const event = toChangeEvent(message)
      if (event === undefined) return
      for (const { session } of this.#sessions.all()) session.changed(event)
    })
  }

  async #drain(): Promise<void> {
    const { openStreams, upgrades, work } = this.#mount
    this.#unsubscribe?.()
    this.#sessions.endStandalone()
    await work.idle()
    this.#stateless?.endAll()
    this.#sessions.closeAll()
    upgrades.clear()
    openStreams.cutAll()
    this.#mount.runtime.dispatcher.rest()
    this.#resolveClosed()
  }
}

function createMount(runtime: ServerRuntime, options: EndpointOptions, resolved: ResolvedOptions): Mount {
  const { clock } = runtime
  return {
    runtime,
    options: resolved,
    logger: options.logger ?? runtime.logger,
    served: servedRevisions(runtime, options),
    events: createEventStore(runtime, options, resolved),
    openStreams: new OpenStreams(clock, resolved.keepAliveMs),
    upgrades: new Deadlines(clock, resolved.upgradeAfterMs),
    work: new Work(clock),
  }
}

function servedRevisions(runtime: ServerRuntime, { revisions }: EndpointOptions): readonly Revision[] {
  const asked = revisions === undefined ? runtime.revisions : resolveRevisions(revisions)
  const served = asked.filter((revision) => revision.streamableHttp && runtime.revisions.includes(revision))
  if (served.length > 0) return served
  throw usageError('ERR_MCP_REVISION', 'None of the revisions of this mount is served over Streamable HTTP')
}

function createEventStore(
  { clock, random }: ServerRuntime,
  { eventStore }: EndpointOptions,
  { bodyLimit, stateless }: ResolvedOptions,
): Mount['events'] {
  if (eventStore === false || stateless) return undefined
  return eventStore ?? new MemoryEventStore({ maxFinalBytes: bodyLimit, clock, random })
}
