import {
  isObject,
  type JsonObject,
  type JsonRpcErrorObject,
  type JsonRpcNotification,
  Method,
  Notification,
  type RequestId,
  REVISIONS,
} from '@jetway/core/protocol'
import type { Transport, TransportClose } from '@jetway/core/transport'
import { HttpStatusError } from './http-transport.ts'
import { mirrorHeaders, type Sender, withMeta } from './modern-request.ts'
import { Notifications } from './notifications.ts'
import { parse } from './record-transport.ts'

/** An unprocessed response, with a `result` or an `error`. */
export interface RawResponse {
  readonly id: RequestId
  readonly result?: JsonObject
  readonly error?: JsonRpcErrorObject
}

/** The options of {@link connectPeer}. */
export interface PeerOptions {
  /** The revision that `initialize` requests. In a revision without sessions, every request contains it. */
  readonly revision: string
  /** @default {} */
  readonly capabilities?: JsonObject
  /** Handles the server's requests, except `ping`. Returns a result, or undefined for "method not found". */
  readonly onRequest?: (
    method: string,
    params: JsonObject | undefined,
  ) => JsonObject | undefined | Promise<JsonObject | undefined>
}

/** A client that sends exactly the messages it is given, and keeps everything that it receives. */
export interface TestConnection {
  /** The result of `initialize`, or of `server/discover` if the revision has no sessions. */
  readonly initialized: JsonObject
  /** All notifications so far, in order. */
  readonly notifications: readonly JsonRpcNotification[]
  /** Messages that were neither a response to this client nor a notification or request. */
  readonly strays: readonly unknown[]
  /**
   * Resolves to the response, which may be an error. Rejects if the connection ends first. By default, ids
   * are numbered.
   */
  request(method: string, params?: JsonObject, options?: { readonly id?: RequestId }): Promise<RawResponse>
  notify(method: string, params?: JsonObject): Promise<void>
  /** Sends any text, even if it is not a message. */
  raw(text: string): Promise<void>
  /** Resolves to the first notification that matches, even if it has already arrived. */
  notification(method: string, fits?: (params: JsonObject) => boolean): Promise<JsonRpcNotification>
  close(): Promise<void>
  /** Resolves when either side has closed. */
  readonly closed: Promise<TransportClose>
}

const CLIENT_INFO = { name: 'jetway-testing', version: '0.0.0' }

interface Waiting {
  resolve(response: RawResponse): void
  reject(error: unknown): void
}

/**
 * Opens a session over a transport by sending `initialize` and then `notifications/initialized`. In a
 * revision without sessions, requests `server/discover` instead, and adds the metadata that the revision
 * requires (and over HTTP, the headers) to every request. A test can add or replace `_meta` fields.
 */
export async function connectPeer(transport: Transport, options: PeerOptions): Promise<TestConnection> {
  const peer = new Peer(transport, options)
  await peer.open()
  return peer
}

class Peer implements TestConnection {
  readonly #notifications = new Notifications()
  readonly notifications: readonly JsonRpcNotification[] = this.#notifications.received
  readonly strays: unknown[] = []
  readonly closed: Promise<TransportClose>
  readonly #transport: Transport
  readonly #options: PeerOptions
  readonly #waiting = new Map<RequestId, Waiting>()
  initialized: JsonObject = {}
  #nextId = 1
  #end: ((reason: TransportClose) => void) | undefined
  #headers: Record<string, string> | undefined
  /** The client info for every request. Undefined in a session. */
  readonly #sender: Sender | undefined

  constructor(transport: Transport, options: PeerOptions) {
    this.#transport = transport
    this.#options = options
    const { revision, capabilities = {} } = options
    const modern = REVISIONS.some(({ version, era }) => version === revision && era === 'modern')
    this.#sender = modern ? { revision, capabilities, clientInfo: CLIENT_INFO } : undefined
    if (modern) this.#headers = { 'mcp-protocol-version': revision }
    this.closed = new Promise((resolve) => {
      this.#end = resolve
    })
  }

