import {
  isRequestId,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResponse,
  notificationFrame,
  type RequestId,
} from '../protocol/jsonrpc.ts'
import { Notification } from '../protocol/methods.ts'
import type { Revision } from '../protocol/revisions/revision.ts'
import type { LogLevel } from '../protocol/types.ts'
import { type SessionRecord, withoutPendingUrl, withPendingUrls } from '../stores/session-store.ts'
import { DEFAULT_INPUT_LIMITS, type InputContext, LiveRequests } from '../call/input/ask.ts'
import type { ChangeEvent } from '../stores/bus.ts'
import { ClientView } from '../call/request-context.ts'
import { CallContext } from '../call/context.ts'
import type { Caller, CallSession } from '../call/scope.ts'
import type { EncodedResponse } from '../call/response.ts'
import type { Exchange } from '../call/exchange.ts'
import { separateResponse } from '../call/separate-response.ts'
import { CallPool, ConcurrencyLimit } from './call-pool.ts'
import { PendingRequests, type RequestChannel } from '../call/input/pending-requests.ts'
import { changeFrame } from './change-frame.ts'
import type { ServerRuntime } from './server-runtime.ts'
import type { ChangeRecord, CloseCause, SessionChannel, SessionKeeper } from './session-keeper.ts'
import type { Awaitable } from '../util/promises.ts'

/** The state of one client in revisions with sessions. All transports use it, and its channel carries the frames. */
export class Session implements CallSession {
  readonly revision: Revision
  readonly client: ClientView
  registry: object | undefined
  keeper: SessionKeeper | undefined
  /**
   * Runs when a request is sent to the client. The transport must then continue reading, to receive the
   * response.
   */
  onClientRequest: (() => void) | undefined
  readonly #runtime: ServerRuntime
  /** The following objects are created on first use, because most sessions are idle. */
  #limit: ConcurrencyLimit | undefined
  #pool: CallPool | undefined
  #requests: PendingRequests | undefined
  #input: InputContext | undefined
  #onClose: ((cause: CloseCause) => void)[] | undefined
  #record: SessionRecord
  #channel: SessionChannel | undefined
  #closed = false
  /** Whether the client can no longer respond to requests. */
  #unreachable = false
  /** The time at which `session:open` was emitted; undefined if it has not been emitted. */
  #openedAt: number | undefined
  /** The number of running tasks that only this session can reach. */
  #held = 0
  #unansweredPings = 0
  /** Set while the record is being read again. */
  #updating: Promise<void> | undefined
  #subscribed: SubscribedResources | undefined

  constructor(runtime: ServerRuntime, record: SessionRecord, revision: Revision) {
    this.#runtime = runtime
    this.#record = record
    this.revision = revision
    this.client = new ClientView(record.client.info, record.client.capabilities)
    if (record.subscriptions.length > 0) this.#subscribe(record.subscriptions)
  }

