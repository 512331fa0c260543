import {
  ErrorCode,
  internalError,
  invalidParams,
  isErrorOf,
  McpError,
  methodNotFound,
  QuestionError,
} from '../errors.ts'
import { errorFrame, isObject, type JsonObject, resultFrame } from '../protocol/jsonrpc.ts'
import { SUBSCRIPTION_ID } from '../protocol/meta.ts'
import type { Revision } from '../protocol/revisions/revision.ts'
import type { Implementation } from '../protocol/types.ts'
import type { Clock } from '../util/clock.ts'
import type { CallContext, EndReason } from './context.ts'
import type { Events } from './server-events.ts'
import { ProgressKeepalive } from './progress-keepalive.ts'
import { isLarge, LargeAnswer } from './large-answer.ts'
import type { SubscriptionRequest } from '../subscriptions/subscription.ts'
import { type MiddlewareStack, paramsFault, runLayers } from './middleware.ts'
import {
  type InputRequested,
  type Complete,
  complete,
  type SubscriptionStarted,
  type NeedsInput,
  type HandlerResult,
  SerializedResult,
  type TaskStarted,
  typed,
} from './result.ts'
import { randomToken } from '../util/random.ts'
import { reportRequest } from './request-report.ts'
import { resume, elicitUrls } from './input/url-elicitation.ts'
import { hasResponses, resolveInput } from './input/rounds.ts'
import { TimeLimits } from './time-limits.ts'
import { describeUrls, toPlainError, toUrlError, UrlElicitationRequired } from './input/url-required.ts'
import { bytesBeyond } from '../util/bytes.ts'

/** One row of the method table. */
export interface MethodEntry {
  handle(params: JsonObject, ctx: CallContext): HandlerResult | Promise<HandlerResult>
  /** Starts a call that is to run as a task; undefined where it is not, and the call runs as any other. */
  startTask?(params: JsonObject, ctx: CallContext): Promise<TaskStarted> | undefined
  /** How a failure reads where the method has a result for it; elsewhere it is a JSON-RPC error. */
  failure?(text: string): HandlerResult
  /** The limit that applies to this call, in ms; the dispatcher's own where undefined. */
  timeoutMs?(params: JsonObject, ctx: CallContext): number | undefined
  /** The size that this call's result may have, in bytes; the dispatcher's own where undefined. */
  maxResultBytes?(params: JsonObject, ctx: CallContext): number | undefined
}

/** A method that an extension has added. */
export interface ExtensionEntry extends MethodEntry {
  servedIn(revision: Revision): boolean
}

/** Data: `server.ts` hands it over, so that the runtime never imports a feature. */
export type MethodTable = ReadonlyMap<string, MethodEntry>

export interface DispatcherOptions {
  readonly info: Implementation
  readonly methods: MethodTable
  /** What extensions have added to them. */
  readonly added?: ReadonlyMap<string, ExtensionEntry> | undefined
  readonly middleware: MiddlewareStack
  readonly clock: Clock
  readonly events: Events
  /** Without a sign of life for this long a call ends, in ms. */
  readonly handlerTimeoutMs: number
  /** Whatever progress a call reports, it ends after this many ms. */
  readonly maxHandlerTimeoutMs: number
  /** After this long without progress a call that wants it is spoken for, in ms; undefined: never. */
  readonly progressHeartbeatMs: number | undefined
  /** Bytes of UTF-8 that a result may have as JSON. */
  readonly maxResultBytes: number
  /** Hears of every error that is not meant for the peer. Must not throw. */
  readonly onError: (error: unknown, ctx: CallContext, correlationId: string) => void
}

/** The one answer to a request, as text. */
export interface EncodedAnswer {
  readonly frame: string
  /** The frame in UTF-8, where that costs less than encoding it. */
  bytes?(): Uint8Array<ArrayBuffer>
  /** Present where the answer is a JSON-RPC error; its HTTP status is the revision's to say. */
  readonly error?: McpError
  /** Present where the client listens from now on; the answer waits until that ends. */
  readonly subscription?: SubscriptionRequest
}

/** Undefined: the call was cancelled, and nobody waits for an answer. */
export type EncodedResponse = EncodedAnswer | undefined

