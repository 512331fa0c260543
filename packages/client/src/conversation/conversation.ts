import {
  classify,
  isObject,
  isRequestId,
  type JsonObject,
  type JsonRpcMessage,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResponse,
  McpError,
  Notification,
  type RequestId,
  type Revision,
} from '@jetway/core/protocol'
import type { Clock } from '@jetway/core/stores'
import { ClientError, ConnectionClosedError, invalidAnswer } from '../errors.ts'
import type { ClientTransport, Origin, SendContext, TransportClose } from '../transport/client-transport.ts'
import { InboundRequests } from './inbound-requests.ts'
import { PendingCall, type Progress } from './pending-call.ts'

/** What goes with a request of this side. */
export interface Ask {
  readonly timeoutMs?: number | undefined
  readonly maxTotalMs?: number | undefined
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: Progress) => void) | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly stays?: boolean
  /** The protocol forbids to cancel it. */
  readonly uncancellable?: boolean
  /** Hears under which id the request goes out. */
  readonly onId?: (id: RequestId) => void
}

/** Who hears what the server says by itself. */
export interface ConversationEvents {
  notification(message: JsonRpcNotification, origin: Origin | undefined): void
  /** Resolves to the result, rejects with what becomes an error; undefined where the request gets no answer at all. */
  request(
    message: JsonRpcRequest,
    context: { readonly signal: AbortSignal; readonly origin: Origin | undefined },
  ): Promise<JsonObject> | undefined
  /** Something was wrong that ends nothing. */
  error(error: Error): void
  closed(reason: TransportClose): void
}

/** What was heard and led to nothing. */
export interface Ignored {
  /** Answers to nothing that was asked, or to what is answered or given up already. */
  readonly responses: number
  /** Progress for nothing that wants it. */
  readonly progress: number
  /** Requests where this side answers none. */
  readonly requests: number
  /** What was no message. */
  readonly malformed: number
}

const MAX_PENDING = 1024
const MAX_BATCH = 1024

/** One connection: correlates answers with requests, times them, and survives whatever else arrives. */
export class Conversation {
  /** By which messages are written; set once the sides have agreed. */
  revision: Revision | undefined
  readonly transport: ClientTransport
  readonly #events: ConversationEvents
  readonly #clock: Clock
  readonly #pending = new Map<RequestId, PendingCall>()
  readonly #inbound: InboundRequests
  readonly #ignored = { responses: 0, progress: 0, requests: 0, malformed: 0 }
  #nextId = 1
  #closed: TransportClose | undefined

