import { type BatchItem, BatchResponses, requestIds, runBatch } from '../call/batch.ts'
import type { Exchange } from '../call/exchange.ts'
import type { EncodedResponse } from '../call/response.ts'
import type { Caller } from '../call/scope.ts'
import { separateResponse, separating } from '../call/separate-response.ts'
import { busy, invalidRequest, type McpError } from '../errors.ts'
import {
  errorFrame,
  isRequestId,
  type JsonRpcErrorObject,
  type JsonRpcNotification,
  type JsonRpcRequest,
  notificationFrame,
  parseError,
  type RequestId,
  resultFrame,
} from '../protocol/jsonrpc.ts'
import { Notification, SUBSCRIPTION_ID } from '../protocol/methods.ts'
import { type ParseLimits, parseText } from '../protocol/parse.ts'
import { ofEra } from '../protocol/revisions/index.ts'
import { namesVersion } from '../protocol/revisions/select.ts'
import type { Revision } from '../protocol/revisions/revision.ts'
import { CallPool, ConcurrencyLimit, statelessContext } from '../session/call-pool.ts'
import type { Drainable } from '../session/drainable.ts'
import { initialize } from '../session/initialize.ts'
import {
  type Carrier,
  deliver,
  type NoRequest,
  receive,
  type Refusal,
  type Served,
} from '../session/receiver.ts'
import type { ServerRuntime } from '../session/server-runtime.ts'
import type { Session } from '../session/session.ts'
import { ANONYMOUS, principalOf } from '../stores/principal.ts'
import {
  type SubscriptionChannel,
  type SubscriptionRequest,
  SubscriptionSet,
} from '../subscriptions/subscription.ts'
import { PendingWork } from '../util/pending-work.ts'
import type { Awaitable } from '../util/promises.ts'
import { randomToken } from '../util/random.ts'
import type { Outbox } from './outbox.ts'

/** If it returns a promise, reading pauses, but the response is not delayed. */
type Written = void | Promise<void>

/** The time given to a client to read progress before the response follows, in ms. */
const READ_MS = 20
/**
 * The maximum number of bytes that Node.js reads from a pipe at a time. Some clients written in other
 * languages do not accept longer lines.
 */
const READ_BYTES = 65_536
const LINE_END = 1

/** The parts of a connection that are needed to handle its messages. */
interface ConversationOptions {
  readonly runtime: ServerRuntime
  readonly caller: Caller
  readonly served: readonly Revision[]
  readonly parseLimits: ParseLimits
  readonly outbox: Outbox
  readonly work: Drainable
  readonly onRefused: (reason: string) => void
  /** Reports that a response could not be written. */
  readonly onBroken: (error: unknown) => void
}

/**
 * Handles the messages of one client on a duplex transport: the session that `initialize` opens, and requests
 * with their own `_meta`.
 */
export class DuplexConversation implements Carrier<void> {
  readonly served: readonly Revision[]
  readonly stateless: boolean
  /** The session; undefined before `initialize`. */
  session: Session | undefined
  /**
   * The calls without a session. They share the limits of a single session, because the connection has only
   * one client.
   */
  readonly calls: CallPool
  readonly subscriptions: SubscriptionSet
  readonly #limit: ConcurrencyLimit
  readonly #options: ConversationOptions
  readonly #unanswered: PendingWork
  readonly #exchange: Exchange
  readonly #statelessExchange: Exchange
  readonly #statelessRevisions: readonly Revision[]
  /** Set while the session is being opened. Later messages wait for it. */
  #opening: Promise<void> | undefined
  #draining = false

  constructor(options: ConversationOptions) {
    const { runtime, served, outbox, onRefused } = options
    this.#options = options
    this.served = served
    this.stateless = false
    this.#statelessRevisions = ofEra('modern', served)
    this.#unanswered = new PendingWork(runtime.clock)
    this.#limit = new ConcurrencyLimit(runtime.limits)
    this.calls = new CallPool(this.#limit)
    const max = runtime.limits.subscriptions
    this.subscriptions = new SubscriptionSet({ max, maxPerPrincipal: max })
    const { network } = outbox
    const send = (frame: string): Written => outbox.notify(frame)
    const exchange = { network, send, refused: onRefused }
    const request = (frame: string): Written => outbox.write(frame)
    this.#exchange = this.#separating({ ...exchange, duplex: true, request }, (frame) =>
      this.#afterRead(frame),
    )
    // In revisions without sessions, the server cannot send requests to the client.
    const stateless = { ...exchange, duplex: false, subscribable: true }
    this.#statelessExchange = this.#separating(stateless, (frame) => this.#setApart(frame))
  }

