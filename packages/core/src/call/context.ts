import { usageError } from '../errors.ts'
import type { JsonRpcRequest, RequestId } from '../protocol/jsonrpc.ts'
import { progressToken, relatedTask } from '../protocol/meta.ts'
import type { Revision } from '../protocol/revisions/revision.ts'
import { readTraceContext, type TraceContext } from '../protocol/trace-context.ts'
import { LOG_LEVELS, type LogLevel } from '../protocol/types.ts'
import type { AnySchema } from '../schema/types.ts'
import { type InputContext, type LiveInput, liveInputOf, noLiveChannel } from './input/types.ts'
import type { AuthInfo } from '../stores/principal.ts'
import type { WaitUntil, WorkHost } from './wait-until.ts'
import type { ClientView } from './client-view.ts'
import { MAX_TIMEOUT_MS } from '../util/clock.ts'
import type { Exchange } from './exchange.ts'
import { type ElicitNow, type ElicitUrlNow, CallInputs, type Inputs } from './input/inputs.ts'
import { createLogSender, logFrame, type LogSender } from './log.ts'
import { Progress } from './progress.ts'
import type {
  ElicitOptions,
  InferForm,
  Root,
  Sampled,
  SampleParams,
  SeeDeclined,
  Seen,
  UrlOf,
} from './input/question.ts'

/** The part of a session that handlers may see. */
export interface SessionView {
  readonly id: string
}

/** The task that a call runs as. */
export interface TaskView {
  readonly id: string
}

/** The switches of a task that its call holds. */
interface RunningTask extends TaskView {
  /** Tells whoever asks how far the task is. */
  setStatusMessage(message: string): void
}

/** What a handler is given beside its arguments. One per call, never to be kept. */
export interface RequestContext<App = unknown, Locals = unknown, Answers = {}> {
  /** Aborts when the call is cancelled or times out. */
  readonly signal: AbortSignal
  /** Chosen by the peer and not unique: some clients send the same id every time. */
  readonly requestId: RequestId
  /** The request as it came. */
  readonly message: JsonRpcRequest
  /** The negotiated protocol revision. */
  readonly protocolVersion: string
  readonly client: ClientView
  /** Undefined where the connection has no sessions. */
  readonly session: SessionView | undefined
  readonly auth: AuthInfo | undefined
  /** Set where the call runs as a task: its client was answered already, and comes back for the result. */
  readonly task: TaskView | undefined
  /** What the server's `lifespan` opened. */
  readonly app: App
  /** What the mount's `context` option returned for this request. */
  readonly locals: Locals
  /** The address that is being read; an empty string outside resources. */
  readonly uri: string
  readonly log: LogSender
  /** Where the request stands in a distributed trace; undefined where its `_meta` says nothing of it that could be read. */
  readonly trace: TraceContext | undefined
  /** What a tool's `asks` came to. */
  readonly answers: Answers
  /** What `inputRequired` was answered. */
  readonly inputs: Inputs
  /**
   * Reports progress, if the caller asked for it. Values must be finite and grow; one that does not is dropped.
   * Where none is reported for long, the server's `progressHeartbeat` speaks for the handler, in steps of a
   * millionth that never meet the next value. Resolves when the peer can take more. In a task the
   * message is also the task's status message.
   *
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress
   */
  progress(progress: number, total?: number, message?: string): Promise<void>
  /**
   * Hands over work that goes on after the answer: a close of the mount waits for it within its deadline, and a runtime
   * that stops between requests is asked not to. What it rejects with is logged. The call's signal and time limits do
   * not reach it.
   */
  waitUntil(work: Promise<unknown>): void
  /**
   * Closes the connection that carries the reply, and goes on with the call: no socket is held open while it runs. The
   * client waits `retryMs`, by default that of the mount, comes back with `Last-Event-ID` and is sent what it has
   * missed, within the limits of the event store. May be called again after it has come back.
   *
   * Does nothing where the client could not come back: without Streamable HTTP or its sessions, with `streams.eventStore: false`
   * or `response: 'json'`, and in revisions whose streams do not begin with an event id.
   *
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server
   * @throws UsageError `ERR_MCP_OPTION` for a `retryMs` that is no whole number from 0 to 2147483647
   */
  closeConnection(options?: { readonly retryMs?: number }): void
  /**
   * Asks in the middle of a handler: see `elicit`. Only where the connection carries requests to the client while a call
   * runs; `asks` and `inputRequired` work everywhere.
   *
   * @throws UsageError `ERR_MCP_UNSUPPORTED_HERE`; QuestionError where no usable answer comes; McpError where the client
   *   has not declared that it can be asked this
   */
  readonly elicit: ElicitNow
  /** Sends a person to an address, as {@link elicit} shows them a form: see `elicitUrl`. */
  readonly elicitUrl: ElicitUrlNow
  /** Asks the client's model, as {@link elicit} asks a person. */
  sample(params: SampleParams): Promise<Sampled>
  /** Asks which places the client works in, as {@link elicit} asks a person. */
  listRoots(): Promise<readonly Root[]>
}

