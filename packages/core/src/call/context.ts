import { usageError } from '../errors.ts'
import type { JsonObject, JsonRpcRequest, RequestId } from '../protocol/jsonrpc.ts'
import { progressToken, relatedTask } from '../protocol/methods.ts'
import type { Revision } from '../protocol/revisions/revision.ts'
import { readTraceContext, type TraceContext } from '../protocol/trace-context.ts'
import type { LogLevel } from '../protocol/types.ts'
import type { AnySchema } from '../schema/types.ts'
import type { AuthInfo } from '../stores/principal.ts'
import { MAX_TIMEOUT_MS } from '../util/clock.ts'
import type { Deadline, Deadlines, Due } from '../util/timers.ts'
import type { CallLog } from './observation/call-log.ts'
import type { CallReport } from './observation/telemetry.ts'
import type { ClientView, RequestContext, SessionView, TaskView } from './request-context.ts'
import { CallInputs } from './input/inputs.ts'
import type { ElicitOptions, SampleParams, UrlOf } from './input/question.ts'
import { type InputCall, type LiveMethod, liveInputOf, type LiveRequests } from './input/ask.ts'
import { createLogSender, logFrame, type LogSender, reachesLevel } from './log.ts'
import { Progress, progressFault } from './progress.ts'
import type { CallScope, CallTarget } from './scope.ts'

const NOTHING = Object.freeze({})
const SENT = Promise.resolve()
const unsupportedHere = (method: string, advice: string): Error =>
  usageError(
    'ERR_MCP_UNSUPPORTED_HERE',
    `This client cannot be asked during a call, so ctx.${method} does not work; ${advice}`,
  )
const TOO_LATE =
  'ctx.log or ctx.progress was called after the handler had returned, so the client did not receive it; await the work'
const SMALLER = 'ctx.progress got a smaller value, which the client does not receive; report values that grow'
const isDelay = (ms: number): boolean => Number.isSafeInteger(ms) && ms >= 0 && ms <= MAX_TIMEOUT_MS

/** Why a call ended before its handler returned. */
export type EndReason = 'cancelled' | 'timeout' | 'closed'

interface CallTimer {
  progress(): void
  /** Stops the handler's timer, because the call is waiting for the client. */
  pause(): void
  resume(): void
}

/** A running call: its handler's context, and the runtime's state of the call. */
export class CallContext implements RequestContext, Due {
  readonly message: JsonRpcRequest
  readonly scope: CallScope
  readonly revision: Revision
  /** The call of the client, if this is the context of a composed definition. */
  outer: CallContext | undefined
  /** The definition that the call names, for methods that have definitions. */
  target: CallTarget | undefined
  app: unknown
  uri = ''
  answers: object = NOTHING
  timer: CallTimer | undefined
  deadline: Deadline | undefined
  /** Set when the call starts. */
  problems: CallLog | undefined
  #warned = false
  /** The calls whose handlers are silent. Set while this call is running, if its client requested progress. */
  #silent: Deadlines | undefined
  /** Set if the call is observed or the server has listeners for the `request` event. */
  report: CallReport | undefined
  /** Set if the call is observed. */
  observer: (NonNullable<InputCall['observer']> & { run<T>(step: () => T): T }) | undefined
  /** How long the call was queued, in ms. */
  queuedMs = 0
  /** Ends the call early. Set while the call is running. */
  end: ((reason: EndReason) => void) | undefined
  #controller: AbortController | undefined
  #abortReason: unknown
  #done = false
  #progress: Progress | undefined
  #reported = false
  /** The highest progress that the handler has reported, whether or not the client has requested it. */
  #highest = Number.NEGATIVE_INFINITY
  #log: LogSender | undefined
  #inputs: CallInputs | undefined
  /** The `ctx` methods whose questions are still unanswered. */
  #unanswered: string[] | undefined
  #atEnd: Set<() => void> | undefined

  constructor(message: JsonRpcRequest, scope: CallScope) {
    this.message = message
    this.scope = scope
    this.revision = scope.revision
  }

