import type { Client } from '../client.ts'
import { ClientError, ConnectionClosedError } from '../errors.ts'
import type { RequestOptions } from '../options.ts'
import { type Deferred, deferred, orAborted, toError, within } from '../waiting.ts'
import { shown, unavailable } from './errors.ts'
import { LookingAfter } from './looking-after.ts'
import { Reconnecting, type ReconnectingOptions, type When } from './reconnecting.ts'

/** Where a server stands. From `closed` there is no way back: whoever connects again makes another one. */
export type ServerState = 'connecting' | 'connected' | 'reconnecting' | 'closed'

export interface ManagedServerOptions extends Omit<ReconnectingOptions, 'server' | 'life'> {
  readonly name: string
  /** Ms that a request waits for a connection that is being opened again. */
  readonly waitMs: number
  /** There is a connection, maybe another one than before. */
  readonly opened: () => void
  /** The server is given up. */
  readonly removed: (reason: string) => void
}

/** Requests that wait for one server to come back. */
const MAX_WAITING = 1_024

/** One server over all its connections: each client is for one. */
export class ManagedServer {
  readonly name: string
  readonly #options: ManagedServerOptions
  readonly #life = new AbortController()
  readonly #reconnecting: Reconnecting
  readonly #lookingAfter: LookingAfter
  /** What is still being done for the server, and has to end before it is closed. None of it rejects. */
  readonly #work = new Set<Promise<void>>()
  #client: Client | undefined
  /** The connection that requests wait for, while the server is being reconnected. */
  #next: Deferred<Client> | undefined
  #waiting = 0
  #closing: Promise<void> | undefined