/** The part of a session that its client may change by requests. */
export interface SessionSettings {
  readonly record: { readonly subscriptions: readonly string[] }
  /** As the client has chosen it by now; undefined where the server sends no logs. */
  readonly logLevel: LogLevel | undefined
  /** What features keep for this session alone. */
  readonly registry?: object | undefined
  /** Notes that the client's user was sent to addresses with these ids. */
  addPendingUrls(ids: readonly string[]): void
  readonly closed: boolean
  /** Where messages go that belong to no request, while the client listens. */
  readonly channel: { send(frame: string): void | Promise<void> } | undefined
  onClose(listener: () => void): void
  /** Keeps the session from being idle until the returned function is called. */
  holdOpen(): () => void
  update(change: { readonly logLevel?: LogLevel; readonly subscriptions?: readonly string[] }): void
}

/** What the door that took a request knows about it. */
export interface CallScope {
  readonly revision: Revision
  readonly client: ClientView
  readonly session: SessionView | undefined
  /** Undefined where the connection has no sessions. */
  readonly settings?: SessionSettings
  readonly auth: AuthInfo | undefined
  readonly locals: unknown
  /** Keeps what outlives the call. */
  readonly background?: WaitUntil | undefined
  readonly host?: WorkHost | undefined
  readonly exchange: Exchange
  /** What is logged where no session says otherwise; undefined where the server sends no logs. */
  readonly logLevel: LogLevel | undefined
  /** Undefined where the client cannot be asked anything. */
  readonly input?: InputContext
  /** The revisions that the client may choose from, where it has to. */
  readonly served?: readonly Revision[] | undefined
  /** Undefined where the caller waits for the result. */
  readonly task?: RunningTask
}

const NOTHING = Object.freeze({})
const isDelay = (ms: number): boolean => Number.isSafeInteger(ms) && ms >= 0 && ms <= MAX_TIMEOUT_MS

/** Why a call ended before its handler did. */
export type EndReason = 'cancelled' | 'timeout' | 'closed'

/** Hears what moves a call's deadline. */
export interface CallTimer {
  progress(): void
  /** The call begins to wait for the client's side. */
  pause(): void
  /** It goes on. */
  resume(): void
}

/** What speaks for a call whose handler is silent. */
export interface CallKeepalive {
  /** The handler has reported progress itself. */
  restart(): void
  stop(): void
}

/** One call while it runs: the handler's context and the switches that the runtime holds. */
export class CallContext implements RequestContext {
  readonly message: JsonRpcRequest
  readonly scope: CallScope
  app: unknown
  uri = ''
  answers: object = NOTHING
  /** What counts the time of the call; set by the dispatcher while the call runs. */
  timer: CallTimer | undefined
  /** Set while the call runs, where its client wants to hear of progress. */
  keepalive: CallKeepalive | undefined
  /** What listeners of the server will be told; set by the dispatcher if there are any. */
  report: { failed: boolean } | undefined
  /** Set while the call runs; ends it early. */
  end: ((reason: EndReason) => void) | undefined
  #controller: AbortController | undefined
  #abortReason: unknown
  #done = false
  #progress: Progress | undefined
  #log: LogSender | undefined
  #inputs: CallInputs | undefined
  /** Null where there is none. */
  #trace: TraceContext | null | undefined
  #atEnd: Set<() => void> | undefined

  constructor(message: JsonRpcRequest, scope: CallScope) {
    this.message = message
    this.scope = scope
  }

  get revision(): Revision {
    return this.scope.revision
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
    return this.scope.auth
  }
  get task(): TaskView | undefined {
    return this.scope.task
  }
  get locals(): unknown {
    return this.scope.locals
  }

