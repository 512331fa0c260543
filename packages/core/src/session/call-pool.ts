import { busy } from '../errors.ts'
import { errorFrame, type RequestId, resultFrame } from '../protocol/jsonrpc.ts'
import { Method } from '../protocol/methods.ts'
import { principalOf } from '../stores/principal.ts'
import { isolatedRequests } from '../util/platform.ts'
import type { CallContext } from '../call/context.ts'
import type { EncodedResponse } from '../call/response.ts'
import type { ConcurrencyLimit } from './concurrency-limit.ts'
import { PrincipalLimits } from './principal-limits.ts'
import type { ServerRuntime } from './server-runtime.ts'

/** The limit that a call counts against. */
type LimitOf = (runtime: ServerRuntime, principal: string) => ConcurrencyLimit

/** Calls that run or wait for their turn, within limits. They can be cancelled by id, and all ended at once. */
export class CallPool {
  readonly #limitOf: LimitOf | undefined
  /** Calls that wait, and calls that run and did not answer at once. */
  readonly #calls = new Map<CallContext, ServerRuntime>()

  /**
   * @param limitOf - undefined where requests are isolated: a call there may end unnoticed and would count for ever, no
   *   other request could end it, and the platform limits how many run
   */
  constructor(limitOf: LimitOf | undefined) {
    this.#limitOf = limitOf
  }

  run(runtime: ServerRuntime, ctx: CallContext): EncodedResponse | Promise<EncodedResponse> {
    if (this.#limitOf === undefined) return runIsolated(runtime, ctx)
    const { message, revision } = ctx
    const limit = this.#limitOf(runtime, principalOf(ctx))
    // A ping checks the connection: it must not wait for calls that hang.
    if (message.method === Method.Ping && limit.saturated && revision.methods.has(Method.Ping))
      return { frame: resultFrame(message.id, '{}') }
    const place = limit.enter()
    if (place === undefined) return this.#start(runtime, ctx, limit)
    return place === 'busy' ? refuse(runtime, ctx) : this.#wait(place, runtime, ctx, limit)
  }

  /** Calls that run or wait, of one server only if one is given. A call that answers at once is not seen. */
  inFlight(runtime?: ServerRuntime): number {
    if (runtime === undefined) return this.#calls.size
    let count = 0
    for (const server of this.#calls.values()) if (server === runtime) count++
    return count
  }

  /** How many calls that run or wait have this id. */
  count(id: RequestId): number {
    return this.#withId(id).length
  }

  /** Does nothing if several calls share the id: cancelling the wrong one would be worse. */
  cancel(id: RequestId): void {
    const [call, ...others] = this.#withId(id)
    if (others.length === 0) call?.end?.('cancelled')
  }

  /** Ends all calls; they get no answer. */
  endAll(): void {
    for (const ctx of this.#calls.keys()) ctx.end?.('closed')
  }

  #withId(id: RequestId): readonly CallContext[] {
    return [...this.#calls.keys()].filter((ctx) => ctx.message.id === id)
  }

  #start(
    runtime: ServerRuntime,
    ctx: CallContext,
    limit: ConcurrencyLimit,
  ): EncodedResponse | Promise<EncodedResponse> {
    ctx.app = runtime.app()
    const answer = runtime.dispatcher.run(ctx)
    if (!(answer instanceof Promise)) {
      limit.leave()
      return answer
    }
    this.#calls.set(ctx, runtime)
    cancelOnDisconnect(ctx)
    return answer.finally(() => {
      this.#calls.delete(ctx)
      limit.leave()
    })
  }

  /** A call that ends while it waits never reaches its handler. */
  async #wait(
    place: Promise<void>,
    runtime: ServerRuntime,
    ctx: CallContext,
    limit: ConcurrencyLimit,
  ): Promise<EncodedResponse> {
    let ended = false
    ctx.end = () => {
      ended = true
    }
    this.#calls.set(ctx, runtime)
    cancelOnDisconnect(ctx)
    await place
    this.#calls.delete(ctx)
    ctx.end = undefined
    if (!ended) return this.#start(runtime, ctx, limit)
    limit.leave()
    return undefined
  }
}

/** A pool for calls that belong to no session: each authenticated principal has limits, anonymous callers share theirs. */
export function createCallPool(): CallPool {
  if (isolatedRequests()) return new CallPool(undefined)
  const limits = new PrincipalLimits()
  return new CallPool((runtime, principal) => limits.of(runtime, principal))
}

function runIsolated(runtime: ServerRuntime, ctx: CallContext): EncodedResponse | Promise<EncodedResponse> {
  ctx.app = runtime.app()
  const answer = runtime.dispatcher.run(ctx)
  if (answer instanceof Promise) {
    cancelOnDisconnect(ctx)
    // Such a platform drops running work when the client disconnects; the handler may still have to clean up.
    ctx.scope.caller.host?.waitUntil?.(answer)
  }
  return answer
}

function cancelOnDisconnect(ctx: CallContext): void {
  if (ctx.revision.cancelOnDisconnect) ctx.scope.exchange.onDisconnect?.(() => ctx.end?.('cancelled'))
}

function refuse(runtime: ServerRuntime, ctx: CallContext): EncodedResponse {
  const error = busy()
  const sessionId = ctx.session?.id
  runtime.events.emit('overflow', () => ({ queue: 'calls', action: 'refuse', bytes: 0, sessionId }))
  ctx.scope.exchange.refused?.('busy')
  return { frame: errorFrame(ctx.message.id, ctx.revision.encodeError(error)), error }
}