const NO_PARAMS: JsonObject = Object.freeze({})

/** Finds the method, runs it under its limits, and makes exactly one answer of whatever it comes to. */
export class Dispatcher {
  readonly #options: DispatcherOptions
  readonly #limits: TimeLimits
  readonly #servers = new Map<Revision, string>()
  readonly #heartbeats: ProgressKeepalive | undefined

  constructor(options: DispatcherOptions) {
    this.#options = options
    const { clock, maxHandlerTimeoutMs, progressHeartbeatMs } = options
    this.#limits = new TimeLimits(clock, maxHandlerTimeoutMs)
    if (progressHeartbeatMs !== undefined)
      this.#heartbeats = new ProgressKeepalive(clock, progressHeartbeatMs)
  }

  /** Lets go of what no call needs any more. It can go on afterwards. */
  releaseTimers(): void {
    this.#limits.releaseTimers()
    this.#heartbeats?.releaseTimers()
  }

  run(ctx: CallContext): EncodedResponse | Promise<EncodedResponse> {
    if (!this.#options.events.hasListeners('request')) return this.#run(ctx)
    return reportRequest(this.#options, ctx, () => this.#run(ctx))
  }

  #run(ctx: CallContext): EncodedResponse | Promise<EncodedResponse> {
    const { method } = ctx.message
    const entry = ctx.revision.methods.has(method) ? this.#options.methods.get(method) : this.#added(ctx)
    if (entry === undefined) return refuse(ctx, methodNotFound())
    let outcome: HandlerResult | Promise<HandlerResult>
    try {
      outcome = hasResponses(ctx) ? resume(ctx, () => this.#start(entry, ctx)) : this.#start(entry, ctx)
    } catch (error) {
      const questions = elicitUrls(ctx, error, () => this.#start(entry, ctx))
      if (questions === undefined) return this.#fail(entry, ctx, error)
      outcome = questions
    }
    if (outcome instanceof Promise) return this.#supervise(entry, ctx, outcome)
    if (outcome.kind === 'needs-input') return this.#supervise(entry, ctx, Promise.resolve(outcome))
    return this.#encode(entry, ctx, outcome)
  }

  #added({ message, revision }: CallContext): MethodEntry | undefined {
    const entry = this.#options.added?.get(message.method)
    return entry?.servedIn(revision) === true ? entry : undefined
  }

  #start(entry: MethodEntry, ctx: CallContext): HandlerResult | Promise<HandlerResult> {
    return entry.startTask === undefined ? this.#handle(entry, ctx) : this.#begin(entry, ctx)
  }

  /** Middleware stands around the call itself, which runs when the task does. */
  #begin(entry: MethodEntry, ctx: CallContext): HandlerResult | Promise<HandlerResult> {
    return entry.startTask?.(ctx.message.params ?? NO_PARAMS, ctx) ?? this.#handle(entry, ctx)
  }

