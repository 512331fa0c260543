import { busy, invalidRequest } from '../errors.ts'
import {
  classify,
  errorFrame,
  type Incoming,
  isRequestId,
  type JsonRpcNotification,
  type JsonRpcRequest,
  parseError,
  resultFrame,
} from '../protocol/jsonrpc.ts'
import { Method, Notification } from '../protocol/methods.ts'
import { DEFAULT_PARSE_LIMITS, type ParseLimits, parseText } from '../protocol/parse.ts'
import { narrowRevisions, ofEra } from '../protocol/revisions/index.ts'
import { namesVersion } from '../protocol/revisions/request-meta.ts'
import type { Revision, RevisionDate } from '../protocol/revisions/revision.ts'
import { type Selection, selectRevision } from '../protocol/revisions/select.ts'
import type { Transport, TransportClose } from './transport.ts'
import { ANONYMOUS } from '../stores/principal.ts'
import { WaitUntil } from '../call/wait-until.ts'
import { readBatch } from '../protocol/batch.ts'
import { CHANGES_TOPIC, toChangeEvent } from '../stores/bus.ts'
import type { EncodedResponse } from '../call/response.ts'
import { DuplexSubscriptions } from './subscriptions.ts'
import { Outbox } from './outbox.ts'
import type { Exchange } from '../call/exchange.ts'
import { initialize } from '../session/initialize.ts'
import { randomToken } from '../util/random.ts'
import type { ServerMount, MountHandle, ServerRuntime } from '../session/server-runtime.ts'
import { emitSessionEvents } from '../session/session-events.ts'
import { type Gauges, type MountStats, NOTHING_HELD, Refusals } from '../session/stats.ts'
import type { Caller, Session } from '../session/session.ts'
import { statelessContext } from '../session/stateless-call.ts'
import { CallPool } from '../session/call-pool.ts'
import { ConcurrencyLimit } from '../session/concurrency-limit.ts'
import { Drainable } from '../session/drainable.ts'
import { utf8Length } from '../util/bytes.ts'

export interface ConnectionOptions extends Pick<Caller, 'auth' | 'locals'> {
  /** The revisions to serve, out of those that the server speaks. All of them by default. */
  readonly revisions?: readonly RevisionDate[]
  readonly parseLimits?: ParseLimits
  /** How long running calls may go on after the peer has closed its side, in ms. @default 2_000 */
  readonly endGraceMs?: number
}

/** One duplex transport being served: stdio, in-memory. */
export interface Connection extends MountHandle {}

/** Keys of the table of HTTP statuses, where a duplex transport has the same reason. */
type RefusalReason =
  | 'parseError'
  | 'invalidMessage'
  | 'batch'
  | 'draining'
  | Refused['reason']
  | 'initializeRefused'
  | 'initializedAlready'
  | 'busy'

type Refused = Extract<Selection, { readonly kind: 'refuse' }>

/** Takes the one answer to a message; undefined where a cancelled call has none. */
type Reply = (frame: string | undefined) => void | Promise<void>

const DEFAULT_END_GRACE_MS = 2_000

/**
 * Serves one client over a transport. The session begins with the client's `initialize`.
 *
 * @throws `ERR_MCP_CLOSED` after the server was closed, and whatever the transport's `start` throws
 */
export function serveTransport(
  runtime: ServerRuntime,
  transport: Transport,
  options: ConnectionOptions = {},
): Connection {
  const connection = new DuplexConnection(runtime, transport, options)
  connection.start()
  return connection
}

class DuplexConnection implements Connection, ServerMount {
  readonly #runtime: ServerRuntime
  readonly #transport: Transport
  readonly #options: ConnectionOptions
  readonly #exchange: Exchange
  /** The way back of a request that stands for itself: the client is asked nothing on it. */
  readonly #alone: Exchange
  /** One client is at the other end, so that its calls are limited as those of its session are. */
  readonly #limit: ConcurrencyLimit
  readonly #calls: CallPool
  readonly #caller: Caller
  readonly #served: readonly Revision[]
  readonly #servedAlone: readonly Revision[]
  readonly #principal: string
  readonly #refusals: Refusals
  #unsubscribe = (): void => {}
  #session: Session | undefined
  #opening: Promise<void> | undefined
  readonly #work: Drainable
  readonly #out: Outbox
  readonly #subscriptions: DuplexSubscriptions

