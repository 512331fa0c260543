import { busy } from '../errors.ts'
import { errorFrame, type JsonRpcRequest } from '../protocol/jsonrpc.ts'
import type { Revision } from '../protocol/revisions/revision.ts'
import { ANONYMOUS } from '../runtime/auth.ts'
import { clientView } from '../runtime/client-view.ts'
import { CallContext } from '../runtime/context.ts'
import type { Answered } from '../runtime/dispatcher.ts'
import type { Exchange } from '../runtime/exchange.ts'
import { Gate } from '../runtime/gate.ts'
import type { ServerRuntime } from '../runtime/server-runtime.ts'
import type { Caller } from '../runtime/session.ts'

const UNKNOWN_CLIENT = clientView(undefined, {})

/** Calls that belong to no session. What a session would limit is limited for each principal instead. */
export class StatelessCalls {
  readonly #runtime: ServerRuntime
  readonly #gates = new Map<string, Gate>()
  readonly #running = new Set<CallContext>()

  constructor(runtime: ServerRuntime) {
    this.#runtime = runtime
  }

  call(
    message: JsonRpcRequest,
    exchange: Exchange,
    caller: Caller,
    revision: Revision,
  ): Answered | Promise<Answered> {
    const principal = caller.auth?.principal ?? ANONYMOUS
    const gate = this.#gates.get(principal) ?? new Gate(this.#runtime.limits)
    this.#gates.set(principal, gate)
    const entry = gate.enter()
    if (entry === 'busy') {
      const error = busy()
      return { frame: errorFrame(message.id, revision.encodeError(error)), error }
    }
    const run = (): Answered | Promise<Answered> =>
      this.#run(message, exchange, caller, revision, () => this.#leave(principal, gate))
    return entry === undefined ? run() : entry.then(run)
  }

  /** Ends what runs; its callers get no answer. */
  endAll(): void {
    for (const ctx of this.#running) ctx.end?.('closed')
  }

  #run(
    message: JsonRpcRequest,
    exchange: Exchange,
    caller: Caller,
    revision: Revision,
    leave: () => void,
  ): Answered | Promise<Answered> {
    const ctx = new CallContext(message, {
      revision,
      client: UNKNOWN_CLIENT,
      session: undefined,
      auth: caller.auth,
      mount: caller.mount,
      exchange,
      logLevel: this.#runtime.defaultLogLevel,
    })
    ctx.app = this.#runtime.app()
    this.#running.add(ctx)
    const done = (): void => {
      this.#running.delete(ctx)
      leave()
    }
    const answer = this.#runtime.dispatcher.run(ctx)
    if (answer instanceof Promise) return answer.finally(done)
    done()
    return answer
  }

  #leave(principal: string, gate: Gate): void {
    gate.leave()
    if (gate.inFlight === 0) this.#gates.delete(principal)
  }
}
