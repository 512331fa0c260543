import { busy, invalidRequest } from '../errors.ts'
import {
  classify,
  errorFrame,
  type JsonRpcErrorObject,
  type JsonRpcRequest,
  type RequestId,
} from '../protocol/jsonrpc.ts'
import { checkParsed, parseText } from '../protocol/parse.ts'
import { ofEra } from '../protocol/revisions/index.ts'
import { namesVersion } from '../protocol/revisions/request-meta.ts'
import { selectRevision } from '../protocol/revisions/select.ts'
import { type CallPool, createCallPool } from '../session/call-pool.ts'
import { Drainable } from '../session/drainable.ts'
import { ANONYMOUS, type AuthInfo } from '../stores/principal.ts'
import { WaitUntil, type WorkHost } from '../call/wait-until.ts'
import type { EncodedResponse } from '../call/response.ts'
import type { Exchange } from '../call/exchange.ts'
import { answerInitialize } from '../session/initialize.ts'
import type { ServerMount, ServerRuntime } from '../session/server-runtime.ts'
import type { Caller } from '../call/scope.ts'
import { statelessContext } from '../session/stateless-call.ts'
import { type Gauges, NOTHING_HELD } from '../session/stats.ts'
import { attempt } from '../util/promises.ts'

/** Options of `server.handleMessage`. */
export interface MessageOptions extends WorkHost {
  /** The sender, as `ctx.auth`. */
  readonly auth?: AuthInfo | undefined
  /** The app's context, as `ctx.locals`. */
  readonly locals?: unknown
  /**
   * The protocol revision of the response, if the message names none.
   *
   * @default the newest with sessions that the server serves
   */
  readonly protocolVersion?: string
  /**
   * Gets the notifications of the call, such as progress and logs, as JSON text.
   *
   * @default they are dropped
   */
  readonly send?: (message: string) => void | Promise<void>
}

const NO_BATCHES = 'Batches are not accepted here: pass each message by itself'

/** Answers single messages without sessions, for example from a queue or a function's event. */
export class MessageHandler implements ServerMount {
  readonly isMount = false
  readonly #runtime: ServerRuntime
  readonly #calls: CallPool
  readonly #work: Drainable
  readonly #background: WaitUntil

  constructor(runtime: ServerRuntime) {
    this.#runtime = runtime
    this.#calls = createCallPool()
    this.#work = new Drainable(runtime.clock, {
      finish: () => {
        this.#calls.endAll()
        runtime.dispatcher.releaseTimers()
      },
    })
    this.#background = new WaitUntil(this.#work, runtime.logger)
  }

  get closed(): Promise<void> {
    return this.#work.closed
  }

  /** The response as JSON text; undefined if the message needs none. Never rejects. */
  async handle(message: unknown, options: MessageOptions): Promise<string | undefined> {
    const parsed = typeof message === 'string' ? parseText(message) : checkParsed(message)
    if (!parsed.ok) return this.#reject('parseError', undefined, parsed.error)
    if (Array.isArray(parsed.value)) return this.#reject('batch', undefined, invalidRequest(NO_BATCHES))
    const incoming = classify(parsed.value)
    if (incoming.kind === 'invalid')
      return this.#reject('invalidMessage', incoming.id, invalidRequest(incoming.reason))
    if (incoming.kind !== 'request') return undefined
    if (this.#work.closing) return this.#reject('draining', incoming.message.id, busy())
    this.#work.begin()
    try {
      return (await this.#answer(incoming.message, options))?.frame
    } catch (error) {
      this.#runtime.logger.error({ err: error }, 'A message could not be answered')
      return errorFrame(incoming.message.id, busy())
    } finally {
      this.#work.end()
    }
  }

  gauges(): Gauges {
    return { ...NOTHING_HELD, callsInFlight: this.#calls.inFlight() }
  }

  close(options?: { readonly deadline?: number }): Promise<void> {
    return this.#work.close(options)
  }

  async #answer(message: JsonRpcRequest, options: MessageOptions): Promise<EncodedResponse> {
    const { revisions: served } = this.#runtime
    const { auth, locals, send, protocolVersion } = options
    const [newest] = ofEra('legacy', served)
    // A message may name its revision itself.
    const header = namesVersion(message) ? undefined : (protocolVersion ?? newest?.version)
    const selection = selectRevision({ message, header, served, stateless: true })
    if (selection.kind === 'refuse')
      return { frame: this.#reject(selection.reason, message.id, selection.error) }
    if (selection.kind === 'initialize') {
      const principal = auth?.principal ?? ANONYMOUS
      const greeting = { served: ofEra('legacy', served), message, principal, id: '' }
      const { frame, error } = await answerInitialize(this.#runtime, greeting)
      if (error !== undefined) this.#refused('initializeRefused')
      return { frame }
    }
    await this.#runtime.ready()
    const exchange: Exchange = {
      duplex: false,
      // Handlers need not await their notifications, so a failure must not reject.
      send: (frame) =>
        attempt(
          () => send?.(frame),
          (err) => this.#runtime.logger.warn({ err }, 'The option send of handleMessage failed'),
        ),
      refused: (reason) => this.#refused(reason),
    }
    const caller: Caller = { auth, locals, background: this.#background, host: options }
    const { revision, meta } = selection
    const ctx = statelessContext(this.#runtime, {
      message,
      exchange,
      caller,
      revision,
      meta,
      served: ofEra('modern', served),
    })
    return this.#calls.run(this.#runtime, ctx)
  }

  #reject(reason: string, id: RequestId | undefined, error: JsonRpcErrorObject): string {
    this.#refused(reason)
    return errorFrame(id, error)
  }

  #refused(reason: string): void {
    this.#runtime.refusals.count(reason)
    this.#runtime.events.emit('reject', () => ({ route: 'raw', status: undefined, reason }))
  }
}
