import { busy, invalidRequest } from '../errors.ts'
import {
  errorFrame,
  isObject,
  isRequestId,
  type JsonRpcErrorObject,
  type JsonRpcRequest,
  type RequestId,
} from '../protocol/jsonrpc.ts'
import { checkParsed, parseText } from '../protocol/parse.ts'
import { ofEra } from '../protocol/revisions/index.ts'
import { namesVersion } from '../protocol/revisions/select.ts'
import { type CallPool, createCallPool, statelessContext } from '../session/call-pool.ts'
import { Drainable } from '../session/drainable.ts'
import { ANONYMOUS, type AuthInfo } from '../stores/principal.ts'
import { WaitUntil, type WorkHost } from '../call/wait-until.ts'
import type { Exchange } from '../call/exchange.ts'
import { answerInitialize } from '../session/initialize.ts'
import { type Carrier, receive, type Served } from '../session/receiver.ts'
import type { ServerMount, ServerRuntime } from '../session/server-runtime.ts'
import type { Caller } from '../call/scope.ts'
import { type Gauges, NOTHING_HELD } from '../session/stats.ts'
import { attempt } from '../util/promises.ts'

/** Options for `server.handleMessage`. */
export interface MessageOptions extends WorkHost {
  /** The sender, available as `ctx.auth`. */
  readonly auth?: AuthInfo | undefined
  /** The app's data for the request, available as `ctx.locals`. */
  readonly locals?: unknown
  /**
   * The protocol revision of the response if the message does not name one.
   *
   * @default the newest served revision with sessions
   */
  readonly protocolVersion?: string
  /**
   * Receives the notifications of the call, such as progress and logs, as JSON text.
   *
   * @default notifications are dropped
   */
  readonly send?: (message: string) => void | Promise<void>
}

const NO_BATCHES = 'Batches are not accepted here: pass each message by itself'

/** Handles single messages without sessions, for example from a queue or a cloud function event. */
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

  /** Returns the response as JSON text, or undefined if the message requires no response. Never rejects. */
  async handle(message: unknown, options: MessageOptions): Promise<string | undefined> {
    const parsed = typeof message === 'string' ? parseText(message) : checkParsed(message)
    if (!parsed.ok) return this.#refuse('parseError', undefined, parsed.error)
    const { value } = parsed
    if (Array.isArray(value)) return this.#refuse('batch', undefined, invalidRequest(NO_BATCHES))
    const { revisions: served } = this.#runtime
    const [newest] = ofEra('legacy', served)
    // A message may name its own revision. A notification need not name one.
    const alone = isObject(value) && (!('id' in value) || namesVersion(value as object as JsonRpcRequest))
    const header = alone ? undefined : (options.protocolVersion ?? newest?.version)
    const carrier: Carrier<string | undefined> = {
      served,
      stateless: true,
      ...(header !== undefined && { header }),
      unavailable: this.#work.closing ? 'draining' : undefined,
      findSession: () => undefined,
      refuse: ({ reason, id, error }) => this.#refuse(reason, id, error),
      deliver: () => undefined,
      initialize: (request) => this.#initialize(request, options),
      call: (request, selection) => this.#call(request, selection, options),
      callAll: () => undefined,
    }
    this.#work.begin()
    try {
      return await receive(value, carrier)
    } catch (error) {
      this.#runtime.logger.error({ err: error }, 'A message could not be answered')
      const id = isObject(value) && isRequestId(value['id']) ? value['id'] : undefined
      return errorFrame(id, busy())
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

  async #initialize(message: JsonRpcRequest, { auth }: MessageOptions): Promise<string> {
    const principal = auth?.principal ?? ANONYMOUS
    const input = { served: ofEra('legacy', this.#runtime.revisions), message, principal, id: '' }
    const { frame, error } = await answerInitialize(this.#runtime, input)
    if (error !== undefined) this.#refused('initializeRefused')
    return frame
  }

  async #call(
    message: JsonRpcRequest,
    { revision, meta }: Served,
    options: MessageOptions,
  ): Promise<string | undefined> {
    const { auth, locals, send } = options
    await this.#runtime.ready()
    const exchange: Exchange = {
      duplex: false,
      // Handlers may ignore the promises returned for notifications, so a failure must not reject them.
      send: (frame) =>
        attempt(
          () => send?.(frame),
          (err) => this.#runtime.logger.warn({ err }, 'The option send of handleMessage failed'),
        ),
      refused: (reason) => this.#refused(reason),
    }
    const caller: Caller = { auth, locals, background: this.#background, host: options }
    const served = ofEra('modern', this.#runtime.revisions)
    const ctx = statelessContext(this.#runtime, { message, exchange, caller, revision, meta, served })
    return (await this.#calls.run(this.#runtime, ctx))?.frame
  }

  #refuse(reason: string, id: RequestId | undefined, error: JsonRpcErrorObject): string {
    this.#refused(reason)
    return errorFrame(id, error)
  }

  #refused(reason: string): void {
    this.#runtime.refusals.count(reason)
    this.#runtime.events.emit('reject', () => ({ route: 'raw', status: undefined, reason }))
  }
}