  constructor(runtime: ServerRuntime, transport: Transport, options: ConnectionOptions) {
    this.#runtime = runtime
    this.#transport = transport
    this.#options = options
    this.#served = narrowRevisions(runtime.revisions, options.revisions)
    this.#servedAlone = ofEra('modern', this.#served)
    this.#principal = options.auth?.principal ?? ANONYMOUS
    this.#refusals = new Refusals(runtime.refusals)
    this.#out = new Outbox({
      transport,
      onBroken: (error) => this.#broken(error),
      onDrop: (frame) => this.#dropped(frame),
    })
    this.#exchange = {
      duplex: true,
      send: (frame) => this.#out.notify(frame),
      request: (frame) => this.#out.write(frame),
      refused: (reason) => this.#rejected(reason),
    }
    this.#alone = {
      duplex: false,
      subscribable: true,
      send: (frame) => this.#out.notify(frame),
      refused: (reason) => this.#rejected(reason),
    }
    this.#subscriptions = new DuplexSubscriptions(runtime.limits.subscriptions, this.#out)
    this.#limit = new ConcurrencyLimit(runtime.limits)
    this.#calls = new CallPool(() => this.#limit)
    this.#work = new Drainable(runtime.clock, {
      // Subscriptions do not end by themselves.
      begin: () => this.#subscriptions.closeAll(),
      finish: () => this.#end(),
    })
    const background = new WaitUntil(this.#work, runtime.logger)
    this.#caller = { auth: options.auth, locals: options.locals, background }
  }

  get closed(): Promise<void> {
    return this.#work.closed
  }

  start(): void {
    // First, since a server that is closed refuses here, before anything was opened.
    this.#runtime.attach(this)
    this.#unsubscribe = this.#runtime.bus.subscribe(CHANGES_TOPIC, (message) => {
      const event = toChangeEvent(message)
      if (event === undefined) return
      this.#session?.onChange(event)
      this.#subscriptions.onChange(event)
    })
    try {
      this.#startTransport()
    } catch (error) {
      this.#release()
      this.#work.finish()
      throw error
    }
  }

  #startTransport(): void {
    const started = this.#transport.start({
      message: (text) => this.#message(text),
      malformed: (reason) => {
        this.#rejected('parseError')
        void this.#out.write(errorFrame(undefined, parseError(reason)))
      },
      close: (reason) => this.#peerClosed(reason),
    })
    if (started instanceof Promise)
      started.catch((error: unknown) => this.#peerClosed({ kind: 'error', error }))
  }

  close(options?: { readonly deadline?: number }): Promise<void> {
    return this.#work.close(options)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  gauges(): Gauges {
    const session = this.#session?.closed === false ? this.#session : undefined
    return {
      ...NOTHING_HELD,
      sessions: session === undefined ? 0 : 1,
      queuedBytes: this.#transport.queued ?? 0,
      callsInFlight: (session?.inFlight ?? 0) + this.#calls.inFlight(),
    }
  }

  stats(): MountStats {
    return {
      ...this.gauges(),
      draining: this.#work.closing,
      refusals: this.#refusals.snapshot(),
    }
  }

  async #end(): Promise<void> {
    this.#session?.close()
    this.#calls.endAll()
    this.#out.end()
    try {
      await this.#transport.close()
    } catch (error) {
      this.#runtime.logger.warn({ err: error }, 'A transport failed to close')
    }
    this.#release()
  }

  #release(): void {
    this.#out.end()
    this.#unsubscribe()
    this.#runtime.dispatcher.releaseTimers()
  }

  /** The peer has gone, or will say no more: what it asked for may still finish, for a moment. */
  #peerClosed(reason: TransportClose): void {
    if (reason.kind === 'error') this.#runtime.logger.warn({ err: reason.error }, 'The transport failed')
    this.#session?.rejectRequests()
    void this.close({ deadline: this.#options.endGraceMs ?? DEFAULT_END_GRACE_MS })
  }

  #message(text: string): void | Promise<void> {
    const parsed = parseText(text, this.#options.parseLimits ?? DEFAULT_PARSE_LIMITS)
    if (!parsed.ok) {
      this.#rejected('parseError')
      return this.#out.write(errorFrame(undefined, parsed.error))
    }
    if (this.#opening !== undefined) return this.#opening.then(() => this.#accept(parsed.value))
    return this.#accept(parsed.value)
  }

  #accept(value: unknown): void | Promise<void> {
    if (Array.isArray(value)) return this.#batch(value)
    return this.#route(classify(value), (frame) => this.#out.write(frame))
  }

  /** Routes one message; the promise, if any, holds back the transport, not the answer. */
  #route(incoming: Incoming, reply: Reply): void | Promise<void> {
    switch (incoming.kind) {
      case 'invalid':
        this.#rejected('invalidMessage')
        return reply(errorFrame(incoming.id, invalidRequest(incoming.reason)))
      case 'response':
        return this.#session?.response(incoming.message)
      case 'notification':
        return this.#notified(incoming.message)
      case 'request':
        return this.#request(incoming.message, reply)
    }
  }

  #request(message: JsonRpcRequest, reply: Reply): void | Promise<void> {
    if (this.#work.closing) {
      this.#rejected('draining')
      return reply(errorFrame(message.id, busy()))
    }
    const selection = selectRevision({
      message,
      session: this.#session?.revision,
      served: this.#served,
      stateless: false,
    })
    if (selection.kind === 'initialize') return this.#open(message)
    if (selection.kind === 'refuse') return reply(this.#refusal(message, selection))
    if (selection.meta !== undefined) return this.#callAlone(message, selection, reply)
    const session = this.#session
    if (session === undefined) return reply(errorFrame(message.id, busy()))
    this.#work.begin()
    const answered = session.call(message, this.#exchange, this.#caller)
    if (!(answered instanceof Promise)) return this.#answer(answered, reply)
    void answered.then((answer) => this.#answer(answer, reply))
    return session.capacity()
  }

  /** A cancellation may be meant for a call of the session or for one beside it; where both have its id it is for none. */
  #notified(message: JsonRpcNotification): void {
    const session = this.#session
    const id = message.method === Notification.Cancelled ? message.params?.['requestId'] : undefined
    if (!isRequestId(id)) return session?.notification(message)
    const alone = this.#servedAlone.length > 0 && namesVersion(message)
    if (session === undefined || alone || !session.hasCall(id)) {
      this.#calls.cancel(id)
      this.#subscriptions.cancel(id)
    }
    if (!alone && this.#calls.count(id) === 0) session?.notification(message)
  }

  #refusal(message: JsonRpcRequest, refused: Refused): string {
    if (!mayPing(message, refused)) this.#rejected(refused.reason)
    return refusal(message, refused)
  }

  /** A request that stands for itself, whatever session there is beside it. */
  #callAlone(
    message: JsonRpcRequest,
    { revision, meta }: Extract<Selection, { readonly kind: 'serve' }>,
    reply: Reply,
  ): void | Promise<void> {
    this.#work.begin()
    const call = {
      message,
      exchange: this.#alone,
      caller: this.#caller,
      revision,
      meta,
      served: this.#servedAlone,
    }
    const run = (): EncodedResponse | Promise<EncodedResponse> =>
      this.#calls.run(this.#runtime, statelessContext(this.#runtime, call))
    const ready = this.#runtime.ready()
    const answered = ready === undefined ? run() : ready.then(run)
    const answer = (said: EncodedResponse): void | Promise<void> =>
      this.#answer(this.#begun(said, revision), reply)
    if (!(answered instanceof Promise)) return answer(answered)
    const failed = (error: unknown): EncodedResponse => {
      this.#runtime.logger.error({ err: error }, 'A call could not be answered')
      return { frame: errorFrame(message.id, busy()) }
    }
    void answered.catch(failed).then(answer)
    const room = (): Promise<void> | undefined => this.#room()
    return ready === undefined ? room() : ready.then(room, () => {})
  }

  /** Reading stops instead of refusing, unless the client is asked something: its answer comes on the same way. */
  #room(): Promise<void> | undefined {
    return this.#session?.awaitsResponse === true ? undefined : this.#limit.capacity()
  }

  /** A subscription that begins holds its answer back until it ends. */
  #begun(answer: EncodedResponse, revision: Revision): EncodedResponse {
    if (answer?.subscription === undefined) return answer
    const { frame, subscription } = answer
    const error = !this.#work.closing ? this.#subscriptions.begin(subscription, frame) : busy()
    if (error === undefined) return undefined
    this.#rejected(error.reason === 'busy' ? 'busy' : 'invalidMessage')
    return { frame: errorFrame(subscription.id, revision.encodeError(error)), error }
  }

  #answer(answer: EncodedResponse, reply: Reply): void | Promise<void> {
    const sent = reply(answer?.frame)
    this.#work.end()
    return sent
  }

  #open(message: JsonRpcRequest): Promise<void> {
    const id = randomToken(22, this.#runtime.random)
    this.#work.begin()
    const opening = initialize(this.#runtime, {
      served: ofEra('legacy', this.#served),
      message,
      principal: this.#principal,
      id,
    })
      .then((initialized) => {
        this.#session = initialized.session
        if (this.#session === undefined) this.#rejected('initializeRefused')
        else emitSessionEvents(this.#runtime, this.#session, { resumed: false })
        initialized.session?.attach({ send: (frame) => this.#out.notifySession(frame) })
        if (this.#session !== undefined) this.#session.onClientRequest = () => this.#limit.release()
        return this.#answer(initialized, (frame) => this.#out.write(frame))
      })
      .catch((error: unknown) => this.#failOpening(message, error))
      .finally(() => {
        this.#opening = undefined
      })
    this.#opening = opening
    return opening
  }

  #failOpening(message: JsonRpcRequest, error: unknown): void | Promise<void> {
    this.#runtime.logger.error({ err: error }, 'A session could not be opened')
    return this.#answer({ frame: errorFrame(message.id, busy()) }, (frame) => this.#out.write(frame))
  }

  /** Batches exist in one revision only; their answers go back as one array. */
  #batch(values: readonly unknown[]): void | Promise<void> {
    if (this.#session?.revision.batching !== true)
      return this.#refuseBatch('Batches are not part of the negotiated protocol revision')
    const batch = readBatch(values)
    if ('fault' in batch) return this.#refuseBatch(batch.fault)
    const expected = batch.items.filter(({ kind }) => kind === 'request').length
    const frames: string[] = []
    let answered = 0
    const collect: Reply = (frame) => {
      if (frame !== undefined) frames.push(frame)
      if (++answered === expected && frames.length > 0) return this.#out.write(`[${frames.join(',')}]`)
    }
    for (const item of batch.items) void this.#route(item, collect)
    return this.#session.capacity()
  }

  #refuseBatch(fault: string): void | Promise<void> {
    this.#rejected('batch')
    return this.#out.write(errorFrame(undefined, invalidRequest(fault)))
  }

  /** An answer that is lost leaves its client waiting for ever, so that the end of everything is the better news. */
  #broken(error: unknown): void {
    if (!this.#work.closing) this.#peerClosed({ kind: 'error', error })
  }

  #dropped(frame: string): void {
    this.#runtime.events.emit('overflow', () => ({
      queue: 'connection',
      action: 'drop',
      bytes: utf8Length(frame),
      sessionId: this.#session?.id,
    }))
  }

  #rejected(reason: RefusalReason): void {
    this.#refusals.count(reason)
    this.#runtime.events.emit('reject', () => ({ route: 'duplex', status: undefined, reason }))
  }
}

/** Before `initialize` a client may only ping. */
export function refusal(message: JsonRpcRequest, refused: Refused): string {
  return mayPing(message, refused) ? resultFrame(message.id, '{}') : errorFrame(message.id, refused.error)
}

/** Where a session could be: https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#initialization */
const mayPing = ({ method }: JsonRpcRequest, { reason }: Refused): boolean =>
  method === Method.Ping && reason === 'missingSession'