  constructor(options: ManagedServerOptions) {
    const { name, clock, random, reconnect, emit, open } = options
    const { life } = this
    this.name = name
    this.#options = options
    this.#reconnecting = new Reconnecting({ server: name, clock, random, reconnect, emit, open, life })
    this.#lookingAfter = new LookingAfter({
      clock,
      life,
      isCurrent: (client) => client === this.#client,
      gone: (client) => this.lost(client),
    })
  }

  get state(): ServerState {
    if (this.life.aborted) return 'closed'
    if (this.#client !== undefined) return 'connected'
    return this.#next === undefined ? 'connecting' : 'reconnecting'
  }

  /** The connection that there is. */
  get client(): Client | undefined {
    return this.#client
  }

  get attempts(): number {
    return this.#reconnecting.attempts
  }

  /** Aborts when the server is closed or given up. */
  get life(): AbortSignal {
    return this.#life.signal
  }

  /** Connects for the first time. There is one attempt; where it fails the server is closed. */
  connect(signal: AbortSignal | undefined): Promise<void> {
    const connected = this.#connect(signal)
    this.#track(connected)
    return connected
  }

  async #connect(signal: AbortSignal | undefined): Promise<void> {
    const all = signal === undefined ? this.life : AbortSignal.any([this.life, signal])
    try {
      await this.#adopt(await this.#options.open(all))
    } catch (error) {
      this.#end(unavailable(this.name, 'could not be connected', error))
      throw error
    }
    this.#options.emit('mcp_connected', { server: this.name })
    this.#notice()
  }

  /** The connection has ended. Nothing where it is another one than there is. */
  lost(client: Client): void {
    if (this.#client !== client || this.life.aborted) return
    this.#reconnecting.lost()
    this.#leave(client, 'in time')
  }

  /** Ends the connection there is, and opens another one at once; or has the next attempt begin now. */
  async reconnect(signal: AbortSignal | undefined): Promise<void> {
    this.#reconnecting.hurry()
    if (this.#client !== undefined) this.#leave(this.#client, 'at once')
    if (this.#next === undefined) throw this.#notThere()
    await orAborted(this.#next.promise, signal)
  }

  /**
   * Runs a request on the connection there is; waits for one that is being opened. Where the request certainly has not
   * begun it is run once more.
   *
   * @throws ClientError `unavailable`; what the request throws
   */
  async run<T>(
    ask: (client: Client, options: RequestOptions) => Promise<T>,
    options: RequestOptions,
  ): Promise<T> {
    const client = await this.#ready(options.signal)
    try {
      return await ask(client, options)
    } catch (error) {
      const known = this.#lookAfter(client, error)
      if (!(error instanceof ClientError) || !error.unprocessed) throw this.#said(error)
      await orAborted(known, options.signal)
    }
    const again = await this.#ready(options.signal)
    try {
      return await ask(again, options)
    } catch (error) {
      void this.#lookAfter(again, error)
      throw this.#said(error)
    }
  }

  /** Ends everything: the connection, attempts to open one, and whatever waits. Safe to call again. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  async #close(): Promise<void> {
    this.#end(unavailable(this.name, 'has been closed'))
    while (this.#work.size > 0) await Promise.all(this.#work)
  }

  #end(reason: ClientError): void {
    if (this.life.aborted) return
    const client = this.#client
    this.#client = undefined
    this.#life.abort(reason)
    this.#next?.reject(reason)
    this.#next = undefined
    if (client !== undefined) this.#track(client.close())
  }

  #notThere(): unknown {
    return this.life.aborted ? this.life.reason : unavailable(this.name, 'is still being connected')
  }

  /** Keeps what runs until it is over, whatever it comes to. */
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
    this.#client = client
    this.#reconnecting.connected()
    this.#options.opened()
    this.#next?.resolve(client)
    this.#next = undefined
  }

  /** Some end as soon as they are there, before anybody could hear of it. */
  #notice(): void {
    if (this.#client?.isAlive === false) this.lost(this.#client)
  }

  #leave(client: Client, when: When): void {
    this.#client = undefined
    this.#next = deferred()
    const closed = client.close().catch((error: unknown) => {
      this.#options.emit('mcp_error', { server: this.name, error: toError(error) })
    })
    this.#track(closed)
    this.#track(this.#reopen(closed, when))
  }

  async #reopen(closed: Promise<void>, when: When): Promise<void> {
    const outcome = await this.#reconnecting.run(closed, when)
    if ('reason' in outcome) return this.#giveUp(outcome.reason, outcome.last)
    await this.#adopt(outcome.client)
    this.#options.emit('mcp_reconnected', { server: this.name, attempt: outcome.attempt })
    this.#notice()
  }

  #giveUp(reason: string, last: Error | undefined): void {
    if (this.life.aborted) return
    this.#end(unavailable(this.name, 'has been removed', last))
    this.#options.removed(reason)
  }

  async #ready(signal: AbortSignal | undefined): Promise<Client> {
    this.#notice()
    if (this.#client !== undefined) return this.#client
    const next = this.#next
    if (next === undefined) throw this.#notThere()
    if (this.#waiting >= MAX_WAITING)
      throw unavailable(this.name, `is being reconnected, and ${MAX_WAITING} requests wait for it already`)
    this.#waiting++
    try {
      const { clock, waitMs: ms } = this.#options
      const late = (): Error => unavailable(this.name, `is being reconnected, which takes more than ${ms} ms`)
      return await within(orAborted(next.promise, signal), { ms, clock, late })
    } finally {
      this.#waiting--
    }
  }

  #lookAfter(client: Client, error: unknown): Promise<void> {
    const known = this.#lookingAfter.after(client, error)
    this.#track(known)
    return known
  }

  /** A call that may have run is never sent again by itself: the caller has to know that it may. */
  #said(error: unknown): unknown {
    if (!(error instanceof ConnectionClosedError)) return error
    if (this.life.aborted) return this.life.reason
    if (error.unprocessed) return error
    return new ConnectionClosedError(
      `The server ${shown(this.name)} went away before its answer: what was asked may have been done, and is not asked again`,
      error.close,
    )
  }
}
