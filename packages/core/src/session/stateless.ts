import { busy } from '../errors.ts'
import { errorFrame, type JsonRpcRequest, type RequestId, resultFrame } from '../protocol/jsonrpc.ts'
import { Method } from '../protocol/methods.ts'
import type { RequestMeta } from '../protocol/revisions/request-meta.ts'
import type { Revision } from '../protocol/revisions/revision.ts'
import { ANONYMOUS } from '../stores/principal.ts'
import { clientView } from '../call/client-view.ts'
import { CallContext } from '../call/context.ts'
import type { EncodedResponse } from '../call/dispatcher.ts'
import type { Exchange } from '../call/exchange.ts'
import { ConcurrencyLimit } from './concurrency-limit.ts'
import type { SessionLimits, ServerRuntime } from './server-runtime.ts'
import type { Caller } from './session.ts'

const UNKNOWN_CLIENT = clientView(undefined, {})

export interface StatelessCall {
  readonly message: JsonRpcRequest
  readonly exchange: Exchange
  readonly caller: Caller
  readonly revision: Revision
  /** What the request says of itself; undefined where its revision has nothing of the kind. */
  readonly meta?: RequestMeta | undefined
  /** The revisions that the client may choose from, where it has to. */
  readonly served?: readonly Revision[]
}

/** A call that waits for a place among the running ones. */
interface WaitingCall {
  readonly call: StatelessCall
  readonly runtime: ServerRuntime
  cancelled: boolean
}

/** How many calls of one principal run and wait. */
type LimitsOf = (runtime: ServerRuntime, principal: string) => SessionLimits

const LIMITS: LimitsOf = ({ limits }, principal) => (principal === ANONYMOUS ? limits.anonymous : limits)

/** What a mount needs of calls that belong to no session. */
export interface Calls {
  call(runtime: ServerRuntime, call: StatelessCall): EncodedResponse | Promise<EncodedResponse>
  /** Calls that run or wait; of one server only, where one is given. */
  inFlight(runtime?: ServerRuntime): number
  /** Ends what runs; its callers get no answer. */
  endAll(): void
}

/** Calls that belong to no session. What a session would limit is limited for each principal instead. */
export class StatelessCalls implements Calls {
  readonly #limitsOf: LimitsOf
  readonly #gates = new Map<string, ConcurrencyLimit>()
  /** By server, and kept: nearly every call of most servers comes through one. */
  readonly #anonymous = new WeakMap<ServerRuntime, ConcurrencyLimit>()
  readonly #running = new Map<CallContext, ServerRuntime>()
  readonly #waiting = new Set<WaitingCall>()

  /** @param limitsOf - by default anonymous callers are many, and share limits of their own */
  constructor(limitsOf: LimitsOf = LIMITS) {
    this.#limitsOf = limitsOf
  }

  call(runtime: ServerRuntime, call: StatelessCall): EncodedResponse | Promise<EncodedResponse> {
    const { message, caller, revision } = call
    const principal = caller.auth?.principal ?? ANONYMOUS
    const gate = this.#gateOf(runtime, principal)
    if (message.method === Method.Ping && revision.methods.has(Method.Ping) && gate.saturated)
      return { frame: resultFrame(message.id, '{}') }
    const entry = gate.enter()
    if (entry === undefined) return this.#run(runtime, call, { principal, gate })
    if (entry !== 'busy')
      return this.#runLater(entry, { call, runtime, cancelled: false }, { principal, gate })
    const error = busy()
    const sessionId = undefined
    runtime.events.emit('overflow', () => ({ queue: 'calls', action: 'refuse', bytes: 0, sessionId }))
    call.exchange.refused?.('busy')
    return { frame: errorFrame(message.id, revision.encodeError(error)), error }
  }