  #handle(entry: MethodEntry, ctx: CallContext): HandlerResult | Promise<HandlerResult> {
    const params = ctx.message.params ?? NO_PARAMS
    const layers = this.#options.middleware.around(ctx.message.method)
    if (layers === undefined) return entry.handle(params, ctx)
    const fault = paramsFault(ctx.message.method, params)
    if (fault !== undefined) throw invalidParams(fault)
    let outcome: HandlerResult | undefined
    const handle = async (): Promise<object> => {
      outcome = await entry.handle(params, ctx)
      if (outcome.kind === 'needs-input') outcome = await this.#answered(entry, ctx, outcome)
      return outcome.kind === 'complete' ? outcome.result : shownToLayers(ctx, outcome)
    }
    return runLayers(layers, ctx, handle).then((result) => {
      if (outcome !== undefined && outcome.kind !== 'complete') return outcome
      if (isObject(result))
        return {
          ...complete(result),
          ...(outcome?.type !== undefined && { type: outcome.type }),
          hints: outcome?.hints,
        }
      throw new TypeError(
        `A middleware around ${ctx.message.method} returned no result: return what next() gave, or another object`,
      )
    })
  }

  #answered(entry: MethodEntry, ctx: CallContext, outcome: NeedsInput): Promise<HandlerResult> {
    return resolveInput(ctx, outcome, () => entry.handle(ctx.message.params ?? NO_PARAMS, ctx))
  }

  /** Waits for the handler, its limits or a cancellation, whichever is first; the others find nothing to do. */
  #supervise(
    entry: MethodEntry,
    ctx: CallContext,
    outcome: Promise<HandlerResult>,
  ): Promise<EncodedResponse> {
    const limit = entry.timeoutMs?.(ctx.message.params ?? NO_PARAMS, ctx) ?? this.#options.handlerTimeoutMs
    return new Promise((resolve) => {
      const watch = this.#limits.watch(ctx, limit)
      this.#heartbeats?.follow(ctx)
      const settle = (answer: EncodedResponse): void => {
        watch.stop()
        ctx.finish()
        resolve(answer)
      }
      ctx.end = (reason: EndReason) => {
        ctx.abort(reason)
        settle(reason === 'timeout' ? this.#timedOut(entry, ctx) : undefined)
      }
      const failed = (thrown: unknown): void => {
        if (ctx.end === undefined) return
        const questions = elicitUrls(ctx, thrown, () => this.#start(entry, ctx))
        if (questions === undefined) settle(this.#fail(entry, ctx, thrown))
        else void questions.then(finished, failed)
      }
      const finished = (value: HandlerResult): void => {
        if (ctx.end === undefined) return
        if (value.kind === 'needs-input') void this.#answered(entry, ctx, value).then(finished, failed)
        else settle(this.#encode(entry, ctx, value))
      }
      outcome.then(finished, failed)
    })
  }

  #timedOut(entry: MethodEntry, ctx: CallContext): EncodedAnswer {
    const text = `Timed out: ${ctx.message.method} took too long`
    if (entry.failure === undefined) return refuse(ctx, new McpError(ErrorCode.InternalError, text))
    return this.#encode(entry, ctx, entry.failure(text))
  }

  /** Serialising happens before anything is sent, so that a result that can't be is still answered. */
  #encode(entry: MethodEntry, ctx: CallContext, outcome: HandlerResult): EncodedAnswer {
    try {
      if (outcome.kind === 'task') return this.#taskAnswer(ctx, outcome)
      if (outcome.kind === 'input-requested') return this.#asks(ctx, outcome)
      if (outcome.kind === 'subscription') return this.#subscribed(ctx, outcome)
      if (outcome.kind !== 'complete')
        throw new TypeError(`An outcome of kind "${outcome.kind}" cannot be sent here`)
      const json = outcome.json ?? ctx.revision.encodeResult(ctx.message.method, outcome.result)
      const limit =
        entry.maxResultBytes?.(ctx.message.params ?? NO_PARAMS, ctx) ?? this.#options.maxResultBytes
      const size = bytesBeyond(json, limit)
      if (size !== undefined) return this.#tooLarge(entry, ctx, size, limit)
      if (ctx.report !== undefined) ctx.report.failed = outcome.result['isError'] === true
      if (outcome instanceof SerializedResult && isLarge(outcome)) return this.#largeAnswer(ctx, outcome)
      return this.#answer(ctx, json, outcome)
    } catch (error) {
      return this.#fail(entry, ctx, error)
    }
  }

  #asks(ctx: CallContext, { requests, state }: InputRequested): EncodedAnswer {
    const { message, revision } = ctx
    if (revision.rounds === undefined) throw new TypeError('The revision has no questions as results')
    const json = revision.rounds.encode(requests, state, this.#server(revision))
    ctx.finish()
    return { frame: resultFrame(message.id, json) }
  }

  #tooLarge(entry: MethodEntry, ctx: CallContext, size: number, limit: number): EncodedAnswer {
    const text = `The result has ${size} bytes, more than the ${limit} that maxResultBytes allows; ask for less`
    if (entry.failure === undefined) return refuse(ctx, new McpError(ErrorCode.InternalError, text))
    return this.#failed(ctx, entry.failure(text))
  }

  /** Whatever its size: a text that is short, and nothing that another handler made. */
  #failed(ctx: CallContext, outcome: HandlerResult): EncodedAnswer {
    if (ctx.report !== undefined) ctx.report.failed = true
    const result = outcome.kind === 'complete' ? outcome.result : {}
    return this.#answer(ctx, ctx.revision.encodeResult(ctx.message.method, result))
  }

  #subscribed(ctx: CallContext, { filters }: SubscriptionStarted): EncodedAnswer {
    const { id } = ctx.message
    const { frame } = this.#answer(ctx, JSON.stringify({ _meta: { [SUBSCRIPTION_ID]: id } }))
    return { frame, subscription: { id, filters } }
  }

  #answer(ctx: CallContext, json: string, outcome?: Complete): EncodedAnswer {
    ctx.finish()
    const { message, revision } = ctx
    if (revision.envelope === undefined) return { frame: resultFrame(message.id, json) }
    const server = this.#server(revision)
    const whole = revision.envelope(message.method, json, server, outcome?.hints, outcome?.type)
    return { frame: resultFrame(message.id, whole) }
  }

  #taskAnswer(ctx: CallContext, { task, meta }: TaskStarted): EncodedAnswer {
    if (ctx.revision.tasks === undefined) throw new TypeError('The revision has no tasks')
    const created = ctx.revision.tasks.created(task, meta)
    return this.#answer(ctx, JSON.stringify(created), typed('task', created))
  }

  #largeAnswer(ctx: CallContext, outcome: SerializedResult): EncodedAnswer {
    ctx.finish()
    const { message, revision } = ctx
    const empty = revision.envelope?.(message.method, '{}', this.#server(revision), outcome.hints) ?? '{}'
    return new LargeAnswer(message.id, empty, outcome)
  }

  /** The server's own facts, which a revision with an envelope puts into every result. */
  #server(revision: Revision): string {
    const known = this.#servers.get(revision)
    if (known !== undefined) return known
    const text = JSON.stringify(revision.projectImplementation(this.#options.info))
    this.#servers.set(revision, text)
    return text
  }

  #fail(entry: MethodEntry, ctx: CallContext, error: unknown): EncodedAnswer {
    if (isErrorOf(McpError, error) && isReadable(error)) return refuse(ctx, error)
    if (isErrorOf(UrlElicitationRequired, error)) return this.#mustOpen(entry, ctx, error)
    if (isErrorOf(QuestionError, error)) return this.#unanswered(entry, ctx, error)
    const correlationId = randomToken(12)
    this.#options.onError(error, ctx, correlationId)
    if (entry.failure === undefined) return refuse(ctx, internalError(correlationId))
    return this.#failed(ctx, entry.failure(`The tool failed (reference ${correlationId})`))
  }

  #mustOpen(entry: MethodEntry, ctx: CallContext, required: UrlElicitationRequired): EncodedAnswer {
    const error = toUrlError(required, ctx)
    if (error !== undefined) return refuse(ctx, error)
    if (entry.failure === undefined) return refuse(ctx, toPlainError(required, ctx.revision))
    return this.#encode(entry, ctx, entry.failure(describeUrls(required)))
  }

  #unanswered(entry: MethodEntry, ctx: CallContext, { message }: QuestionError): EncodedAnswer {
    if (entry.failure === undefined) return refuse(ctx, new McpError(ErrorCode.InvalidRequest, message))
    return this.#encode(entry, ctx, entry.failure(message))
  }
}

/** A layer that reads what its method gives finds all members there, and nothing in them. */
function shownToLayers({ message, revision }: CallContext, outcome: HandlerResult): object {
  if (outcome.kind !== 'input-requested') return {}
  return { ...revision.rounds?.methods.get(message.method), resultType: 'input_required' }
}

/** Whether a peer could read the error: types are not checked everywhere, and a proxy may throw when it is read. */
function isReadable(error: McpError): boolean {
  try {
    return Number.isInteger(error.code) && typeof error.message === 'string'
  } catch {
    return false
  }
}

function refuse(ctx: CallContext, error: McpError): EncodedAnswer {
  ctx.finish()
  return { frame: errorFrame(ctx.message.id, ctx.revision.encodeError(error)), error }
}