  get id(): string {
    return this.#record.id
  }
  get record(): SessionRecord {
    return this.#record
  }
  get closed(): boolean {
    return this.#closed
  }
  /** The number of pings sent since the client's last message. */
  get unansweredPings(): number {
    return this.#unansweredPings
  }
  servedBy(runtime: ServerRuntime): boolean {
    return this.#runtime === runtime
  }
  /** The number of running and queued calls and of running tasks. If it is not 0, the session is not idle. */
  get inFlight(): number {
    return (this.#limit?.inFlight ?? 0) + this.#held
  }
  /**
   * Resolves when another call may enter. Returns undefined if it may enter now, or if the client has yet to
   * respond to a request. In that case, the transport must continue reading, because the response arrives on
   * the same connection, and calls that exceed the limit are refused.
   */
  capacity(): Promise<void> | undefined {
    return this.awaitsResponse ? undefined : this.#limit?.capacity()
  }
  /** Whether the client has yet to respond to a request. */
  get awaitsResponse(): boolean {
    return this.#requests !== undefined && this.#requests.size > 0
  }
  get channel(): SessionChannel | undefined {
    return this.#channel
  }
  get logLevel(): LogLevel | undefined {
    const { defaultLogLevel } = this.#runtime
    return defaultLogLevel && (this.#record.logLevel ?? defaultLogLevel)
  }

  attach(channel: SessionChannel): void {
    this.#unansweredPings = 0
    this.#channel = channel
  }
  detach(channel: SessionChannel): void {
    if (this.#channel === channel) this.#channel = undefined
  }
  holdOpen(): () => void {
    this.#held++
    return () => {
      this.#held--
    }
  }
  onClose(listener: (cause: CloseCause) => void): void {
    ;(this.#onClose ??= []).push(listener)
  }

  /** Changes the record. Resolves when other processes can see the change. */
  update(change: ChangeRecord): Awaitable<void> {
    this.adopt({ ...this.#record, ...change(this.#record) })
    return this.keeper?.recordChanged(change)
  }

  /** Adopts a record that another process may have changed. */
  adopt(record: SessionRecord): void {
    const isSame = record.subscriptions === this.#record.subscriptions
    this.#record = record
    if (!isSame) this.#subscribe(record.subscriptions)
  }

  /**
   * Runs a call. Its response is routed by the exchange rather than by the id, because some clients use the
   * same id repeatedly.
   */
  call(message: JsonRpcRequest, exchange: Exchange, caller: Caller): Awaitable<EncodedResponse> {
    this.#unansweredPings = 0
    this.#pool ??= new CallPool((this.#limit = new ConcurrencyLimit(this.#runtime.limits)))
    const { revision, client } = this
    const input = this.#input ?? this.#createInput()
    const ctx = new CallContext(message, { revision, client, session: this, caller, exchange, input })
    const response = this.#pool.run(this.#runtime, ctx)
    return exchange.separate === undefined ? response : separateResponse(ctx, response)
  }

  #clientRequests(): PendingRequests {
    if (this.#requests === undefined) {
      const { clock, random, input } = this.#runtime
      this.#requests = new PendingRequests({
        clock,
        random,
        node: this.keeper?.node,
        timeoutMs: (input?.limits ?? DEFAULT_INPUT_LIMITS).timeoutMs,
        onSend: () => {
          this.#limit?.release()
          this.onClientRequest?.()
        },
      })
      if (this.#unreachable) this.#requests.end()
    }
    return this.#requests
  }

  #createInput(): InputContext | undefined {
    const { input } = this.#runtime
    if (input === undefined) return undefined
    const { rounds, limits, states, bus, clock } = input
    const channel: RequestChannel = { send: (...question) => this.#clientRequests().send(...question) }
    // The object is not created with spread syntax, because V8 would then give each copy a different hidden class.
    this.#input = { rounds, limits, states, bus, clock, live: new LiveRequests(channel, limits) }
    return this.#input
  }

  /** Rejects if a cancellation may not reach the nodes that run the call. */
  notification(message: JsonRpcNotification): Promise<true> | undefined {
    this.#unansweredPings = 0
    if (!this.revision.notifications.has(message.method)) return undefined
    if (message.method === Notification.Initialized) {
      if (!this.#record.initialized) void this.update(() => ({ initialized: true }))
    } else if (message.method === Notification.Cancelled) {
      const id = message.params?.['requestId']
      if (!isRequestId(id)) return undefined
      const isHere = this.hasCall(id)
      this.cancel(id)
      const sent = this.keeper?.link?.cancelElsewhere(id)
      return isHere ? sent?.catch(() => true) : sent
    } else if (message.method === Notification.RootsListChanged && this.client.supports('roots')) {
      const { id, principal } = this.#record
      this.#runtime.events.emit('roots:change', () => ({ sessionId: id, session: this, principal }))
    }
    return undefined
  }

  /**
   * Returns false for a response to a request that this session has not sent. Rejects if the response may not reach the
   * node that sent the request.
   */
  response(message: JsonRpcResponse): boolean | Promise<true> {
    this.#unansweredPings = 0
    return this.#requests?.settle(message) === true || (this.keeper?.link?.answerElsewhere(message) ?? false)
  }

  /** Ends the call with this id in this process, unless several calls share the id. */
  cancel(id: RequestId): void {
    this.#pool?.cancel(id)
  }

  /** Sends a ping. Any later message from the client counts as its response. */
  ping(): void {
    if (this.#channel?.ping?.(this.#clientRequests().pingFrame()) === true) this.#unansweredPings++
    else this.#unansweredPings = 0
  }

  /** Resolves when the client has read everything that was sent, or after 1 s. */
  confirmRead(send: (frame: string) => void): Promise<void> {
    return this.#clientRequests().confirmRead(send)
  }

  /** Emits `session:open` now, and `session:close` when the session closes. */
  emitEvents({ resumed }: { readonly resumed: boolean }): void {
    const { events, clock } = this.#runtime
    const { id, principal, client } = this.#record
    this.#openedAt = clock.now()
    events.emit('session:open', () => ({
      sessionId: id,
      session: this,
      principal,
      revision: this.revision.version,
      client: client.info?.name,
      resumed,
    }))
  }

  #emitClose(cause: CloseCause): void {
    const { events, clock } = this.#runtime
    const { id, principal, revision, createdAt } = this.#record
    const since = this.#openedAt
    if (since === undefined) return
    events.emit('session:close', () => ({
      sessionId: id,
      principal,
      revision,
      createdAt,
      durationMs: clock.now() - since,
      cause,
    }))
  }

  /** Rejects the open requests to the client, because it has disconnected. The client's own calls may finish. */
  rejectRequests(): void {
    this.#unreachable = true
    this.#requests?.end()
  }

  /** Notifies the client of a change that its capabilities or subscriptions cover. */
  onChange(event: ChangeEvent): void {
    if (this.#closed) return
    if (this.#updating !== undefined) {
      void this.#updating.then(() => this.onChange(event))
      return
    }
    if (event.kind === 'gap') return this.#onGap()
    if (event.kind === 'elicitation') return this.#elicited(event.id)
    // Tasks notify the session from the process that runs them.
    if (this.#channel === undefined || this.#channel.remote === true || event.kind === 'task') return
    const frame = changeFrame(event, this, this.#runtime.notices)
    if (frame !== undefined) void this.#channel.send(frame)
  }

  /** Changes wait until the record has been reread, because another process changed it. */
  holdChanges(until: Promise<unknown>): void {
    const release = (): void => {
      if (this.#updating === updating) this.#updating = undefined
    }
    const updating = until.then(release, release)
    this.#updating = updating
  }

  #onGap(): void {
    const { listChanged, subscriptions } = this.#record
    for (const kind of listChanged) this.onChange({ kind })
    for (const uri of subscriptions) this.onChange({ kind: 'resource', uri })
  }

  addPendingUrls(ids: readonly string[]): void {
    const now = this.#runtime.clock.now()
    void this.update(({ pendingUrls = [] }) => ({ pendingUrls: withPendingUrls(pendingUrls, ids, now) }))
  }

  /** https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#completion-notifications-for-url-mode-elicitation */
  #elicited(id: string): void {
    const { pendingUrls: known = [] } = this.#record
    const now = this.#runtime.clock.now()
    if (withoutPendingUrl(known, id, now) === undefined) return
    void this.update(({ pendingUrls = [] }) => ({
      pendingUrls: withoutPendingUrl(pendingUrls, id, now) ?? pendingUrls,
    }))
    if (this.#channel?.remote === true) return
    void this.#channel?.send(notificationFrame(Notification.ElicitationComplete, { elicitationId: id }))
  }

  close(cause: CloseCause = 'ended'): void {
    if (this.#closed) return
    this.#closed = true
    this.#subscribe([])
    this.registry = undefined
    this.#pool?.endAll()
    this.rejectRequests()
    this.keeper?.sessionClosed(cause)
    this.#emitClose(cause)
    for (const listener of this.#onClose?.splice(0) ?? []) listener(cause)
  }

  #subscribe(uris: readonly string[]): void {
    if (this.#subscribed === undefined && uris.length === 0) return
    this.#subscribed ??= new SubscribedResources((uri) => this.#runtime.addSubscriber(uri, this.registry))
    this.#subscribed.set(uris)
  }

  hasCall(id: RequestId): boolean {
    return this.#pool?.has(id) === true
  }
}

/** The resources that a session is subscribed to, with the functions that end the subscriptions. */
export class SubscribedResources {
  readonly #subscribe: (uri: string) => (() => void) | undefined
  readonly #ends = new Map<string, (() => void) | undefined>()

  constructor(subscribe: (uri: string) => (() => void) | undefined) {
    this.#subscribe = subscribe
  }

  /** Subscribes to new resources and unsubscribes from all others. */
  set(uris: readonly string[]): void {
    for (const uri of uris) if (!this.#ends.has(uri)) this.#ends.set(uri, this.#subscribe(uri))
    if (this.#ends.size === uris.length) return
    const left = new Set(uris)
    for (const [uri, end] of this.#ends) {
      if (left.has(uri)) continue
      this.#ends.delete(uri)
      end?.()
    }
  }
}
