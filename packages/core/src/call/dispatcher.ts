import { callEnded, ErrorCode, invalidParams, type McpError, methodNotFound } from '../errors.ts'
import { isObject } from '../protocol/jsonrpc.ts'
import type { Clock } from '../util/clock.ts'
import type { Logger } from '../util/logger.ts'
import { attempt } from '../util/promises.ts'
import { Deadlines } from '../util/timers.ts'
import { CallLog } from './observation/call-log.ts'
import type { CallObservers } from './observation/call-observers.ts'
import type { BatchItem } from './batch.ts'
import type { CallContext, EndReason } from './context.ts'
import { noClientChannel } from './input/ask.ts'
import { type ExtensionEntry, type MethodEntry, type MethodTable, NO_PARAMS } from './method-table.ts'
import { type MiddlewareStack, paramsFault, runLayers } from './middleware.ts'
import { type EncodedResponse, refuse, ResponseEncoder } from './response.ts'
import { complete, type HandlerResult, type NeedsInput } from './result.ts'
import { type Caller, lacking } from './scope.ts'
import { type Events, reportRequest } from './server-events.ts'
import { describeTimeout, TimeLimits } from './time-limits.ts'

type EncoderOptions = ConstructorParameters<typeof ResponseEncoder>[0]

interface DispatcherOptions extends EncoderOptions {
  readonly methods: MethodTable
  readonly added?: ReadonlyMap<string, ExtensionEntry> | undefined
  readonly middleware: MiddlewareStack
  readonly clock: Clock
  readonly events: Events
  readonly observers?: CallObservers | undefined
  /** The time after which a call without progress ends, in ms. */
  readonly handlerTimeoutMs: number
  /** The time after which a call ends even if it reports progress, in ms. */
  readonly maxHandlerTimeoutMs: number
  /** Logs the problems of calls whose requests have no logger. */
  readonly logger: Logger
  /**
   * How long a handler may be silent before its last progress is repeated, in ms. If undefined, progress is
   * never repeated.
   */
  readonly progressHeartbeatMs: number | undefined
}

/** Finds the method, runs its handler within time limits, and creates exactly one response. */
export class Dispatcher {
  readonly #options: DispatcherOptions
  readonly #responses: ResponseEncoder
  readonly #limits: TimeLimits
  readonly #problems: CallLog
  /** The calls whose handlers are silent. They share one timer. */
  readonly #silent: Deadlines | undefined

  constructor(options: DispatcherOptions) {
    this.#options = options
    this.#responses = new ResponseEncoder(options)
    const { clock, maxHandlerTimeoutMs, progressHeartbeatMs } = options
    this.#limits = new TimeLimits(clock, maxHandlerTimeoutMs)
    this.#problems = new CallLog(options.logger)
    if (progressHeartbeatMs !== undefined) this.#silent = new Deadlines(clock, progressHeartbeatMs)
  }

  /** Clears the timers that no call needs, because some runtimes keep running while a timer is pending. */
  releaseTimers(): void {
    this.#limits.releaseTimers()
    this.#silent?.releaseTimer()
  }

  /**
   * Finds the definition that a call refers to. Returns an error if the caller lacks the scopes that the
   * definition requires. The check runs before the call is queued or streams anything, because the error sets
   * the HTTP status.
   */
  admit(ctx: CallContext): McpError | undefined {
    const { method, params = NO_PARAMS } = ctx.message
    ctx.target = this.#options.methods.get(method)?.target?.(params, ctx.scope.session?.registry)
    // If the definition has a `visible` rule, its scopes are checked after that rule, because an error would
    // reveal that the definition exists.
    if (ctx.target?.scopes === undefined || ctx.target.visible !== undefined) return undefined
    return lacking(ctx.target.scopes, ctx.scope.caller)
  }

