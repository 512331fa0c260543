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
  SUBSCRIPTION_ID,
} from '@jetway/core/protocol'
import type { Clock } from '@jetway/core/stores'
import {
  because,
  ClientError,
  ConnectionClosedError,
  invalidResponse,
  RequestTimeoutError,
} from '../errors.ts'
import type { RequestObserver } from './request-observer.ts'
import type { ClientTransport, TransportClose } from '../transport/client-transport.ts'
import { isFiniteNumber } from '../util/numbers.ts'
import { abortable, abortingAfter, toError } from '../util/promises.ts'
import { InboundRequests } from './inbound-requests.ts'
import { PendingRequest, type RequestSettings } from './pending-request.ts'

export type { RequestSettings }

export interface ConnectionHandlers {
  notification(message: JsonRpcNotification): void
  /**
   * Handles a request. Returns undefined if no response should be sent. A rejection becomes a JSON-RPC error.
   */
  request(message: JsonRpcRequest, context: { readonly signal: AbortSignal }): Promise<JsonObject> | undefined
  readonly error: (error: Error) => void
  closed(reason: TransportClose): void
}

export interface NotifySettings {
  /** The time limit for sending the notification, in ms. @default 60_000 */
  readonly timeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** The request whose connection is used to send the notification. */
  readonly relatedTo?: RequestId
}

/**
 * The number of ignored messages of each kind: late or unknown responses, progress and requests that were not
 * expected, and malformed messages.
 */
export type IgnoredMessages = Readonly<Record<'responses' | 'progress' | 'requests' | 'malformed', number>>

export const NOTHING_IGNORED: IgnoredMessages = { responses: 0, progress: 0, requests: 0, malformed: 0 }

const MAX_PENDING = 1024
const MAX_BATCH = 1024
const NOTIFY_TIMEOUT_MS = 60_000

/** JSON-RPC over one transport: matches responses to requests, and applies the requests' time limits. */
export class Connection {
  /** The negotiated revision; undefined during the handshake. */
  revision: Revision | undefined
  readonly transport: ClientTransport
  /**
   * The id of the next request. Ids must not repeat within a session, so a resumed
   * session continues the count.
   */
  nextId = 1
  closed: TransportClose | undefined
  readonly #handlers: ConnectionHandlers
  readonly #clock: Clock
  readonly #observer: RequestObserver | undefined
  readonly #pending = new Map<RequestId, PendingRequest>()
  readonly #inbound: InboundRequests
  readonly ignored: { -readonly [K in keyof IgnoredMessages]: number } = { ...NOTHING_IGNORED }

