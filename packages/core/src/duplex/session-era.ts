import { busy } from '../errors.ts'
import { errorFrame, type JsonRpcRequest } from '../protocol/jsonrpc.ts'
import { principalOf } from '../stores/principal.ts'
import { randomToken } from '../util/random.ts'
import type { Exchange } from '../call/exchange.ts'
import { separating } from '../call/separate-response.ts'
import type { EncodedResponse } from '../call/response.ts'
import { initialize } from '../session/initialize.ts'
import type { Session } from '../session/session.ts'
import type { EraOptions } from './per-request-era.ts'

/** The session of a duplex connection, which begins with the client's `initialize`. */
export class SessionEra {
  readonly #options: EraOptions
  readonly #exchange: Exchange
  #session: Session | undefined

  constructor(options: EraOptions) {
    const { runtime, outbox, onRefused } = options
    this.#options = options
    const exchange: Exchange = {
      duplex: true,
      network: outbox.network,
      send: (frame) => outbox.notify(frame),
      request: (frame) => outbox.write(frame),
      refused: onRefused,
    }
    this.#exchange = outbox.byteStream
      ? separating(exchange, runtime.clock, (frame) => this.#afterRead(frame))
      : exchange
  }

  /** Undefined before `initialize`. */
  get session(): Session | undefined {
    return this.#session
  }

  async initialize(message: JsonRpcRequest): Promise<EncodedResponse> {
    const { runtime, caller, served, outbox, onRefused } = this.#options
    const { session, ...response } = await initialize(runtime, {
      served,
      message,
      principal: principalOf(caller),
      id: randomToken(22, runtime.random),
      origin: this.#exchange,
    })
    if (session === undefined) {
      onRefused('initializeRefused')
      return response
    }
    this.#session = session
    session.emitEvents({ resumed: false })
    session.attach({ send: (frame) => outbox.notifySession(frame) })
    return response
  }

  call(message: JsonRpcRequest): EncodedResponse | Promise<EncodedResponse> {
    const session = this.#session
    if (session === undefined) return { frame: errorFrame(message.id, busy()) }
    return session.call(message, this.#exchange, this.#options.caller)
  }

  async #afterRead(frame: string): Promise<string> {
    await this.#session?.confirmRead((ping) => void this.#options.outbox.write(ping))
    return frame
  }
}