  /** Calls that run or wait; of one server only, where one is given. */
  inFlight(runtime?: ServerRuntime): number {
    if (runtime === undefined) return this.#running.size + this.#waiting.size
    let count = 0
    for (const server of this.#running.values()) if (server === runtime) count++
    for (const { runtime: server } of this.#waiting) if (server === runtime) count++
    return count
  }

  /** Resolves when one more of a principal's calls may come in; undefined when it may now. */
  capacity(runtime: ServerRuntime, principal: string): Promise<void> | undefined {
    return this.#known(runtime, principal)?.capacity()
  }

  /** Lets everyone go on who waits for room. */
  release(runtime: ServerRuntime, principal: string): void {
    this.#known(runtime, principal)?.release()
  }

  /** How many of the calls that run or wait have this id. */
  named(id: RequestId): number {
    return this.#runningAs(id).length + this.#waitingAs(id).length
  }

  /** Takes back a call where its client has no other way of saying so than a message. */
  cancel(id: RequestId): void {
    // An id that several calls share names none of them.
    if (this.named(id) !== 1) return
    this.#runningAs(id)[0]?.end?.('cancelled')
    for (const waiting of this.#waitingAs(id)) waiting.cancelled = true
  }

  /** Ends what runs; its callers get no answer. */
  endAll(): void {
    for (const waiting of this.#waiting) waiting.cancelled = true
    for (const ctx of this.#running.keys()) ctx.end?.('closed')
  }

  #runningAs(id: RequestId): CallContext[] {
    return [...this.#running.keys()].filter((ctx) => ctx.message.id === id)
  }

  #waitingAs(id: RequestId): WaitingCall[] {
    return [...this.#waiting].filter(({ call }) => call.message.id === id)
  }

  #known(runtime: ServerRuntime, principal: string): ConcurrencyLimit | undefined {
    return principal === ANONYMOUS ? this.#anonymous.get(runtime) : this.#gates.get(principal)
  }

  #gateOf(runtime: ServerRuntime, principal: string): ConcurrencyLimit {
    const known = this.#known(runtime, principal)
    if (known !== undefined) return known
    const gate = new ConcurrencyLimit(this.#limitsOf(runtime, principal))
    if (principal === ANONYMOUS) this.#anonymous.set(runtime, gate)
    else this.#gates.set(principal, gate)
    return gate
  }

  /** A call that was cancelled while it waited, or whose client has gone, never reaches its handler. */
  async #runLater(entry: Promise<void>, waiting: WaitingCall, place: Place): Promise<EncodedResponse> {
    const { call, runtime } = waiting
    if (call.revision.cancelOnDisconnect) call.exchange.onDisconnect?.(() => (waiting.cancelled = true))
    this.#waiting.add(waiting)
    await entry
    this.#waiting.delete(waiting)
    if (!waiting.cancelled) return this.#run(runtime, call, place)
    this.#leave(place)
    return undefined
  }

  #run(
    runtime: ServerRuntime,
    call: StatelessCall,
    place: Place,
  ): EncodedResponse | Promise<EncodedResponse> {
    const ctx = contextOf(runtime, call)
    const { exchange, revision } = call
    const answer = runtime.dispatcher.run(ctx)
    // Nothing can cancel a call that is over already.
    if (!(answer instanceof Promise)) {
      this.#leave(place)
      return answer
    }
    this.#running.set(ctx, runtime)
    if (revision.cancelOnDisconnect) exchange.onDisconnect?.(() => ctx.end?.('cancelled'))
    return answer.finally(() => {
      this.#running.delete(ctx)
      this.#leave(place)
    })
  }

  #leave({ principal, gate }: Place): void {
    gate.leave()
    if (gate.inFlight === 0) this.#gates.delete(principal)
  }
}

/** What a call that belongs to no session runs in. */
export function contextOf(
  runtime: ServerRuntime,
  { message, exchange, caller, revision, meta, served }: StatelessCall,
): CallContext {
  const ctx = new CallContext(message, {
    revision,
    client: meta === undefined ? UNKNOWN_CLIENT : clientView(meta.client, meta.capabilities),
    session: undefined,
    auth: caller.auth,
    locals: caller.locals,
    background: caller.background,
    host: caller.host,
    exchange,
    logLevel: meta === undefined ? runtime.defaultLogLevel : runtime.defaultLogLevel && meta.logLevel,
    served,
    asking: runtime.asking,
  })
  ctx.app = runtime.app()
  return ctx
}

/** Where a call is counted. */
interface Place {
  readonly principal: string
  readonly gate: ConcurrencyLimit
}