  get requestId(): RequestId {
    return this.message.id
  }
  get protocolVersion(): string {
    return this.scope.revision.version
  }
  get client(): ClientView {
    return this.scope.client
  }
  get session(): SessionView | undefined {
    return this.scope.session
  }
  get auth(): AuthInfo | undefined {
    return this.scope.caller.auth
  }
  get task(): TaskView | undefined {
    return this.scope.task
  }
  get locals(): unknown {
    return this.scope.caller.locals
  }

  /**
   * The call's signal, created on demand because most handlers never read it, and a controller costs as much as the
   * rest of a small call.
   */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#abortReason !== undefined) this.#controller.abort(this.#abortReason)
    }
    return this.#controller.signal
  }

  get log(): LogSender {
    return (this.#log ??= createLogSender((level, data, logger) => this.#sendLog(level, data, logger)))
  }

  get trace(): TraceContext | undefined {
    return readTraceContext(this.message.params)
  }

  get inputs(): CallInputs {
    return (this.#inputs ??= new CallInputs(this.scope.input?.rounds.readForm))
  }

  elicit(message: string, schema: AnySchema, options?: ElicitOptions): Promise<never> {
    return this.#question('elicit', message, schema, options)
  }
  elicitUrl(message: string, url: UrlOf, options?: ElicitOptions): Promise<never> {
    return this.#question('elicitUrl', message, url, options)
  }
  sample(params: SampleParams): Promise<never> {
    return this.#question('sample', params)
  }
  listRoots(): Promise<never> {
    return this.#question('listRoots')
  }

  request(method: string, params: JsonObject = {}): Promise<JsonObject> {
    const advice = 'check ctx.session before you call it'
    return this.#ask('request', advice, (live) => live.request(this, method, params))
  }

  #question(method: LiveMethod, ...args: readonly unknown[]): Promise<never> {
    const advice = "declare the tool's asks, or return inputRequired(…), which work everywhere"
    return this.#ask(method, advice, (live) => live.ask(this, method, args) as Promise<never>)
  }

  /**
   * Marks a rejection as handled. If a handler forgets `await`, the rejection must not terminate the process
   * and with it the calls of all other clients. The handler's own `await` still rejects.
   *
   * @param advice - what to do on connections that cannot carry the question
   */
  #ask<T>(method: string, advice: string, send: (live: LiveRequests) => Promise<T>): Promise<T> {
    const live = liveInputOf(this)
    const answer = live === undefined ? Promise.reject(unsupportedHere(method, advice)) : send(live)
    const open = (this.#unanswered ??= [])
    open.push(method)
    const settled = (): void => void open.splice(open.indexOf(method), 1)
    answer.then(settled, settled)
    return answer
  }

  get paused(): boolean {
    return this.#atEnd !== undefined && this.#atEnd.size > 0
  }

  /**
   * Stops the handler's timer until the returned function is called.
   *
   * @param atEnd - runs if the call ends first
   */
  pause(atEnd: () => void): () => void {
    const ends = (this.#atEnd ??= new Set())
    ends.add(atEnd)
    if (ends.size === 1) this.timer?.pause()
    if (this.#done) atEnd()
    return () => {
      if (ends.delete(atEnd) && ends.size === 0) this.timer?.resume()
    }
  }

  waitUntil(work: Promise<unknown>): void {
    const { background, host } = this.scope.caller
    if (background !== undefined)
      background.track(work, host, (err) =>
        this.problems?.error(this, 'Work passed to ctx.waitUntil failed', { err }),
      )
    else Promise.resolve(work).catch(() => {})
  }

  closeConnection({ retryMs }: { readonly retryMs?: number } = {}): void {
    if (retryMs !== undefined && !isDelay(retryMs)) {
      throw usageError('ERR_MCP_OPTION', `retryMs must be a whole number from 0 to ${MAX_TIMEOUT_MS}`)
    }
    if (!this.#done) this.scope.exchange.closeConnection?.(retryMs)
  }

  /**
   * Reports progress. Returns a shared promise, so that a handler that does not await the calls does not
   * accumulate promises.
   */
  progress(progress: number, total?: number, message?: string): Promise<void> {
    this.timer?.progress()
    const fault = progressFault(progress, total, message)
    if (fault !== undefined) this.#warn(fault)
    if (this.#finished) this.#warn(TOO_LATE)
    const { task } = this.scope
    if (task !== undefined && !this.#done && typeof message === 'string') task.setStatusMessage(message)
    if (progress < this.#highest) this.#warn(SMALLER)
    else if (fault === undefined) this.#highest = progress
    const frame = this.#done ? undefined : this.#reports()?.report(progress, total, message)
    if (frame === undefined) return SENT
    this.#silent?.add(this)
    this.#reported = true
    return this.scope.exchange.send(frame) ?? SENT
  }

  /** Whether the client has requested progress. */
  get reportsProgress(): boolean {
    return this.#reports() !== undefined
  }
  /** Whether the handler has reported progress to the client. */
  get reported(): boolean {
    return this.#reported
  }

  /**
   * Repeats the last progress whenever the handler is silent, but does not extend its time limits. A comment
   * in a stream would keep the connection open, but only progress restarts the client's request timer.
   */
  keepAlive(silent: Deadlines): void {
    if (this.#reports() === undefined) return
    this.#silent = silent
    silent.add(this)
  }

  due(): void {
    this.#silent?.add(this)
    const frame = this.#done ? undefined : this.#reports()?.keepalive()
    if (frame !== undefined) void this.scope.exchange.send(frame)
  }

  #reports(): Progress | undefined {
    if (this.#progress !== undefined) return this.#progress
    const token = progressToken(this.message.params)
    if (token !== undefined) {
      const { task, revision } = this.scope
      const meta = task && relatedTask(task.id)
      this.#progress = new Progress(token, { hasMessage: revision.progressMessage, meta })
    }
    return this.#progress
  }

  abort(reason: EndReason): void {
    this.#done = true
    for (const end of this.#atEnd ?? []) end()
    this.#abortReason = new DOMException(
      `The call was ended: ${reason}`,
      reason === 'timeout' ? 'TimeoutError' : 'AbortError',
    )
    this.#controller?.abort(this.#abortReason)
  }

  /** Ends the call: nothing more is sent for it, even if its handler is still running. */
  finish(): void {
    if (!this.#done && this.#unanswered?.[0] !== undefined) this.#warnOfForgottenAwait(this.#unanswered[0])
    this.#done = true
    this.end = undefined
    this.timer = undefined
    this.#silent?.remove(this)
    this.#silent = undefined
    if (this.#atEnd !== undefined) for (const end of this.#atEnd) end()
  }

  #warnOfForgottenAwait(question: string): void {
    const { method, params } = this.message
    const handler = method === 'tools/call' ? `tool "${String(params?.['name'])}"` : `handler of ${method}`
    this.#warn(`The ${handler} returned before its ctx.${question} was answered; await it`)
  }

  /** Whether the handler has returned or thrown. A call that was ended early may still have a running handler. */
  get #finished(): boolean {
    return this.#done && this.#abortReason === undefined
  }

  /**
   * Logs a problem once per call. It is not thrown, because an error in a callback, or in a promise that is
   * not awaited, would terminate the process.
   */
  #warn(problem: string): void {
    if (!this.#warned) this.problems?.warn(this, problem)
    this.#warned = true
  }

  #sendLog(level: LogLevel, data: unknown, logger: string | undefined): void {
    const { session, exchange, task } = this.scope
    // The level is read for each message, because the client may set it during a call.
    const logLevel = session === undefined ? this.scope.logLevel : session.logLevel
    if (this.#finished) this.#warn(TOO_LATE)
    if (this.#done || !reachesLevel(level, logLevel)) return
    const meta = task === undefined ? {} : { _meta: relatedTask(task.id) }
    const named = typeof logger === 'string' ? { level, logger, ...meta } : { level, ...meta }
    void exchange.send(logFrame(named, data))
  }
}
