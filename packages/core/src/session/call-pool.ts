import type { Awaitable } from '../util/promises.ts'
import type { readRequestMeta } from '../protocol/revisions/select.ts'
import { busy, callEnded, type McpError } from '../errors.ts'
import { errorFrame, type JsonRpcRequest, type RequestId, resultFrame } from '../protocol/jsonrpc.ts'
import { Method } from '../protocol/methods.ts'
import { ANONYMOUS, principalOf } from '../stores/principal.ts'
import { isolatedRequests } from '../util/platform.ts'
import { CallContext, type EndReason } from '../call/context.ts'
import type { EncodedResponse } from '../call/response.ts'
import type { ServerRuntime, SessionLimits } from './server-runtime.ts'
import { ClientView } from '../call/request-context.ts'
import type { CallScope } from '../call/scope.ts'

type LimitOf = (runtime: ServerRuntime, principal: string) => ConcurrencyLimit

/**
 * Runs calls within limits, and queues calls that exceed them. Calls can be cancelled by id, or all ended at
 * once.
 */
export class CallPool {
  readonly #limit: ConcurrencyLimit | LimitOf | undefined
  /** Queued calls, and running calls that did not return synchronously. */
  #calls: Map<CallContext, ServerRuntime> | undefined

  /**
   * @param limit - undefined on platforms that isolate requests. On these platforms, a call may end
   * undetected and would then be counted forever, because other requests cannot end it. The platform itself
   * limits the number of running calls
   */
  constructor(limit: ConcurrencyLimit | LimitOf | undefined) {
    this.#limit = limit
  }

  run(runtime: ServerRuntime, ctx: CallContext): Awaitable<EncodedResponse> {
    const fault = runtime.dispatcher.admit(ctx)
    if (fault !== undefined) return refusal(ctx, fault)
    const limit =
      typeof this.#limit === 'function' ? this.#limit(runtime, principalOf(ctx.scope.caller)) : this.#limit
    if (limit === undefined) return runIsolated(runtime, ctx)
    const { message, revision } = ctx
    // A ping checks the connection, so it must not wait behind calls that hang.
    if (message.method === Method.Ping && limit.saturated && revision.methods.has(Method.Ping))
      return { frame: resultFrame(message.id, '{}') }
    const place = limit.enter()
    if (place === undefined) return this.#start(runtime, ctx, limit)
    return place === 'busy' ? refuseBusy(runtime, ctx) : this.#wait(place, runtime, ctx, limit)
  }