  get unavailable(): 'draining' | undefined {
    return this.#options.work.closing ? 'draining' : undefined
  }

  /** Receives the text of a message. */
  take(text: string): Written {
    const parsed = parseText(text, this.#options.parseLimits)
    if (!parsed.ok) return this.#refuse('parseError', undefined, parsed.error)
    return this.#opening === undefined
      ? receive(parsed.value, this)
      : this.#opening.then(() => receive(parsed.value, this))
  }

  malformed(reason: string): void {
    void this.#refuse('parseError', undefined, parseError(reason))
  }

  /** Resolves when all responses have been sent, or after 1 s. */
  flushed(): Promise<void> {
    return this.#unanswered.flushed()
  }

  /** Ends the subscriptions, which would otherwise stay open. */
  drain(): void {
    this.#draining = true
    this.subscriptions.closeAll()
  }

  findSession(): Session | undefined {
    return this.session
  }

  refuse({ reason, id, error }: Refusal): Written {
    return this.#refuse(reason, id, error)
  }

  pong(id: RequestId): Written {
    return this.#options.outbox.write(resultFrame(id, '{}'))
  }

  deliver(incoming: NoRequest): void {
    if (incoming.kind === 'notification' && incoming.message.method === Notification.Cancelled)
      return this.#cancel(incoming.message)
    if (deliver(this.session, incoming) === false) this.#options.onRefused('unmatchedResponse')
  }

  initialize(message: JsonRpcRequest): Promise<void> {
    this.#begin()
    this.#opening = this.#open(message)
      .catch((error: unknown) => this.#failed(message, error))
      .then((response) => this.#answer(response?.frame))
      .finally(() => {
        this.#opening = undefined
      })
    return this.#opening
  }

  call(message: JsonRpcRequest, selection: Served): Written {
    const { runtime, caller } = this.#options
    const { session } = this
    this.#begin()
    const ready = selection.meta === undefined ? undefined : runtime.ready()
    const response =
      selection.meta === undefined && session !== undefined
        ? session.call(message, this.#exchange, caller)
        : (ready?.then(() => this.#callAlone(message, selection)) ?? this.#callAlone(message, selection))
    if (!(response instanceof Promise)) return this.#answer(response?.frame)
    response
      .catch((error: unknown) => this.#failed(message, error))
      .then((settled) => this.#answer(settled?.frame))
      .catch((error: unknown) => this.#options.onBroken(error))
    if (selection.meta === undefined) return session?.capacity()
    // While requests to the client are open, reading continues, because their responses arrive on this
    // connection. Further calls are refused.
    const capacity = (): Promise<void> | undefined =>
      this.session?.awaitsResponse === true ? undefined : this.#limit.capacity()
    return ready === undefined ? capacity() : ready.then(capacity, () => {})
  }

  callAll(items: readonly BatchItem[]): Written {
    const { runtime, caller } = this.#options
    const { session } = this
    if (session === undefined) return
    const ids = requestIds(items)
    const responses = new BatchResponses(ids.length, runtime.maxResultBytes)
    if (ids.length > 0) this.#begin()
    runBatch(items, {
      deliver: (item) => this.deliver(item),
      call: (message) => session.call(message, { ...this.#exchange, batch: responses }, caller),
      collect: (id, response) => {
        responses.add(id, response?.frame)
        if (responses.complete) void this.#answer(responses.join())
      },
      failed: (error) => this.#log(error),
    })
    return session.capacity()
  }

  /** Calls a method of a request that carries its own metadata. */
  #callAlone(message: JsonRpcRequest, { revision, meta }: Served): Awaitable<EncodedResponse> {
    const { runtime, caller } = this.#options
    const ctx = statelessContext(runtime, {
      message,
      exchange: this.#statelessExchange,
      caller,
      revision,
      meta,
      served: this.#statelessRevisions,
    })
    const response = separateResponse(ctx, this.calls.run(runtime, ctx))
    return response instanceof Promise
      ? response.then((settled) => this.#subscribe(settled, revision))
      : this.#subscribe(response, revision)
  }

  /** Delays a subscription's response until the subscription ends. */
  #subscribe(response: EncodedResponse, revision: Revision): EncodedResponse {
    if (response?.subscription === undefined) return response
    const { frame, subscription } = response
    const error = this.#openSubscription(subscription, frame)
    if (error === undefined) return undefined
    this.#options.onRefused(error.reason === 'busy' ? 'busy' : 'invalidMessage')
    return { frame: errorFrame(subscription.id, revision.encodeError(error)), error }
  }

  #openSubscription(request: SubscriptionRequest, answer: string): McpError | undefined {
    const { id } = request
    if (this.#draining) return busy()
    if (this.subscriptions.find(id) !== undefined)
      return invalidRequest('A subscription with this id is open: choose another one')
    const channel = subscriptionChannel(id, this.#options.outbox)
    const subscription = this.subscriptions.open({ ...request, answer, channel }, ANONYMOUS)
    subscription?.begin()
    return subscription === undefined ? busy() : undefined
  }

  /** Cancels a session's call, or a stateless call. If both have the same id, neither call is cancelled. */
  #cancel(message: JsonRpcNotification): void {
    const { session } = this
    const id = message.params?.['requestId']
    if (!isRequestId(id)) return void session?.notification(message)
    const alone = namesVersion(message) && this.#statelessRevisions.length > 0
    if (session === undefined || alone || !session.hasCall(id)) {
      this.calls.cancel(id)
      this.subscriptions.find(id)?.drop()
    }
    if (!alone && !this.calls.has(id)) void session?.notification(message)
  }

  async #open(message: JsonRpcRequest): Promise<EncodedResponse> {
    const { runtime, caller, outbox, onRefused } = this.#options
    const { session, ...response } = await initialize(runtime, {
      served: ofEra('legacy', this.served),
      message,
      principal: principalOf(caller),
      id: randomToken(22, runtime.random),
      origin: this.#exchange,
    })
    if (session === undefined) {
      onRefused('initializeRefused')
      return response
    }
    this.session = session
    session.onClientRequest = () => this.#limit.release()
    session.emitEvents({ resumed: false })
    session.attach({ send: (frame) => outbox.notifySession(frame) })
    return response
  }

  #begin(): void {
    this.#options.work.begin()
    this.#unanswered.begin()
  }

  /** Writes the response to a request or batch, or nothing for a cancelled call. */
  #answer(frame: string | undefined): Written {
    const written = this.#options.outbox.write(frame)
    this.#unanswered.end()
    this.#options.work.end()
    return written
  }

  #failed({ id, method }: JsonRpcRequest, error: unknown): EncodedResponse {
    this.#log(error, method)
    return { frame: errorFrame(id, busy()) }
  }

  #log(err: unknown, method?: string): void {
    this.#options.runtime.logger.error({ err, method }, 'A request could not be answered')
  }

  #refuse(reason: string, id: RequestId | undefined, error: JsonRpcErrorObject): Written {
    this.#options.onRefused(reason)
    return this.#options.outbox.write(errorFrame(id, error))
  }

  #separating(exchange: Exchange, separate: (frame: string) => Awaitable<string>): Exchange {
    const { outbox, runtime } = this.#options
    return outbox.byteStream ? separating(exchange, runtime.clock, separate) : exchange
  }

  async #afterRead(frame: string): Promise<string> {
    await this.session?.confirmRead((ping) => void this.#options.outbox.write(ping))
    return frame
  }

  /**
   * Waits, and pads the frame to the full size of a Node.js read. Without pings, the server cannot know what
   * the client has read.
   */
  #setApart(frame: string): Promise<string> {
    const { clock } = this.#options.runtime
    return new Promise((resolve) => {
      clock.setTimeout(() => resolve(frame.padStart(READ_BYTES - LINE_END)), READ_MS)
    })
  }
}

/**
 * Creates the channel of one subscription. All subscriptions of a connection share the outbox, and clients
 * distinguish them by request id. The specification requires the final notification.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation
 */
function subscriptionChannel(id: RequestId, outbox: Outbox): SubscriptionChannel {
  const owner = {}
  const end = (answer: string, reason: string): void => {
    outbox.discard(owner)
    const params = { _meta: { [SUBSCRIPTION_ID]: id }, requestId: id, reason }
    void outbox.write(answer)
    void outbox.write(notificationFrame(Notification.Cancelled, params))
  }
  return {
    send: (frame) => outbox.sendCoalesced(frame, owner),
    drop: () => outbox.discard(owner),
    finish: (answer) => end(answer, 'The server has ended the subscription'),
    overflow: (answer) => end(answer, 'The client reads too slowly'),
  }
}
