import { busy } from '../errors.ts'
import {
  errorFrame,
  type JsonRpcNotification,
  type JsonRpcRequest,
  resultFrame,
} from '../protocol/jsonrpc.ts'
import { Method, Notification } from '../protocol/methods.ts'
import type { RequestMeta } from '../protocol/revisions/request-meta.ts'
import type { Revision } from '../protocol/revisions/revision.ts'
import { ANONYMOUS } from './auth.ts'
import { clientView } from './client-view.ts'
import { CallContext } from './context.ts'
import type { Answered } from './dispatcher.ts'
import type { Exchange } from './exchange.ts'
import { Gate } from './gate.ts'
import type { ServerRuntime } from './server-runtime.ts'
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

/** Calls that belong to no session. What a session would limit is limited for each principal instead. */
export class StatelessCalls {
  readonly #gates = new Map<string, Gate>()
  readonly #running = new Map<CallContext, ServerRuntime>()
  readonly #waiting = new Map<StatelessCall, ServerRuntime>()

  call(runtime: ServerRuntime, call: StatelessCall): Answered | Promise<Answered> {
    const { message, caller, revision } = call
    const principal = caller.auth?.principal ?? ANONYMOUS
    const gate = this.#gates.get(principal) ?? new Gate(runtime.limits)
    this.#gates.set(principal, gate)
    if (message.method === Method.Ping && revision.methods.has(Method.Ping) && gate.crowded)
      return { frame: resultFrame(message.id, '{}') }
    const entry = gate.enter()
    if (entry === 'busy') {
      const error = busy()
      const sessionId = undefined
      runtime.events.emit('overflow', () => ({ queue: 'calls', action: 'refuse', bytes: 0, sessionId }))
      call.exchange.refused?.('busy')
      return { frame: errorFrame(message.id, revision.encodeError(error)), error }
    }
    const run = (): Answered | Promise<Answered> =>
      this.#run(runtime, call, () => this.#leave(principal, gate))
    if (entry === undefined) return run()
    this.#waiting.set(call, runtime)
    return entry.then(() => {
      this.#waiting.delete(call)
      return run()
    })
  }

  /** Calls that run or wait; of one server only, where one is given. */
  inFlight(runtime?: ServerRuntime): number {
    if (runtime === undefined) return this.#running.size + this.#waiting.size
    const servers = [...this.#running.values(), ...this.#waiting.values()]
    return servers.filter((server) => server === runtime).length
  }

  /** Takes back a call where its client has no other way of saying so than a message. */
  notification({ method, params }: JsonRpcNotification): void {
    if (method !== Notification.Cancelled) return
    const named = [...this.#running.keys()].filter((ctx) => ctx.message.id === params?.['requestId'])
    // An id that several calls share names none of them.
    if (named.length === 1) named[0]?.end?.('cancelled')
  }

  /** Ends what runs; its callers get no answer. */
  endAll(): void {
    for (const ctx of this.#running.keys()) ctx.end?.('closed')
  }

  #run(
    runtime: ServerRuntime,
    { message, exchange, caller, revision, meta, served }: StatelessCall,
    leave: () => void,
  ): Answered | Promise<Answered> {
    const ctx = new CallContext(message, {
      revision,
      client: meta === undefined ? UNKNOWN_CLIENT : clientView(meta.client, meta.capabilities),
      session: undefined,
      auth: caller.auth,
      mount: caller.mount,
      background: caller.background,
      host: caller.host,
      exchange,
      logLevel: meta === undefined ? runtime.defaultLogLevel : runtime.defaultLogLevel && meta.logLevel,
      served,
    })
    ctx.app = runtime.app()
    this.#running.set(ctx, runtime)
    const done = (): void => {
      this.#running.delete(ctx)
      leave()
    }
    const answer = runtime.dispatcher.run(ctx)
    if (answer instanceof Promise) {
      if (revision.cancelOnDisconnect) exchange.onGone?.(() => ctx.end?.('cancelled'))
      return answer.finally(done)
    }
    done()
    return answer
  }

  #leave(principal: string, gate: Gate): void {
    gate.leave()
    if (gate.inFlight === 0) this.#gates.delete(principal)
  }
}