  async open(): Promise<void> {
    await this.#transport.start({
      message: (text) => this.#message(text),
      malformed: (reason) => void this.strays.push({ malformed: reason }),
      close: (reason) => this.#closed(reason),
    })
    const { revision, capabilities = {} } = this.#options
    if (this.#sender !== undefined) {
      this.initialized = await this.#introduced(Method.Discover, {})
      return
    }
    const result = await this.#introduced(Method.Initialize, {
      protocolVersion: revision,
      capabilities,
      clientInfo: CLIENT_INFO,
    })
    this.initialized = result
    this.#headers = { 'mcp-protocol-version': String(result['protocolVersion']) }
    await this.notify(Notification.Initialized)
  }

  async #introduced(method: string, params: JsonObject): Promise<JsonObject> {
    const { result, error } = await this.request(method, params)
    if (result === undefined) throw new Error(`${method} was refused: ${JSON.stringify(error)}`)
    return result
  }

  request(
    method: string,
    params?: JsonObject,
    options: { readonly id?: RequestId } = {},
  ): Promise<RawResponse> {
    const id = options.id ?? this.#nextId++
    const sender = this.#sender
    const said = sender === undefined ? params : withMeta(params, sender)
    const headers = sender === undefined ? this.#headers : mirrorHeaders(sender, method, params)
    const message = { jsonrpc: '2.0', id, method, ...(said === undefined ? {} : { params: said }) }
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#write(JSON.stringify(message), headers).catch((error: unknown) => {
        this.#waiting.delete(id)
        reject(error)
      })
    })
  }

  notify(method: string, params?: JsonObject): Promise<void> {
    const message = { jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) }
    const sender = this.#sender
    const headers = sender === undefined ? this.#headers : mirrorHeaders(sender, method, params)
    return this.#write(JSON.stringify(message), headers)
  }

  async raw(text: string): Promise<void> {
    try {
      await this.#write(text, this.#headers)
    } catch (error) {
      // Over HTTP, invalid text causes an error status. On other transports, the error response arrives as a
      // message.
      const answer = error instanceof HttpStatusError ? parse(error.body) : undefined
      if (answer === undefined) throw error
      this.strays.push(answer)
    }
  }

  notification(method: string, fits?: (params: JsonObject) => boolean): Promise<JsonRpcNotification> {
    return this.#notifications.next(method, fits)
  }

  close(): Promise<void> {
    return this.#transport.close()
  }

  async #write(text: string, headers: Record<string, string> | undefined): Promise<void> {
    await this.#transport.send(text, headers === undefined ? {} : { headers })
  }

  async #message(text: string): Promise<void> {
    const value = parse(text)
    for (const message of Array.isArray(value) ? value : [value]) await this.#one(message)
  }

  async #one(message: unknown): Promise<void> {
    if (!isObject(message)) {
      this.strays.push(message)
    } else if (typeof message['method'] !== 'string') {
      this.#answer(message)
    } else if ('id' in message) {
      await this.#respond(
        message['id'] as RequestId,
        message['method'],
        message['params'] as JsonObject | undefined,
      )
    } else {
      const notification = message as unknown as JsonRpcNotification
      this.#notifications.add(notification)
    }
  }

  #answer(message: JsonObject): void {
    const id = message['id'] as RequestId
    const waiting = this.#waiting.get(id)
    // A second response to the same request is recorded here as well.
    if (waiting === undefined) this.strays.push(message)
    this.#waiting.delete(id)
    waiting?.resolve(message as unknown as RawResponse)
  }

  async #respond(id: RequestId, method: string, params: JsonObject | undefined): Promise<void> {
    const result = method === Method.Ping ? {} : await this.#options.onRequest?.(method, params)
    const answer =
      result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result }
    await this.#write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }), this.#headers)
  }

  #closed(reason: TransportClose): void {
    for (const waiting of this.#waiting.values())
      waiting.reject(new Error('The connection ended before the response arrived'))
    this.#waiting.clear()
    this.#end?.(reason)
  }
}