  /**
   * Returns an error if the caller lacks scopes for a batch. A batch has a single HTTP status, so the error
   * names every scope that its requests need.
   *
   * @param own - the definitions registered for the caller's session alone
   */
  admitAll(items: readonly BatchItem[], own: object | undefined, caller: Caller): McpError | undefined {
    const scopes = items.flatMap((item) => {
      if (item.kind !== 'request') return []
      const { method, params = NO_PARAMS } = item.message
      const target = this.#options.methods.get(method)?.target?.(params, own)
      return target?.visible === undefined ? (target?.scopes ?? []) : []
    })
    return lacking([...new Set(scopes)], caller)
  }

  run(ctx: CallContext): EncodedResponse | Promise<EncodedResponse> {
    const { methods, added, observers, events } = this.#options
    const { method, params = NO_PARAMS } = ctx.message
    ctx.problems = this.#problems
    let entry: MethodEntry | undefined
    if (ctx.revision.methods.has(method)) entry = methods.get(method)
    else if (added?.get(method)?.servedIn(ctx.revision) === true) entry = added.get(method)
    ctx.target ??= entry?.target?.(params, ctx.scope.session?.registry)
    const listened = events.listeners.has('request')
    if (observers === undefined && !listened) return this.#run(entry, ctx)
    const run = (): EncodedResponse | Promise<EncodedResponse> =>
      listened ? reportRequest(this.#options, ctx, () => this.#run(entry, ctx)) : this.#run(entry, ctx)
    return observers === undefined ? run() : observers.observe(ctx, entry, run)
  }

  #run(entry: MethodEntry | undefined, ctx: CallContext): EncodedResponse | Promise<EncodedResponse> {
    if (entry === undefined) return refuse(ctx, methodNotFound())
    let result: HandlerResult | Promise<HandlerResult>
    try {
      const rounds = ctx.scope.input?.rounds
      const { inputResponses, requestState } = ctx.message.params ?? NO_PARAMS
      result =
        rounds === undefined || (inputResponses === undefined && requestState === undefined)
          ? this.#start(entry, ctx)
          : rounds.begin(ctx, () => this.#start(entry, ctx))
    } catch (error) {
      const questions = this.#elicitUrls(entry, ctx, error)
      if (questions === undefined) return this.#responses.fail(entry, ctx, error)
      result = questions
    }
    if (result instanceof Promise) return this.#supervise(entry, ctx, result)
    if (result.kind === 'needs-input') return this.#supervise(entry, ctx, Promise.resolve(result))
    return this.#responses.encode(entry, ctx, result)
  }

  /**
   * Runs a method for a call of another server, with this server's middleware. The other server supervises the
   * call, and sends its result.
   *
   * @throws the errors that the client may see
   */
  runInside(ctx: CallContext): HandlerResult | Promise<HandlerResult> {
    const entry = this.#options.methods.get(ctx.message.method)
    if (entry === undefined) throw methodNotFound()
    ctx.problems = this.#problems
    return attempt(
      () => this.#start(entry, ctx),
      (error) => this.#responses.conceal(entry, ctx, error),
    )
  }

  /** The time after which a call without progress ends, in ms. */
  get handlerTimeoutMs(): number {
    return this.#options.handlerTimeoutMs
  }

  /** Runs the handler within its middleware. If the call becomes a task, middleware runs with the task. */
  #start(entry: MethodEntry, ctx: CallContext): HandlerResult | Promise<HandlerResult> {
    const { method, params = NO_PARAMS } = ctx.message
    const task = ctx.outer === undefined ? entry.startTask?.(params, ctx) : undefined
    if (task !== undefined) return task
    const { middleware } = this.#options
    const layers = middleware.layers.length === 0 ? undefined : middleware.around(method)
    if (layers === undefined) return entry.handle(params, ctx)
    const fault = paramsFault(method, params)
    if (fault !== undefined) throw invalidParams(fault)
    let result: HandlerResult | undefined
    const handle = async (): Promise<object> => {
      result = await entry.handle(params, ctx)
      if (result.kind === 'needs-input') result = await this.#resolveInput(entry, ctx, result)
      return result.kind === 'complete' ? result.result : placeholder(ctx, result)
    }
    return runLayers(layers, ctx, handle).then((returned) => {
      if (result !== undefined && result.kind !== 'complete') return result
      if (isObject(returned)) return { ...complete(returned), type: result?.type, hints: result?.hints }
      throw new TypeError(
        `A middleware around ${method} returned no result: return the result of next(), or another object`,
      )
    })
  }