  /** Made on demand: most handlers never look, and a controller costs as much as the rest of a small call. */
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
    if (this.#trace === undefined) this.#trace = readTraceContext(this.message.params) ?? null
    return this.#trace ?? undefined
  }

  get inputs(): CallInputs {
    return (this.#inputs ??= new CallInputs())
  }

  elicit<const S extends AnySchema>(
    message: string,
    schema: S,
    options: ElicitOptions & SeeDeclined,
  ): Promise<Seen<InferForm<S>>>
  elicit<const S extends AnySchema>(
    message: string,
    schema: S,
    options?: ElicitOptions & { readonly declined?: 'fail' },
  ): Promise<InferForm<S>>
  async elicit(message: string, schema: AnySchema, options?: ElicitOptions): Promise<unknown> {
    return this.#liveInput('elicit').elicit(this, message, schema, options as { readonly declined?: 'fail' })
  }
  elicitUrl(message: string, url: UrlOf, options: ElicitOptions & SeeDeclined): Promise<Seen<undefined>>
  elicitUrl(
    message: string,
    url: UrlOf,
    options?: ElicitOptions & { readonly declined?: 'fail' },
  ): Promise<undefined>
  async elicitUrl(
    message: string,
    url: UrlOf,
    options?: ElicitOptions,
  ): Promise<undefined | Seen<undefined>> {
    return this.#liveInput('elicitUrl').elicitUrl(
      this,
      message,
      url,
      options as { readonly declined?: 'fail' },
    )
  }
  async sample(params: SampleParams): Promise<Sampled> {
    return this.#liveInput('sample').sample(this, params)
  }
  async listRoots(): Promise<readonly Root[]> {
    return this.#liveInput('listRoots').listRoots(this)
  }

  #liveInput(method: string): LiveInput {
    const live = liveInputOf(this)
    if (live === undefined) throw noLiveChannel(method)
    return live
  }

  /** Whether the call waits for the client's side. */
  get paused(): boolean {
    return this.#atEnd !== undefined && this.#atEnd.size > 0
  }

  /**
   * The time until the returned function is called is not the handler's.
   *
   * @param atEnd - run if the call ends before that
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
    const { background, host } = this.scope
    if (background !== undefined) background.track(work, host)
    else Promise.resolve(work).catch(() => {})
  }

  closeConnection({ retryMs }: { readonly retryMs?: number } = {}): void {
    if (retryMs !== undefined && !isDelay(retryMs)) {
      throw usageError('ERR_MCP_OPTION', `retryMs must be a whole number from 0 to ${MAX_TIMEOUT_MS}`)
    }
    if (!this.#done) this.scope.exchange.closeConnection?.(retryMs)
  }

  /** Whether the client gave the request a token to report progress under. */
  get wantsProgress(): boolean {
    return progressToken(this.message.params) !== undefined
  }

  async progress(progress: number, total?: number, message?: string): Promise<void> {
    this.timer?.progress()
    const { task } = this.scope
    if (task !== undefined && !this.#done && typeof message === 'string') task.setStatusMessage(message)
    const frame = this.#done ? undefined : this.#reports()?.report(progress, total, message)
    if (frame === undefined) return
    this.keepalive?.restart()
    await this.scope.exchange.send(frame)
  }

  /** Tells the client that the call still runs. Not a sign of life of the handler: its limits stay where they are. */
  sendKeepalive(): void {
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

  /** After this nothing more is sent for the call, whatever its handler still does. */
  finish(): void {
    this.#done = true
    this.end = undefined
    this.timer = undefined
    this.keepalive?.stop()
    this.keepalive = undefined
    if (this.#atEnd !== undefined) for (const end of this.#atEnd) end()
  }

  #sendLog(level: LogLevel, data: unknown, logger: string | undefined): void {
    const { settings, exchange, task } = this.scope
    // Looked up for each message: a level that the client sets during a long call counts at once.
    const logLevel = settings === undefined ? this.scope.logLevel : settings.logLevel
    if (this.#done || logLevel === undefined || LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(logLevel))
      return
    const meta = task === undefined ? {} : { _meta: relatedTask(task.id) }
    const named = typeof logger === 'string' ? { level, logger, ...meta } : { level, ...meta }
    void exchange.send(logFrame(named, data))
  }
}
