import { busy, invalidRequest } from '../errors.ts'
import { readBatch } from '../protocol/batch.ts'
import {
  classify,
  errorFrame,
  type Incoming,
  isRequestId,
  type JsonRpcErrorObject,
  type JsonRpcNotification,
  type JsonRpcRequest,
  parseError,
  type RequestId,
  resultFrame,
} from '../protocol/jsonrpc.ts'
import { Method, Notification } from '../protocol/methods.ts'
import { DEFAULT_PARSE_LIMITS, type ParseLimits, parseText } from '../protocol/parse.ts'
import { narrowRevisions, ofEra } from '../protocol/revisions/index.ts'
import { namesVersion } from '../protocol/revisions/request-meta.ts'
import type { Era, Revision, RevisionDate } from '../protocol/revisions/revision.ts'
import { type Selection, selectRevision } from '../protocol/revisions/select.ts'
import { onChange } from '../stores/bus.ts'
import { utf8Length } from '../util/bytes.ts'
import { Outstanding } from '../util/outstanding.ts'
import { checkNames, type OptionNames } from '../util/check-options.ts'
import type { EncodedResponse } from '../call/response.ts'
import { BatchResponses } from '../call/response-limit.ts'
import { WaitUntil } from '../call/wait-until.ts'
import { Drainable } from '../session/drainable.ts'
import type { MountHandle, ServerMount, ServerRuntime } from '../session/server-runtime.ts'
import type { Caller } from '../call/scope.ts'
import type { Session } from '../session/session.ts'
import { type Gauges, type MountStats, NOTHING_HELD, Refusals } from '../session/stats.ts'
import { checkTransport } from './check-transport.ts'
import { Outbox } from './outbox.ts'
import { type EraOptions, PerRequestEra } from './per-request-era.ts'
import { SessionEra } from './session-era.ts'
import type { Transport, TransportClose } from './transport.ts'

/** Options of `server.connect(transport)`. */
export interface ConnectionOptions extends Pick<Caller, 'auth' | 'locals'> {
  /** The revisions to serve. @default all that the server serves */
  readonly revisions?: readonly RevisionDate[]
  readonly parseLimits?: ParseLimits
  /** How long running calls may continue after the client has closed its side, in ms. @default 2_000 */
  readonly endGraceMs?: number
}

/** One client on a duplex transport: stdio or in memory. */
export interface Connection extends MountHandle {}

const CONNECTION_OPTIONS: OptionNames<ConnectionOptions> = {
  auth: 1,
  locals: 1,
  revisions: 1,
  parseLimits: { maxDepth: 1, maxTokens: 1 },
  endGraceMs: 1,
}

type Refused = Extract<Selection, { readonly kind: 'refuse' }>
type Served = Extract<Selection, { readonly kind: 'serve' }>

/** Sends the response to one message; undefined for a cancelled call, which has none. */
type Reply = (frame: string | undefined) => void | Promise<void>

const DEFAULT_END_GRACE_MS = 2_000

/**
 * Serves one client on a transport. A session begins with the client's `initialize`.
 *
 * @throws `ERR_MCP_OPTION`; `ERR_MCP_CLOSED` after the server was closed; the
 *   errors of the transport's `start`
 */
export function serveTransport(
  runtime: ServerRuntime,
  transport: Transport,
  options: ConnectionOptions = {},
): Connection {
  checkTransport(transport)
  checkNames(options, CONNECTION_OPTIONS)
  const connection = new DuplexConnection(runtime, transport, options)
  connection.start()
  return connection
}

class DuplexConnection implements Connection, ServerMount {
  readonly #runtime: ServerRuntime
  readonly #transport: Transport
  readonly #options: ConnectionOptions
  readonly #served: readonly Revision[]
  readonly #refusals: Refusals
  readonly #work: Drainable
  readonly #unanswered: Outstanding
  readonly #outbox: Outbox
  readonly #sessionEra: SessionEra
  readonly #perRequest: PerRequestEra
  readonly #write: Reply = (frame) => this.#outbox.write(frame)
  #unsubscribe = (): void => {}
  #opening: Promise<void> | undefined