  #elicitUrls(entry: MethodEntry, ctx: CallContext, error: unknown): Promise<HandlerResult> | undefined {
    try {
      return ctx.scope.input?.rounds.elicitUrls(ctx, error, () => this.#start(entry, ctx))
    } catch {
      // Reading the error's properties can throw.
      return undefined
    }
  }

  async #resolveInput(entry: MethodEntry, ctx: CallContext, needed: NeedsInput): Promise<HandlerResult> {
    const { input } = ctx.scope
    if (input === undefined) throw noClientChannel(needed.questions)
    const handle = (): HandlerResult | Promise<HandlerResult> =>
      entry.handle(ctx.message.params ?? NO_PARAMS, ctx)
    // The sealed state belongs to the request that the client has sent.
    return input.rounds.resolve(ctx.outer ?? ctx, needed, handle)
  }

  /** Waits for the handler, a time limit or a cancellation. Whichever comes first determines the response. */
  #supervise(entry: MethodEntry, ctx: CallContext, result: Promise<HandlerResult>): Promise<EncodedResponse> {
    const limit = ctx.target?.timeoutMs ?? this.#options.handlerTimeoutMs
    return new Promise((resolve) => {
      const timer = this.#limits.start(ctx, limit)
      if (this.#silent !== undefined) ctx.keepAlive(this.#silent)
      const settle = (response: EncodedResponse): void => {
        timer.stop()
        ctx.finish()
        resolve(response)
      }
      const end = (reason: EndReason): void => {
        ctx.abort(reason)
        if (reason === 'timeout') settle(this.#timedOut(entry, ctx, timer.exceeded))
        else settle(reason === 'closed' ? refuse(ctx, callEnded()) : undefined)
      }
      // The timer may be shared with other calls, and a cancellation arrives as another message. The end that
      // either of them triggers is nevertheless observed as part of this call.
      const { observer } = ctx
      ctx.end = observer === undefined ? end : (reason) => observer.run(() => end(reason))
      const failed = (thrown: unknown): void => {
        if (ctx.end === undefined) return
        const questions = this.#elicitUrls(entry, ctx, thrown)
        if (questions === undefined) settle(this.#responses.fail(entry, ctx, thrown))
        else follow(questions)
      }
      const finished = (value: HandlerResult): void => {
        if (ctx.end === undefined) return
        if (value.kind === 'needs-input') follow(this.#resolveInput(entry, ctx, value))
        else settle(this.#responses.encode(entry, ctx, value))
      }
      const follow = (promise: Promise<HandlerResult>): void => void promise.then(finished, failed)
      follow(result)
    })
  }

  #timedOut(
    entry: MethodEntry,
    ctx: CallContext,
    exceeded: Parameters<typeof describeTimeout>[0],
  ): EncodedResponse {
    const { method } = ctx.message
    const { problem, fix } = describeTimeout(exceeded, ctx.target?.timeoutMs !== undefined)
    const limit = exceeded && { limitMs: exceeded.ms }
    this.#problems.warn(ctx, `A call was ended because it ${problem}. ${fix}`, limit)
    if (ctx.report !== undefined) ctx.report.outcome = 'timeout'
    // The error message names the limit, so that client authors can distinguish it from their own timeout.
    const text = `Timed out: ${method} ${problem}`
    return this.#responses.failWith(entry, ctx, text, ErrorCode.InternalError)
  }
}

/** The result that middleware receives while questions are unanswered: the method's result with empty fields. */
function placeholder({ message, revision }: CallContext, result: HandlerResult): object {
  if (result.kind !== 'input-requested') return {}
  return { ...revision.rounds?.get(message.method), resultType: 'input_required' }
}