  /**
   * Counts the running and queued calls of the given server, or of all servers. A call that returns
   * synchronously is not counted.
   */
  inFlight(runtime?: ServerRuntime): number {
    if (runtime === undefined) return this.#calls?.size ?? 0
    return [...(this.#calls?.values() ?? [])].filter((server) => server === runtime).length
  }

  has(id: RequestId): boolean {
    return this.#withId(id).length > 0
  }

  /**
   * Cancels the call with this id. Does nothing if several calls share the id, so that the wrong call is not
   * cancelled.
   */
  cancel(id: RequestId): void {
    const [call, ...others] = this.#withId(id)
    if (others.length === 0) call?.end?.('cancelled')
  }

  /** Ends all calls with an error response. */
  endAll(): void {
    for (const ctx of this.#calls?.keys() ?? []) ctx.end?.('closed')
  }

  #withId(id: RequestId): readonly CallContext[] {
    return [...(this.#calls?.keys() ?? [])].filter((ctx) => ctx.message.id === id)
  }

  #start(runtime: ServerRuntime, ctx: CallContext, limit: ConcurrencyLimit): Awaitable<EncodedResponse> {
    ctx.app = runtime.app()
    const answer = runtime.dispatcher.run(ctx)
    if (!(answer instanceof Promise)) {
      limit.leave()
      return answer
    }
    this.#add(runtime, ctx)
    return answer.finally(() => {
      this.#calls?.delete(ctx)
      limit.leave()
    })
  }

  /** Waits in the queue, then starts the call. A call that ends in the queue never reaches its handler. */
  async #wait(
    place: Promise<void>,
    runtime: ServerRuntime,
    ctx: CallContext,
    limit: ConcurrencyLimit,
  ): Promise<EncodedResponse> {
    let ended: EndReason | undefined
    ctx.end = (reason) => {
      ended = reason
    }
    this.#add(runtime, ctx)
    const since = runtime.clock.now()
    await place
    ctx.queuedMs = runtime.clock.now() - since
    this.#calls?.delete(ctx)
    ctx.end = undefined
    if (ended === undefined) return this.#start(runtime, ctx, limit)
    limit.leave()
    return ended === 'closed' ? refusal(ctx, callEnded()) : undefined
  }

  #add(runtime: ServerRuntime, ctx: CallContext): void {
    ;(this.#calls ??= new Map()).set(ctx, runtime)
    cancelOnDisconnect(ctx)
  }
}

/**
 * Creates a pool for calls without a session. Each authenticated principal has its own limits, and all
 * anonymous callers share one set of limits.
 */
export function createCallPool(): CallPool {
  if (isolatedRequests()) return new CallPool(undefined)
  /** This limit stays in memory even when idle, because most calls on most servers share it. */
  const anonymous = new WeakMap<ServerRuntime, ConcurrencyLimit>()
  const byPrincipal = new Map<string, ConcurrencyLimit>()
  return new CallPool((runtime, principal) => {
    const known = principal === ANONYMOUS ? anonymous.get(runtime) : byPrincipal.get(principal)
    if (known !== undefined) return known
    if (principal === ANONYMOUS) {
      const shared = new ConcurrencyLimit(runtime.limits.anonymous)
      anonymous.set(runtime, shared)
      return shared
    }
    const limit = new ConcurrencyLimit(runtime.limits, () => byPrincipal.delete(principal))
    byPrincipal.set(principal, limit)
    return limit
  })
}

function runIsolated(runtime: ServerRuntime, ctx: CallContext): Awaitable<EncodedResponse> {
  ctx.app = runtime.app()
  const answer = runtime.dispatcher.run(ctx)
  if (answer instanceof Promise) {
    cancelOnDisconnect(ctx)
    // These platforms stop running work when the client disconnects, although the handler may still have to clean
    // up.
    ctx.scope.caller.host?.waitUntil?.(answer)
  }
  return answer
}

function cancelOnDisconnect(ctx: CallContext): void {
  if (ctx.revision.cancelOnDisconnect) ctx.scope.exchange.onDisconnect?.(() => ctx.end?.('cancelled'))
}

function refuseBusy(runtime: ServerRuntime, ctx: CallContext): EncodedResponse {
  const sessionId = ctx.session?.id
  runtime.events.emit('overflow', () => ({ queue: 'calls', action: 'refuse', bytes: 0, sessionId }))
  ctx.scope.exchange.refused?.('busy')
  return refusal(ctx, busy())
}

const refusal = ({ message, revision }: CallContext, error: McpError): EncodedResponse => ({
  frame: errorFrame(message.id, revision.encodeError(error)),
  error,
})

/** Limits the number of running and queued calls, and refuses further calls. */
export class ConcurrencyLimit {
  readonly #limits: SessionLimits
  readonly #onIdle: (() => void) | undefined
  #waiting: (() => void)[] | undefined
  #wantCapacity: (() => void)[] | undefined
  #running = 0

  /** @param onIdle - runs when the last call has left */
  constructor(limits: SessionLimits, onIdle?: () => void) {
    this.#limits = limits
    this.#onIdle = onIdle
  }

  get inFlight(): number {
    return this.#running + (this.#waiting?.length ?? 0)
  }

  /** Whether the next call would have to wait in the queue. */
  get saturated(): boolean {
    return this.#running >= this.#limits.running
  }

  get #full(): boolean {
    return this.inFlight >= this.#limits.inFlight
  }

  /**
   * Returns undefined if the call may run now, or a promise if it must wait for its turn. In both cases,
   * `leave` must be called afterwards. Returns `busy` if the call must be refused.
   */
  enter(): undefined | Promise<void> | 'busy' {
    if (this.#running < this.#limits.running) {
      this.#running++
      return undefined
    }
    if (this.#full) return 'busy'
    return new Promise((resolve) => (this.#waiting ??= []).push(resolve))
  }

  leave(): void {
    const next = this.#waiting?.shift()
    if (next !== undefined) next()
    else if (--this.#running === 0) this.#onIdle?.()
    // Usually, no one is waiting for capacity.
    if (this.#wantCapacity !== undefined) this.release()
  }

  /** Resolves when another call may enter. Returns undefined if it may enter now. */
  capacity(): Promise<void> | undefined {
    return this.#full ? new Promise((resolve) => (this.#wantCapacity ??= []).push(resolve)) : undefined
  }

  /** Resolves all promises returned by {@link capacity}. */
  release(): void {
    for (const resolve of this.#wantCapacity?.splice(0) ?? []) resolve()
    this.#wantCapacity = undefined
  }
}

const UNKNOWN_CLIENT = new ClientView(undefined, {})

export interface StatelessCall extends Pick<CallScope, 'exchange' | 'caller' | 'revision' | 'served'> {
  readonly message: JsonRpcRequest
  /** The request's own metadata, in revisions in which requests have metadata. */
  readonly meta?: ReturnType<typeof readRequestMeta> | undefined
}

export function statelessContext(
  runtime: ServerRuntime,
  { message, exchange, caller, revision, meta, served }: StatelessCall,
): CallContext {
  return new CallContext(message, {
    revision,
    client: meta === undefined ? UNKNOWN_CLIENT : new ClientView(meta.client, meta.capabilities),
    caller,
    exchange,
    logLevel: meta === undefined ? runtime.defaultLogLevel : runtime.defaultLogLevel && meta.logLevel,
    served,
    input: runtime.input,
  })
}
