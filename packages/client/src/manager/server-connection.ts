import type { Client } from '../client/client.ts'
import type { RequestOptions } from '../options/options.ts'
import { because, ClientError, ConnectionClosedError } from '../errors.ts'
import { RequestObserver } from '../connection/request-observer.ts'
import { abortable, anySignal, type Deferred, deferred, toError, withTimeout } from '../util/promises.ts'
import { shown, unavailable } from './errors.ts'
import { healthCheck } from './health-check.ts'
import { Reconnector, type ReconnectorOptions, type When } from './reconnector.ts'

/** The state of a server. `closed` is final: to connect to the server again, create a new `ServerConnection`. */
export type ServerState = 'connecting' | 'connected' | 'reconnecting' | 'closed'

export interface ServerConnectionOptions extends ReconnectorOptions {
  readonly onOpen: () => void
  /** Called when the manager gives up reconnecting the server. */
  readonly onRemoved: (reason: string) => void
}

const MAX_WAITING = 1_024

/** The connection of one server. It outlives its clients: each reconnect creates a new client. */
export class ServerConnection {
  client: Client | undefined
  readonly #server: ServerConnectionOptions
  readonly #name: string
  readonly #life = new AbortController()
  readonly #reconnector: Reconnector
  readonly #observer: RequestObserver | undefined
  readonly #checkHealth: ReturnType<typeof healthCheck>
  /** The promises that must settle before the server is closed. They never reject. */
  readonly #work = new Set<Promise<void>>()
  /** The client for which requests are waiting during a reconnect. */
  #next: Deferred<Client> | undefined
  #waiting = 0
  #closing: Promise<void> | undefined

  constructor(server: ServerConnectionOptions) {
    this.#server = server
    this.#name = server.name
    this.#reconnector = new Reconnector(server, this.life)
    const { client: { telemetry } = {}, clock } = server.options
    const onError = (error: Error): void => server.emit('error', { server: server.name, error })
    this.#observer = telemetry && new RequestObserver(telemetry, clock, onError)
    this.#checkHealth = healthCheck(this, clock)
  }

  get state(): ServerState {
    if (this.life.aborted) return 'closed'
    if (this.client !== undefined) return 'connected'
    return this.#next === undefined ? 'connecting' : 'reconnecting'
  }

  get attempts(): number {
    return this.#reconnector.attempts
  }

  /** Aborts when the server is closed or the manager gives up on it. */
  get life(): AbortSignal {
    return this.#life.signal
  }

  /** Connects for the first time. A failure closes the server. */
  connect(signal: AbortSignal | undefined): Promise<void> {
    const connected = this.#connect(signal)
    this.#track(connected)
    return connected
  }