  constructor(
    transport: ClientTransport,
    { clock, observer }: { readonly clock: Clock; readonly observer: RequestObserver | undefined },
    handlers: ConnectionHandlers,
  ) {
    this.transport = transport
    this.#clock = clock
    this.#observer = observer
    this.#handlers = handlers
    this.#inbound = new InboundRequests({
      handle: (request, context) => {
        const handled = handlers.request(request, context)
        if (handled === undefined) this.ignored.requests++
        return handled
      },
      send: (message, relatedTo) => this.#respond(message, relatedTo),
      pause: (relatedTo) => this.#pause(relatedTo),
    })
  }

  get pending(): number {
    return this.#pending.size
  }

  async start(): Promise<void> {
    await this.apart(() =>
      this.transport.start({
        message: (value, relatedTo) => this.#receive(value, relatedTo),
        malformed: (reason, request) => this.#malformed(reason, request),
        requestFailed: (request, error) => this.#take(request)?.fail(error),
        close: (reason) => this.#end(reason),
      }),
    )
  }

  /** Tells the transport that it may open a stream. */
  negotiated(revision: Revision): void {
    this.revision = revision
    this.apart(() => this.transport.negotiated?.(revision))
  }

  /** Runs a step outside any trace, because the step outlives the request that started it. */
  apart<T>(step: () => T): T {
    return this.#observer === undefined ? step() : this.#observer.apart(step)
  }

  /** Sends a request. @throws McpError for an error from the server, ClientError for any other failure */
  async request(
    method: string,
    params: JsonObject | undefined,
    settings: RequestSettings,
  ): Promise<JsonObject> {
    if (this.closed !== undefined)
      throw new ConnectionClosedError(
        `${method}: the connection is closed${because(this.closed)}`,
        this.closed,
        {
          unprocessed: true,
        },
      )
    settings.signal?.throwIfAborted()
    if (this.#pending.size >= MAX_PENDING)
      throw new ClientError('too-many-calls', `${method}: ${MAX_PENDING} requests have no response yet`)
    const id = this.nextId++
    if (this.#observer === undefined) return this.#request(id, method, params, settings)
    return this.#observer.request(this, { id, method, params }, settings, (...sent) =>
      this.#request(id, method, ...sent),
    )
  }

  #request(
    id: number,
    method: string,
    params: JsonObject | undefined,
    settings: RequestSettings,
  ): Promise<JsonObject> {
    const request = new PendingRequest(id, method, settings, this.#clock, (abandoned, reason) =>
      this.#abandon(abandoned, reason, settings),
    )
    this.#pending.set(id, request)
    request.start()
    settings.onId?.(id)
    const sent = settings.onProgress === undefined ? params : withProgressToken(params, id)
    this.#send(
      { jsonrpc: '2.0', id, method, ...(sent !== undefined && { params: sent }) },
      {
        revision: this.revision,
        signal: request.released.signal,
        headers: settings.headers,
        longLived: settings.longLived,
      },
    ).catch((error: unknown) => {
      this.#pending.delete(id)
      request.fail(error)
    })
    return request.response
  }

  /** Sends a notification. @throws RequestTimeoutError if the transport cannot send it in time */
  async notify(method: string, params: JsonObject | undefined, settings: NotifySettings): Promise<void> {
    if (this.closed !== undefined) throw new ConnectionClosedError('The connection is closed', this.closed)
    const { timeoutMs: ms = NOTIFY_TIMEOUT_MS, relatedTo } = settings
    const message = { jsonrpc: '2.0', method, ...(params !== undefined && { params }) } as const
    const late = (): Error => new RequestTimeoutError(method, ms)
    await abortingAfter({ ms, clock: this.#clock, late, signal: settings.signal }, (signal) =>
      abortable(this.#send(message, { revision: this.revision, relatedTo, signal }), signal),
    )
  }

  async close(): Promise<void> {
    this.#end({ kind: 'end' })
    await this.transport.close()
  }

  /** Sends a message. The function is async, so that errors thrown by the transport become rejections. */
  async #send(...args: Parameters<ClientTransport['send']>): Promise<void> {
    await this.transport.send(...args)
  }

  /** Finds the request with this id. Some servers return the id as a string. */
  #find(id: RequestId | undefined): PendingRequest | undefined {
    if (id === undefined) return undefined
    return this.#pending.get(id) ?? this.#pending.get(Number(id))
  }

  #take(id: RequestId | undefined): PendingRequest | undefined {
    const request = this.#find(id)
    if (request !== undefined) this.#pending.delete(request.id)
    return request
  }

  /** Cancels an abandoned request. Over HTTP without sessions, a request is cancelled by ending its stream. */
  #abandon(request: PendingRequest, reason: unknown, settings: RequestSettings): void {
    this.#pending.delete(request.id)
    if (settings.uncancellable === true || this.closed !== undefined) return
    if (this.transport.streamPerRequest && this.revision?.cancelOnDisconnect === true) return
    const { observed, timeoutMs } = settings
    const text = reason instanceof Error ? reason.message : 'The caller has aborted the request'
    const meta = observed?.meta
    const params = {
      requestId: request.id,
      reason: text.slice(0, 256),
      ...(meta !== undefined && { _meta: meta }),
    }
    const cancel = (): Promise<void> =>
      this.notify(Notification.Cancelled, params, { relatedTo: request.id, timeoutMs })
    const sent = observed === undefined ? cancel() : observed.within(cancel)
    sent.catch(this.#report)
  }

  #receive(value: unknown, relatedTo: RequestId | undefined): void | Promise<void> {
    if (this.closed !== undefined) return
    if (!Array.isArray(value)) return this.#receiveOne(value, relatedTo)
    for (const each of value.slice(0, MAX_BATCH)) void this.#receiveOne(each, relatedTo)
    if (value.length > MAX_BATCH) this.#malformed(`a batch of ${value.length} messages`)
  }

  #receiveOne(value: unknown, relatedTo: RequestId | undefined): void | Promise<void> {
    const incoming = classify(value)
    switch (incoming.kind) {
      case 'response':
        return this.#response(incoming.message, relatedTo)
      case 'notification':
        return this.#notification(incoming.message)
      case 'request':
        return this.#inbound.handle(incoming.message, relatedTo)
      case 'invalid':
        return this.#malformed(incoming.reason, requestOf(value, relatedTo))
    }
  }

  #response(message: JsonRpcResponse, relatedTo: RequestId | undefined): void {
    const request = this.#take(
      message.id ?? ('error' in message ? (relatedTo ?? this.#onlyRequest()) : undefined),
    )
    if (request === undefined) {
      this.ignored.responses++
      return
    }
    if ('result' in message) return request.resolve(message.result)
    const { code, message: text, data } = message.error
    request.fail(new McpError(code, text, data))
  }

  /**
   * Returns the only pending request, if an error without an id may belong to it. Some servers send such errors
   * for messages that they cannot read.
   */
  #onlyRequest(): RequestId | undefined {
    const [only, ...others] = this.#pending.keys()
    return others.length === 0 ? only : undefined
  }

  #malformed(reason: string, id?: RequestId): void {
    this.ignored.malformed++
    const request = this.#take(id)
    if (request === undefined)
      this.#report(new ClientError('invalid-response', `The server sent an invalid message: ${reason}`))
    else request.fail(invalidResponse(request.method, reason))
  }

  #notification(message: JsonRpcNotification): void {
    const { method, params = {} } = message
    if (method === Notification.Progress) return this.#progress(params)
    if (method === Notification.Cancelled && this.#inbound.cancel(params['requestId'])) return
    if (method === Notification.Acknowledged) this.#acknowledged(params)
    this.#guard(() => this.#handlers.notification(message))
  }

  #acknowledged({ _meta: meta }: JsonObject): void {
    const id = isObject(meta) ? meta[SUBSCRIPTION_ID] : undefined
    if (isRequestId(id)) this.#find(id)?.acknowledged()
  }

  #progress(params: JsonObject): void {
    const { progressToken, progress, total, message } = params
    const request = isRequestId(progressToken) ? this.#find(progressToken) : undefined
    if (request === undefined || !isFiniteNumber(progress)) {
      this.ignored.progress++
      return
    }
    const report = {
      progress,
      ...(isFiniteNumber(total) && { total }),
      ...(typeof message === 'string' && { message }),
    }
    this.#guard(() => {
      if (!request.progress(report)) this.ignored.progress++
    })
  }

  async #respond(message: JsonRpcMessage, relatedTo: RequestId | undefined): Promise<void> {
    if (this.closed !== undefined) return
    await this.#send(message, { revision: this.revision, relatedTo }).catch(this.#report)
  }

  /**
   * Pauses the request on whose stream the server's request arrived. If that request is unknown, pauses all
   * requests.
   */
  #pause(relatedTo: RequestId | undefined): () => void {
    const related = relatedTo === undefined ? undefined : this.#pending.get(relatedTo)
    const requests = related === undefined ? [...this.#pending.values()] : [related]
    for (const request of requests) request.pause()
    return () => {
      for (const request of requests) request.resume()
    }
  }

  #end(reason: TransportClose): void {
    if (this.closed !== undefined) return
    this.closed = reason
    const requests = [...this.#pending.values()]
    this.#pending.clear()
    for (const request of requests)
      request.fail(
        new ConnectionClosedError(
          `${request.method}: the connection ended before the response${because(reason)}`,
          reason,
        ),
      )
    this.#inbound.closeAll()
    this.#guard(() => this.#handlers.closed(reason))
  }

  /** Reports errors that a callback throws, so that reading can continue. */
  #guard(run: () => void): void {
    try {
      run()
    } catch (error) {
      this.#report(error)
    }
  }

  readonly #report = (error: unknown): void => this.#handlers.error(toError(error))
}

/**
 * Returns the request to which a malformed response belongs. The request must fail, because no other response
 * will arrive.
 */
function requestOf(value: unknown, relatedTo: RequestId | undefined): RequestId | undefined {
  if (!isObject(value)) return relatedTo
  if ('method' in value) return undefined
  return isRequestId(value['id']) ? value['id'] : relatedTo
}

function withProgressToken(params: JsonObject | undefined, id: RequestId): JsonObject {
  const meta = params?.['_meta']
  return { ...params, _meta: { ...(isObject(meta) ? meta : {}), progressToken: id } }
}