  constructor(runtime: ServerRuntime, transport: Transport, options: ConnectionOptions) {
    this.#runtime = runtime
    this.#transport = transport
    this.#options = options
    this.#served = narrowRevisions(runtime.revisions, options.revisions)
    this.#refusals = new Refusals(runtime.refusals)
    this.#work = new Drainable(runtime.clock, {
      begin: () => this.#perRequest.drain(),
      finish: () => this.#finish(),
    })
    this.#unanswered = new Outstanding(runtime.clock)
    this.#outbox = new Outbox({
      transport,
      onBroken: (error) => this.#broken(error),
      onDrop: (frame) => this.#dropped(frame),
    })
    const era = (which: Era): EraOptions => ({
      runtime,
      caller,
      served: ofEra(which, this.#served),
      outbox: this.#outbox,
      onRefused: (reason) => this.#refused(reason),
    })
    const background = new WaitUntil(this.#work, runtime.logger)
    const caller: Caller = { auth: options.auth, locals: options.locals, background }
    this.#sessionEra = new SessionEra(era('legacy'))
    this.#perRequest = new PerRequestEra(era('modern'))
  }

  get #session(): Session | undefined {
    return this.#sessionEra.session
  }

  get closed(): Promise<void> {
    return this.#work.closed
  }

  start(): void {
    // First: a closed server throws here, before anything is open.
    this.#runtime.attach(this)
    this.#unsubscribe = onChange(this.#runtime.bus, (event) => {
      this.#session?.onChange(event)
      this.#perRequest.subscriptions.onChange(event)
    })
    try {
      const started = this.#transport.start({
        message: (text) => this.#message(text),
        malformed: (reason) => void this.#refuse('parseError', undefined, parseError(reason)),
        close: (reason) => this.#peerClosed(reason),
      })
      if (started instanceof Promise)
        started.catch((error: unknown) => this.#peerClosed({ kind: 'error', error }))
    } catch (error) {
      this.#release()
      this.#work.finish()
      throw error
    }
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
      callsInFlight: (session?.inFlight ?? 0) + this.#perRequest.calls.inFlight(),
    }
  }

  stats(): MountStats {
    return { ...this.gauges(), draining: this.#work.closing, refusals: this.#refusals.snapshot() }
  }

  async #finish(): Promise<void> {
    this.#session?.close()
    this.#perRequest.calls.endAll()
    await this.#unanswered.flushed()
    this.#release()
    try {
      await this.#transport.close()
    } catch (error) {
      this.#runtime.logger.warn({ err: error }, 'A transport failed to close')
    }
  }

  #release(): void {
    this.#outbox.end()
    this.#unsubscribe()
    this.#runtime.dispatcher.releaseTimers()
  }

  /** The client sends nothing more. Its running calls may finish. */
  #peerClosed(reason: TransportClose): void {
    if (reason.kind === 'error') this.#runtime.logger.warn({ err: reason.error }, 'The transport failed')
    this.#session?.rejectRequests()
    void this.close({ deadline: this.#options.endGraceMs ?? DEFAULT_END_GRACE_MS })
  }

  #message(text: string): void | Promise<void> {
    const parsed = parseText(text, this.#options.parseLimits ?? DEFAULT_PARSE_LIMITS)
    if (!parsed.ok) return this.#refuse('parseError', undefined, parsed.error)
    if (this.#opening !== undefined) return this.#opening.then(() => this.#accept(parsed.value))
    return this.#accept(parsed.value)
  }

  #accept(value: unknown): void | Promise<void> {
    return Array.isArray(value) ? this.#batch(value) : this.#route(classify(value), this.#write)
  }

  /** Routes one message. A promise stops the reading, not the response. */
  #route(incoming: Incoming, reply: Reply): void | Promise<void> {
    switch (incoming.kind) {
      case 'invalid':
        return this.#refuse('invalidMessage', incoming.id, invalidRequest(incoming.reason), reply)
      case 'response':
        if (this.#session?.response(incoming.message) !== true) this.#refused('unmatchedResponse')
        return
      case 'notification':
        return this.#notification(incoming.message)
      case 'request':
        return this.#request(incoming.message, reply)
    }
  }

  #request(message: JsonRpcRequest, reply: Reply): void | Promise<void> {
    if (this.#work.closing) return this.#refuse('draining', message.id, busy(), reply)
    const session = this.#session
    const selection = selectRevision({
      message,
      session: session?.revision,
      served: this.#served,
      stateless: false,
    })
    if (selection.kind === 'initialize') return this.#initialize(message)
    if (selection.kind === 'refuse') {
      if (!mayPing(message, selection)) this.#refused(selection.reason)
      return reply(refusal(message, selection))
    }
    if (selection.meta !== undefined) return this.#callPerRequest(message, selection, reply)
    this.#begin()
    const response = this.#sessionEra.call(message)
    if (!(response instanceof Promise)) return this.#answer(response, reply)
    this.#follow(message, response, (settled) => this.#answer(settled, reply))
    return session?.capacity()
  }

  #callPerRequest(message: JsonRpcRequest, selection: Served, reply: Reply): void | Promise<void> {
    this.#begin()
    const run = (): EncodedResponse | Promise<EncodedResponse> => this.#perRequest.call(message, selection)
    const ready = this.#runtime.ready()
    const response = ready === undefined ? run() : ready.then(run)
    const answer = (settled: EncodedResponse): void | Promise<void> =>
      this.#answer(this.#perRequest.subscribe(settled, selection.revision), reply)
    if (!(response instanceof Promise)) return answer(response)
    this.#follow(message, response, answer)
    // While the client owes a response, reading continues and more calls are refused:
    // it comes on this connection.
    const capacity = (): Promise<void> | undefined =>
      this.#session?.awaitsResponse === true ? undefined : this.#perRequest.limit.capacity()
    return ready === undefined ? capacity() : ready.then(capacity, () => {})
  }

  /** A cancellation names a call of the session or another one; if both have the id, it cancels neither. */
  #notification(message: JsonRpcNotification): void {
    const session = this.#session
    const id = message.method === Notification.Cancelled ? message.params?.['requestId'] : undefined
    if (!isRequestId(id)) return session?.notification(message)
    const namesRevision = namesVersion(message) && ofEra('modern', this.#served).length > 0
    if (session === undefined || namesRevision || !session.hasCall(id)) this.#perRequest.cancel(id)
    if (!namesRevision && !this.#perRequest.calls.has(id)) session?.notification(message)
  }

  #begin(): void {
    this.#work.begin()
    this.#unanswered.begin()
  }

  #answer(response: EncodedResponse, reply: Reply): void | Promise<void> {
    const written = reply(response?.frame)
    this.#unanswered.end()
    this.#work.end()
    return written
  }

  #follow(
    message: JsonRpcRequest,
    response: Promise<EncodedResponse>,
    answer: (settled: EncodedResponse) => void | Promise<void>,
  ): void {
    response
      .then(answer, (error: unknown) => answer(this.#failed(message, error)))
      .catch((error: unknown) => this.#broken(error))
  }

  #failed(message: JsonRpcRequest, error: unknown): EncodedResponse {
    this.#runtime.logger.error({ err: error, method: message.method }, 'A request could not be answered')
    return { frame: errorFrame(message.id, busy()) }
  }

  #initialize(message: JsonRpcRequest): Promise<void> {
    this.#begin()
    this.#opening = this.#openSession(message)
      .catch((error: unknown) => this.#failed(message, error))
      .then((response) => this.#answer(response, this.#write))
      .finally(() => {
        this.#opening = undefined
      })
    return this.#opening
  }

  async #openSession(message: JsonRpcRequest): Promise<EncodedResponse> {
    const response = await this.#sessionEra.initialize(message)
    if (this.#session !== undefined) this.#session.onClientRequest = () => this.#perRequest.limit.release()
    return response
  }

  /** One revision has batches. Their responses go back as one array. */
  #batch(values: readonly unknown[]): void | Promise<void> {
    if (this.#session?.revision.batching !== true)
      return this.#refuseBatch('Batches are not part of the negotiated protocol revision')
    const batch = readBatch(values)
    if ('fault' in batch) return this.#refuseBatch(batch.fault)
    const expected = batch.items.filter(({ kind }) => kind === 'request').length
    const responses = new BatchResponses(this.#runtime.maxResultBytes)
    let answered = 0
    const collect = (id: RequestId, frame: string | undefined): void | Promise<void> => {
      if (frame !== undefined) responses.add(id, frame)
      if (++answered === expected) return this.#write(responses.join())
    }
    for (const item of batch.items) {
      if (item.kind === 'request')
        void this.#request(item.message, (frame) => collect(item.message.id, frame))
      else void this.#route(item, this.#write)
    }
    return this.#session.capacity()
  }

  #refuseBatch(fault: string): void | Promise<void> {
    return this.#refuse('batch', undefined, invalidRequest(fault))
  }

  #refuse(
    reason: string,
    id: RequestId | undefined,
    error: JsonRpcErrorObject,
    reply = this.#write,
  ): void | Promise<void> {
    this.#refused(reason)
    return reply(errorFrame(id, error))
  }

  /** A client would wait for ever for a response that is lost, so the connection ends. */
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

  #refused(reason: string): void {
    this.#refusals.count(reason)
    this.#runtime.events.emit('reject', () => ({ route: 'duplex', status: undefined, reason }))
  }
}

/** The response to a request that no revision can serve. Before `initialize` a client may only ping. */
export function refusal(message: JsonRpcRequest, refused: Refused): string {
  return mayPing(message, refused) ? resultFrame(message.id, '{}') : errorFrame(message.id, refused.error)
}

/** https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#initialization */
const mayPing = ({ method }: JsonRpcRequest, { reason }: Refused): boolean =>
  method === Method.Ping && reason === 'missingSession'