  constructor(transport: ClientTransport, clock: Clock, events: ConversationEvents) {
    this.transport = transport
    this.#clock = clock
    this.#events = events
    this.#inbound = new InboundRequests({
      answer: (request, context) => {
        const answered = events.request(request, context)
        if (answered === undefined) this.#ignored.requests++
        return answered
      },
      send: (message, origin) => this.#reply(message, origin),
      pause: (origin) => this.#pause(origin),
    })
  }

  get closed(): TransportClose | undefined {
    return this.#closed
  }

  get pending(): number {
    return this.#pending.size
  }

  /** The id of the next request. */
  get nextId(): number {
    return this.#nextId
  }

  /** Goes on counting where another connection to the same session stopped: no id may be used a second time. */
  continueFrom(nextId: number): void {
    this.#nextId = nextId
  }

  ignored(): Ignored {
    return { ...this.#ignored }
  }

  async start(): Promise<void> {
    await this.transport.start({
      message: (value, origin) => this.#message(value, origin),
      malformed: (reason, request) => this.#malformed(reason, request),
      ended: (request, error) => this.#pending.get(request)?.fail(this.#forget(request, error)),
      close: (reason) => this.#end(reason),
    })
  }

  /** Resolves to the result; rejects with `McpError` for an error of the server, and with a named one of this side. */
  request(method: string, params: JsonObject | undefined, ask: Ask): Promise<JsonObject> {
    if (this.#closed !== undefined)
      return Promise.reject(
        new ConnectionClosedError(`${method}: the connection is closed`, this.#closed, { unprocessed: true }),
      )
    if (ask.signal?.aborted === true) return Promise.reject(ask.signal.reason as Error)
    if (this.#pending.size >= MAX_PENDING)
      return Promise.reject(
        new ClientError('too-many-calls', `${method}: ${MAX_PENDING} requests have no answer yet`),
      )
    const id = this.#nextId++
    const call = new PendingCall({
      id,
      method,
      clock: this.#clock,
      timeoutMs: ask.timeoutMs,
      maxTotalMs: ask.maxTotalMs,
      onProgress: ask.onProgress,
      signal: ask.signal,
      onGivenUp: (given, reason) => this.#givenUp(given, reason, ask),
    })
    this.#pending.set(id, call)
    call.start()
    ask.onId?.(id)
    const said = ask.onProgress === undefined ? params : withProgressToken(params, id)
    const context: SendContext = {
      revision: this.revision,
      signal: call.released.signal,
      ...(ask.headers !== undefined && { headers: ask.headers }),
      ...(ask.stays === true && { stays: true }),
    }
    const message = { jsonrpc: '2.0', id, method, ...(said !== undefined && { params: said }) } as const
    this.#send(message, context).catch((error: unknown) => call.fail(this.#forget(id, error)))
    return call.answer
  }

  async notify(method: string, params?: JsonObject, relatedTo?: RequestId): Promise<void> {
    if (this.#closed !== undefined) throw new ConnectionClosedError('The connection is closed', this.#closed)
    const message = { jsonrpc: '2.0', method, ...(params !== undefined && { params }) } as const
    await this.#send(message, {
      revision: this.revision,
      ...(relatedTo !== undefined && { relatedTo }),
    })
  }

  /** Every call that waits is rejected at once; resolves when the transport has let go of everything. */
  async close(): Promise<void> {
    this.#end({ kind: 'end' })
    await this.transport.close()
  }

  async #send(message: JsonRpcMessage, context: SendContext): Promise<void> {
    await this.transport.send(message, context)
  }

  #forget<T>(id: RequestId, passed: T): T {
    this.#pending.delete(id)
    return passed
  }

  /** Over HTTP without sessions the end of the stream says it; everywhere else a notification does. */
  #givenUp(call: PendingCall, reason: unknown, { uncancellable }: Ask): void {
    this.#pending.delete(call.id)
    if (uncancellable === true || this.#closed !== undefined) return
    if (this.transport.perRequest && this.revision?.cancelOnDisconnect === true) return
    const text = reason instanceof Error ? reason.message : 'The caller has lost interest'
    this.notify(Notification.Cancelled, { requestId: call.id, reason: text.slice(0, 256) }, call.id).catch(
      (error: unknown) => this.#report(error),
    )
  }

  #message(value: unknown, origin: Origin | undefined): void | Promise<void> {
    if (this.#closed !== undefined) return
    if (!Array.isArray(value)) return this.#one(value, origin)
    for (const each of value.slice(0, MAX_BATCH)) void this.#one(each, origin)
    if (value.length > MAX_BATCH) this.#malformed(`a batch of ${value.length} messages`)
  }

  #one(value: unknown, origin: Origin | undefined): void | Promise<void> {
    const incoming = classify(value)
    switch (incoming.kind) {
      case 'response':
        return this.#response(incoming.message, origin)
      case 'notification':
        return this.#notification(incoming.message, origin)
      case 'request':
        return this.#inbound.handle(incoming.message, origin)
      case 'invalid':
        return this.#invalid(incoming.reason, value, origin)
    }
  }

  #response(message: JsonRpcResponse, origin: Origin | undefined): void {
    const id = message.id ?? this.#onlyAddressee(origin)
    const call = id === undefined ? undefined : this.#pending.get(id)
    if (call === undefined) {
      this.#ignored.responses++
      return
    }
    this.#pending.delete(call.id)
    if ('result' in message) return call.settle(message.result)
    const { code, message: text, data } = message.error
    call.fail(new McpError(code, text, data))
  }

  /** Whom an error without an id is for. Some servers answer so whatever they cannot make sense of. */
  #onlyAddressee(origin: Origin | undefined): RequestId | undefined {
    if (origin?.request !== undefined) return origin.request
    const [only, ...others] = this.#pending.keys()
    return others.length === 0 ? only : undefined
  }

  /** A malformed answer ends the call that it belongs to, which would wait for nothing otherwise. */
  #invalid(reason: string, value: unknown, origin: Origin | undefined): void {
    const named =
      isObject(value) && !('method' in value) && isRequestId(value['id']) ? value['id'] : undefined
    this.#malformed(reason, named ?? (isObject(value) && 'method' in value ? undefined : origin?.request))
  }

  #malformed(reason: string, request?: RequestId): void {
    this.#ignored.malformed++
    const call = request === undefined ? undefined : this.#pending.get(request)
    if (call === undefined) {
      this.#report(new ClientError('invalid-answer', `The server sent what is no message: ${reason}`))
      return
    }
    this.#pending.delete(call.id)
    call.fail(invalidAnswer(call.method, reason))
  }

  #notification(message: JsonRpcNotification, origin: Origin | undefined): void {
    const { method, params = {} } = message
    if (method === Notification.Progress) return this.#progress(params)
    if (method === Notification.Cancelled && this.#inbound.cancel(params['requestId'])) return
    this.#contain(() => this.#events.notification(message, origin))
  }

  #progress(params: JsonObject): void {
    const { progressToken, progress, total, message } = params
    const call = isRequestId(progressToken) ? this.#pending.get(progressToken) : undefined
    if (call === undefined || typeof progress !== 'number') {
      this.#ignored.progress++
      return
    }
    const report: Progress = {
      progress,
      ...(typeof total === 'number' && { total }),
      ...(typeof message === 'string' && { message }),
    }
    this.#contain(() => call.progress(report))
  }

  async #reply(message: JsonRpcMessage, origin: Origin | undefined): Promise<void> {
    if (this.#closed !== undefined) return
    try {
      await this.#send(message, {
        revision: this.revision,
        ...(origin?.request !== undefined && { relatedTo: origin.request }),
      })
    } catch (error) {
      this.#report(error)
    }
  }

  /** The calls on whose account a question may have come. */
  #pause(origin: Origin | undefined): () => void {
    const of = origin?.request === undefined ? undefined : this.#pending.get(origin.request)
    const calls = of === undefined ? [...this.#pending.values()] : [of]
    for (const call of calls) call.pause()
    return () => {
      for (const call of calls) call.resume()
    }
  }

  #end(reason: TransportClose): void {
    if (this.#closed !== undefined) return
    this.#closed = reason
    const calls = [...this.#pending.values()]
    this.#pending.clear()
    for (const call of calls)
      call.fail(new ConnectionClosedError(`${call.method}: the connection ended before the answer`, reason))
    this.#inbound.closeAll()
    this.#contain(() => this.#events.closed(reason))
  }

  /** What a listener throws is its own affair: the loop goes on. */
  #contain(run: () => void): void {
    try {
      run()
    } catch (error) {
      this.#report(error)
    }
  }

  #report(error: unknown): void {
    this.#events.error(error instanceof Error ? error : new Error(String(error)))
  }
}

function withProgressToken(params: JsonObject | undefined, id: RequestId): JsonObject {
  const meta = params?.['_meta']
  return { ...params, _meta: { ...(isObject(meta) ? meta : {}), progressToken: id } }
}
