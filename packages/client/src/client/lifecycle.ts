import type { Implementation, JsonObject, JsonRpcRequest } from '@jetway/core/protocol'
import type { Connection, ConnectionHandlers } from '../connection/connection.ts'
import type { Dialect } from '../dialect/dialect.ts'
import { because, ClientError, ConnectionClosedError } from '../errors.ts'
import { ClientInput } from '../input/client-input.ts'
import { RequestObserver } from '../connection/request-observer.ts'
import type { ConnectTarget, TransportClose } from '../transport/client-transport.ts'
import { Emitter } from '../util/emitter.ts'
import { anySignal, type Deferred, deferred } from '../util/promises.ts'
import { connect } from './connect.ts'
import { type ClientEvents, type ClientListener, emitNotification } from './events.ts'
import type { ResolvedOptions } from '../options/options.ts'
import type { SavedSession } from './saved-session.ts'

export interface ConnectCallOptions {
  /** Aborts the attempt. It has no effect on an open connection. */
  readonly signal?: AbortSignal
  /**
   * A session that an earlier client saved. No request is sent to resume it. If the server has lost the
   * session, the first request opens a new one.
   */
  readonly session?: SavedSession
}

/** The `logger` field of log events that the client itself emits. */
const LOGGER = '@jetway/client'

/** A client's connection from `connect` to `close`, and the events to which the host listens. */
export class Lifecycle {
  readonly #info: Implementation
  readonly #options: ResolvedOptions
  readonly #events = new Emitter<ClientEvents>((event, error) => {
    if (event !== 'error') this.#onError(error)
  })
  /** Answers requests from the server. */
  readonly input: ClientInput
  readonly #observer: RequestObserver | undefined
  readonly #closed: Deferred<TransportClose> = deferred()
  /** Aborts when the client is closed, so that a pending `connect` stops. */
  readonly #life = new AbortController()
  #connecting: { readonly target: unknown; readonly done: Promise<void> } | undefined
  #connection: Connection | undefined
  #dialect: Dialect | undefined
  #closeReason: TransportClose | undefined
  #closing: Promise<void> | undefined

  constructor(info: Implementation, options: ResolvedOptions) {
    this.#info = info
    this.#options = options
    const { telemetry, clock } = options
    this.#observer = telemetry && new RequestObserver(telemetry, clock, this.#onError)
    this.input = new ClientInput({
      options,
      server: () => this.#dialect?.server.info,
      onError: this.#onError,
    })
  }

  /** Undefined until {@link connect} has resolved. */
  get dialect(): Dialect | undefined {
    return this.#dialect
  }

  /** The connection. It is already set during the handshake. */
  /** Undefined until {@link connect} has resolved. */
  get connection(): Connection | undefined {
    return this.#connection
  }

  /** A promise that resolves with the reason when the connection has ended. */
  get closed(): Promise<TransportClose> {
    return this.#closed.promise
  }

  /** Returns the dialect of the open connection. @throws ConnectionClosedError, ClientError `not-connected` */
  connected(): Dialect {
    if (this.#closeReason !== undefined)
      throw new ConnectionClosedError(
        `The connection is closed${because(this.#closeReason)}`,
        this.#closeReason,
        { unprocessed: true },
      )
    if (this.#dialect !== undefined) return this.#dialect
    throw new ClientError('not-connected', 'The client is not connected: call connect() first')
  }

  async connect(target: ConnectTarget, options: ConnectCallOptions): Promise<void> {
    if (this.#closing !== undefined || this.#closeReason !== undefined)
      throw new ConnectionClosedError('The client is closed: create a new one', this.#closeReason)
    if (this.#connecting !== undefined && this.#connecting.target !== target)
      throw new TypeError('The client is connected to another target: create a new client')
    this.#connecting ??= { target, done: this.#connect(target, options) }
    try {
      await this.#connecting.done
    } catch (error) {
      this.#connecting = undefined
      throw error
    }
  }

  async #connect(target: ConnectTarget, { signal, session }: ConnectCallOptions) {
    const dialect = await connect(target, {
      info: this.#info,
      options: this.#options,
      signal: anySignal(signal, this.#life.signal),
      session,
      handlers: this.#handlers,
      observer: this.#observer,
      onError: this.#onError,
      onLog: (data) => this.#events.emit('log', { level: 'info', logger: LOGGER, data }),
      onChangesMissed: () => this.#events.emit('changesMissed', undefined),
      onConnection: (connection) => (this.#connection = connection),
    })
    const { closed } = dialect.connection
    if (closed !== undefined)
      throw new ConnectionClosedError(`The connection ended at once${because(closed)}`, closed)
    this.#dialect = dialect
    this.#watchLists()
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  async #close(): Promise<void> {
    this.#life.abort(new ConnectionClosedError('The client was closed'))
    this.#dialect?.subscriptions.close?.()
    await this.#connection?.close()
    await this.#connecting?.done.catch(() => {})
    this.#end({ kind: 'end' })
  }

  on<E extends keyof ClientEvents>(event: E, listener: ClientListener<E>): () => void {
    const off = this.#events.on(event, listener)
    this.#watchLists()
    return () => {
      off()
      this.#watchLists()
    }
  }

  readonly #onError = (error: Error): void => this.#events.emit('error', error)

  readonly #handlers: ConnectionHandlers = {
    notification: (message) => {
      if (this.#dialect?.subscriptions.handleNotification?.(message) === true) return
      emitNotification(this.#events, message, (id) => this.input.completions.complete(id))
    },
    request: (message, { signal }) =>
      this.#dialect?.acceptsRequests === false ? undefined : this.#answer(message, signal),
    error: this.#onError,
    closed: (reason) => {
      // If the handshake is still in progress, this connection may be replaced by another one.
      if (this.#dialect !== undefined) this.#end(reason)
    },
  }

  #answer(message: JsonRpcRequest, signal: AbortSignal): Promise<JsonObject> {
    const { method, params = {} } = message
    const answer = (): Promise<JsonObject> => this.input.answer(method, params, signal)
    if (this.#observer === undefined || this.#connection === undefined) return answer()
    const question = { message, signal, known: this.input.handles(method) }
    return this.#observer.receive(this.#connection, question, answer)
  }

  #end(reason: TransportClose): void {
    if (this.#closeReason !== undefined) return
    this.#closeReason = reason
    this.#observer?.closed(reason)
    this.#dialect?.subscriptions.close?.()
    this.input.close(new ConnectionClosedError('The connection is closed', reason))
    this.#closed.resolve(reason)
    this.#events.emit('close', reason)
  }

  /** Subscribes to list changes while there are listeners, in revisions that require a subscription. */
  #watchLists(): void {
    if (this.#closeReason !== undefined) return
    const all = this.#events.has('notification')
    const kinds = (['tools', 'prompts', 'resources'] as const).filter(
      (kind) => all || this.#events.has(`${kind}Changed`),
    )
    this.#dialect?.subscriptions.watchLists?.(new Set(kinds))
  }
}