  async #connect(signal: AbortSignal | undefined): Promise<void> {
    try {
      await this.#adopt(await this.#server.open(anySignal(this.life, signal)))
    } catch (error) {
      this.#end(unavailable(this.#name, 'could not be connected', error))
      throw error
    }
    this.#server.emit('connected', { server: this.#name })
    this.#checkAlive()
  }

  /** Handles the end of a client's connection. */
  lost(client: Client): void {
    if (this.client !== client || this.life.aborted) return
    this.#reconnector.lost()
    this.#replace(client, 'backoff')
  }

  /** Replaces the connection. If an attempt to reconnect is waiting, starts it immediately. */
  async reconnect(signal: AbortSignal | undefined): Promise<void> {
    this.#reconnector.retryNow()
    if (this.client !== undefined) this.#replace(this.client, 'immediate')
    if (this.#next === undefined) throw this.#notConnected()
    await abortable(this.#next.promise, signal)
  }

  /**
   * Runs a request. If it is certain that the request was not processed, repeats it once.
   * @throws ClientError `unavailable`
   */
  async run<T>(
    send: (client: Client, options: RequestOptions) => Promise<T>,
    options: RequestOptions,
  ): Promise<T> {
    const client = await this.#ready(options.signal)
    try {
      return await send(client, options)
    } catch (error) {
      const checked = this.#check(client, error)
      if (!(error instanceof ClientError) || !error.unprocessed) throw this.#explain(error)
      await abortable(checked, options.signal)
    }
    const again = await this.#ready(options.signal)
    try {
      return await send(again, options)
    } catch (error) {
      void this.#check(again, error)
      throw this.#explain(error)
    }
  }

  /**
   * Ends the connection, all attempts to reconnect, and everything that is waiting. Can be called repeatedly.
   */
  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  async #close(): Promise<void> {
    this.#end(unavailable(this.#name, 'has been closed'))
    while (this.#work.size > 0) await Promise.all(this.#work)
  }

  #end(reason: ClientError): void {
    if (this.life.aborted) return
    const client = this.client
    this.client = undefined
    this.#life.abort(reason)
    this.#next?.reject(reason)
    this.#next = undefined
    if (client !== undefined) this.#track(client.close())
  }

  #notConnected(): unknown {
    return this.life.aborted ? this.life.reason : unavailable(this.#name, 'is still connecting')
  }

  #track(work: Promise<unknown>): void {
    const tracked: Promise<void> = work
      .catch(() => {})
      .then(() => {
        this.#work.delete(tracked)
      })
    this.#work.add(tracked)
  }

  async #adopt(client: Client): Promise<void> {
    if (this.life.aborted) {
      await client.close()
      throw this.life.reason
    }
    this.client = client
    this.#reconnector.connected()
    this.#server.onOpen()
    this.#next?.resolve(client)
    this.#next = undefined
  }

  /** Checks whether the connection has already ended, because that may happen before a listener is added. */
  #checkAlive(): void {
    if (this.client?.isAlive === false) this.lost(this.client)
  }

  #replace(client: Client, when: When): void {
    this.client = undefined
    this.#next = deferred()
    const closed = client.close().catch((error: unknown) => {
      this.#server.emit('error', { server: this.#name, error: toError(error) })
    })
    this.#track(closed)
    const reopen = (): Promise<void> => this.#reopen(closed, when)
    this.#track(this.#observer === undefined ? reopen() : this.#observer.apart(reopen))
  }

  async #reopen(closed: Promise<void>, when: When): Promise<void> {
    const result = await this.#reconnector.run(closed, when)
    if ('reason' in result) {
      if (this.life.aborted) return
      this.#end(unavailable(this.#name, 'has been removed', result.last))
      this.#server.onRemoved(result.reason)
      return
    }
    await this.#adopt(result.client)
    this.#server.emit('reconnected', { server: this.#name, attempt: result.attempt })
    this.#checkAlive()
  }

  async #ready(signal: AbortSignal | undefined): Promise<Client> {
    this.#checkAlive()
    if (this.client !== undefined) return this.client
    const next = this.#next
    if (next === undefined) throw this.#notConnected()
    if (this.#waiting >= MAX_WAITING)
      throw unavailable(this.#name, `is being reconnected, and ${MAX_WAITING} requests wait for it already`)
    this.#waiting++
    try {
      const { clock, reconnectWaitMs: ms } = this.#server.options
      const late = () => unavailable(this.#name, `is being reconnected, which takes more than ${ms} ms`)
      return await withTimeout(abortable(next.promise, signal), { ms, clock, late })
    } finally {
      this.#waiting--
    }
  }

  #check(client: Client, error: unknown): Promise<void> {
    const checked = this.#checkHealth(client, error)
    this.#track(checked)
    return checked
  }

  /** Converts an error so that the caller learns that the request may have been processed. */
  #explain(error: unknown): unknown {
    if (!(error instanceof ConnectionClosedError)) return error
    if (this.life.aborted) return this.life.reason
    if (error.unprocessed) return error
    return new ConnectionClosedError(
      `The connection to the server ${shown(this.#name)} ended before the response: the request may have been processed, and is not sent again${because(error.close)}`,
      error.close,
    )
  }
}
