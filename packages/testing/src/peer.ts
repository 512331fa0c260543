import {
  isObject,
  type JsonObject,
  type JsonRpcErrorObject,
  type JsonRpcNotification,
  Method,
  Notification,
  type RequestId,
} from '@jetway/core/protocol'
import type { Transport, TransportClose } from '@jetway/core/transport'
import { HttpStatusError } from './http-transport.ts'
import { parse } from './record-transport.ts'

/** An answer as it came: `result`, or `error`. */
export interface RawResponse {
  readonly id: RequestId
  readonly result?: JsonObject
  readonly error?: JsonRpcErrorObject
}

/** How a test client opens its session. */
export interface PeerOptions {
  /** The revision that `initialize` asks for. */
  readonly revision: string
  /** @default {} */
  readonly capabilities?: JsonObject
  /** Answers what the server asks, other than `ping`: a result, or undefined for "method not found". */
  readonly onRequest?: (
    method: string,
    params: JsonObject | undefined,
  ) => JsonObject | undefined | Promise<JsonObject | undefined>
}

/** A client that says exactly what it is told to, and keeps everything it hears. */
export interface TestConnection {
  /** The result of `initialize`. */
  readonly initialized: JsonObject
  /** Every notification so far, in order. */
  readonly notifications: readonly JsonRpcNotification[]
  /** Whatever was no answer to a request of this client, no notification and no request. */
  readonly strays: readonly unknown[]
  /** Resolves to the answer, an error too; rejects when the connection ends first. `id` defaults to a counter. */
  request(method: string, params?: JsonObject, options?: { readonly id?: RequestId }): Promise<RawResponse>
  notify(method: string, params?: JsonObject): Promise<void>
  /** Sends any text, for example one that is no message. */
  raw(text: string): Promise<void>
  /** Resolves to the first notification that fits, among those that have come and those that will. */
  notification(method: string, fits?: (params: JsonObject) => boolean): Promise<JsonRpcNotification>
  close(): Promise<void>
  /** Resolves when either side has ended. */
  readonly closed: Promise<TransportClose>
}

interface Waiting {
  resolve(response: RawResponse): void
  reject(error: unknown): void
}

/** Opens a session over a transport: `initialize`, then `notifications/initialized`. */
export async function connectPeer(transport: Transport, options: PeerOptions): Promise<TestConnection> {
  const peer = new Peer(transport, options)
  await peer.open()
  return peer
}

class Peer implements TestConnection {
  readonly notifications: JsonRpcNotification[] = []
  readonly strays: unknown[] = []
  readonly closed: Promise<TransportClose>
  readonly #transport: Transport
  readonly #options: PeerOptions
  readonly #waiting = new Map<RequestId, Waiting>()
  readonly #watchers = new Set<(notification: JsonRpcNotification) => void>()
  initialized: JsonObject = {}
  #nextId = 1
  #end: ((reason: TransportClose) => void) | undefined
  #headers: Record<string, string> | undefined

  constructor(transport: Transport, options: PeerOptions) {
    this.#transport = transport
    this.#options = options
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
    const clientInfo = { name: 'jetway-testing', version: '0.0.0' }
    const { result, error } = await this.request(Method.Initialize, {
      protocolVersion: revision,
      capabilities,
      clientInfo,
    })
    if (result === undefined) throw new Error(`initialize was refused: ${JSON.stringify(error)}`)
    this.initialized = result
    this.#headers = { 'mcp-protocol-version': String(result['protocolVersion']) }
    await this.notify(Notification.Initialized)
  }

  request(
    method: string,
    params?: JsonObject,
    options: { readonly id?: RequestId } = {},
  ): Promise<RawResponse> {
    const id = options.id ?? this.#nextId++
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#send({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) }).catch(
        (error: unknown) => {
          this.#waiting.delete(id)
          reject(error)
        },
      )
    })
  }

  notify(method: string, params?: JsonObject): Promise<void> {
    return this.#send({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) })
  }

  async raw(text: string): Promise<void> {
    try {
      await this.#write(text)
    } catch (error) {
      // Over HTTP this is the answer to what is no request; elsewhere it comes as a message of its own.
      const answer = error instanceof HttpStatusError ? parse(error.body) : undefined
      if (answer === undefined) throw error
      this.strays.push(answer)
    }
  }

  notification(
    method: string,
    fits: (params: JsonObject) => boolean = () => true,
  ): Promise<JsonRpcNotification> {
    const matches = (notification: JsonRpcNotification): boolean =>
      notification.method === method && fits(notification.params ?? {})
    const known = this.notifications.find(matches)
    if (known !== undefined) return Promise.resolve(known)
    return new Promise((resolve) => {
      const watcher = (notification: JsonRpcNotification): void => {
        if (!matches(notification)) return
        this.#watchers.delete(watcher)
        resolve(notification)
      }
      this.#watchers.add(watcher)
    })
  }

  close(): Promise<void> {
    return this.#transport.close()
  }

  #send(message: object): Promise<void> {
    return this.#write(JSON.stringify(message))
  }

  async #write(text: string): Promise<void> {
    await this.#transport.send(text, this.#headers === undefined ? {} : { headers: this.#headers })
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
      this.notifications.push(notification)
      for (const watcher of this.#watchers) watcher(notification)
    }
  }

  #answer(message: JsonObject): void {
    const id = message['id'] as RequestId
    const waiting = this.#waiting.get(id)
    // A second answer to one request ends here as well.
    if (waiting === undefined) this.strays.push(message)
    this.#waiting.delete(id)
    waiting?.resolve(message as unknown as RawResponse)
  }

  async #respond(id: RequestId, method: string, params: JsonObject | undefined): Promise<void> {
    const result = method === Method.Ping ? {} : await this.#options.onRequest?.(method, params)
    const answer =
      result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result }
    await this.#send({ jsonrpc: '2.0', id, ...answer })
  }

  #closed(reason: TransportClose): void {
    for (const waiting of this.#waiting.values())
      waiting.reject(new Error('The connection ended before the answer came'))
    this.#waiting.clear()
    this.#end?.(reason)
  }
}
