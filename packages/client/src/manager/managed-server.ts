import { McpError } from '@jetway/core/protocol'
import type { Clock } from '@jetway/core/runtime'
import type { Client } from '../client.ts'
import { ClientError, ConnectionClosedError, SessionLostError, TransportError } from '../errors.ts'
import type { RequestOptions } from '../options.ts'
import { waitBefore, type ReconnectOptions } from './backoff.ts'
import { shown, unavailable } from './errors.ts'
import type { Emit } from './events.ts'
import { type Deferred, deferred, orAborted, pause, toError, within } from '../waiting.ts'

/** Where a server stands. From `closed` there is no way back: whoever connects again makes another one. */
export type ServerState = 'connecting' | 'connected' | 'reconnecting' | 'closed'

export interface ManagedServerOptions {
  readonly name: string
  readonly clock: Clock
  /** From 0 to 1. */
  readonly random: () => number
  readonly reconnect: Required<ReconnectOptions>
  /** Ms that a request waits for a connection that is being opened again. */
  readonly waitMs: number
  readonly emit: Emit
  /** Opens a connection; what it leaves behind where it fails is nothing. */
  readonly open: (signal: AbortSignal) => Promise<Client>
  /** There is a connection, maybe another one than before. */
  readonly opened: () => void
  /** The server is given up. */
  readonly removed: (reason: string) => void
}

/** Requests that wait for one server to come back. */
const MAX_WAITING = 1_024
/** Ms in which a server of which a request says that it is gone may show that it isn't. */
const CHECK_MS = 5_000

/** One server over all its connections: each client is for one. */
export class ManagedServer {
  readonly name: string
  readonly #options: ManagedServerOptions
  readonly #life = new AbortController()
  /** What is still being done for the server, and has to end before it is closed. None of it rejects. */
  readonly #work = new Set<Promise<void>>()
  #state: ServerState = 'connecting'
  #client: Client | undefined
  /** The connection that requests wait for. */
  #next: Deferred<Client> | undefined
  #waiting = 0
  #attempts = 0
  #since = 0
  #checking: { readonly client: Client; readonly done: Promise<void> } | undefined
  #hurry: (() => void) | undefined
  #closing: Promise<void> | undefined

  constructor(options: ManagedServerOptions) {
    this.name = options.name
    this.#options = options
  }

  get state(): ServerState {
    return this.#state
  }

  /** The connection that there is. */
  get client(): Client | undefined {
    return this.#client
  }

  /** Attempts to reconnect since a connection has lasted. */
  get attempts(): number {
    return this.#attempts
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
    this.#stillThere()
  }

  /** The connection has ended. Nothing where it is another one than there is. */
  lost(client: Client): void {
    if (this.#client !== client || this.life.aborted) return
    const { clock, reconnect } = this.#options
    if (clock.now() - this.#since >= reconnect.stableMs) this.#attempts = 0
    this.#leave(client)
  }

  /** Ends the connection there is, and opens another one at once; or has the next attempt begin now. */
  async reconnect(signal: AbortSignal | undefined): Promise<void> {
    this.#attempts = 0
    if (this.#client === undefined) this.#hurry?.()
    else this.#leave(this.#client, 'at once')
    if (this.#next === undefined) throw this.#gone()
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
    options: RequestOptions = {},
  ): Promise<T> {
    const client = await this.#ready(options.signal)
    try {
      return await ask(client, options)
    } catch (error) {
      const certain = error instanceof ClientError && error.unprocessed && options.signal?.aborted !== true
      const checked = this.#check(client, error)
      if (!certain) throw this.#said(error)
      await orAborted(checked, options.signal)
    }
    const again = await this.#ready(options.signal)
    try {
      return await ask(again, options)
    } catch (error) {
      void this.#check(again, error)
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
    this.#state = 'closed'
    const client = this.#client
    this.#client = undefined
    this.#life.abort(reason)
    this.#next?.reject(reason)
    this.#next = undefined
    if (client !== undefined) this.#track(client.close())
  }

  #gone(): ClientError {
    return this.life.aborted
      ? (this.life.reason as ClientError)
      : unavailable(this.name, 'is still being connected')
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
    this.#state = 'connected'
    this.#since = this.#options.clock.now()
    this.#options.opened()
    this.#next?.resolve(client)
    this.#next = undefined
  }

  /** Some end as soon as they are there, before anybody could hear of it. */
  #stillThere(): void {
    if (this.#client?.isAlive === false) this.lost(this.#client)
  }

  #leave(client: Client, when: 'in time' | 'at once' = 'in time'): void {
    this.#client = undefined
    this.#state = 'reconnecting'
    this.#next = deferred()
    const closed = client.close().catch((error: unknown) => this.#report(error))
    this.#track(closed)
    this.#track(this.#reconnecting(closed, when))
  }

  #report(error: unknown): void {
    if (!this.life.aborted) this.#options.emit('mcp_error', { server: this.name, error: toError(error) })
  }

  /** @param closed what is left of the old connection: two of a server's processes may not bear each other */
  async #reconnecting(closed: Promise<void>, when: 'in time' | 'at once'): Promise<void> {
    const { emit, reconnect } = this.#options
    // Whoever asks for it by name gets one attempt at least.
    const max = when === 'at once' ? Math.max(reconnect.maxAttempts, 1) : reconnect.maxAttempts
    const server = this.name
    let last: Error | undefined
    let wait = when === 'in time'
    try {
      while (this.#attempts < max) {
        const attempt = ++this.#attempts
        emit('mcp_reconnecting', { server, attempt, max_attempts: max })
        if (wait) await this.#waited(attempt)
        wait = true
        await orAborted(closed, this.life)
        const client = await this.#attempt(attempt)
        if (client instanceof Error) {
          last = client
          if (isFinal(client)) break
          continue
        }
        await this.#adopt(client)
        emit('mcp_reconnected', { server, attempt })
        this.#stillThere()
        return
      }
      this.#remove(last)
    } catch (error) {
      // Closed meanwhile: there is nobody to tell.
      if (!this.life.aborted) this.#remove(toError(error))
    }
  }

  async #attempt(attempt: number): Promise<Client | Error> {
    try {
      return await this.#options.open(this.life)
    } catch (thrown) {
      this.life.throwIfAborted()
      const error = toError(thrown)
      this.#options.emit('mcp_reconnect_failed', { server: this.name, attempt, error })
      this.life.throwIfAborted()
      return error
    }
  }

  async #waited(attempt: number): Promise<void> {
    const { clock, random, reconnect } = this.#options
    const hurry = new AbortController()
    this.#hurry = () => hurry.abort()
    try {
      await pause(waitBefore(attempt, reconnect, random()), clock, AbortSignal.any([this.life, hurry.signal]))
    } catch (error) {
      if (!hurry.signal.aborted) throw error
    } finally {
      this.#hurry = undefined
    }
  }

  #remove(last: Error | undefined): void {
    if (this.life.aborted) return
    const { reconnect, removed } = this.#options
    this.#end(unavailable(this.name, 'has been removed', last))
    removed(reasonOf(last, this.#attempts, reconnect.stableMs))
  }

  async #ready(signal: AbortSignal | undefined): Promise<Client> {
    this.#stillThere()
    if (this.#client !== undefined) return this.#client
    const next = this.#next
    if (next === undefined) throw this.#gone()
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

  /**
   * Whether the server is still there, where a request says that it may not be: over HTTP nothing else tells. Resolves
   * when that is known.
   */
  #check(client: Client, error: unknown): Promise<void> {
    if (error instanceof SessionLostError) {
      this.lost(client)
      return Promise.resolve()
    }
    if (!mayBeGone(error) || this.#client !== client) return Promise.resolve()
    if (this.#checking?.client === client) return this.#checking.done
    const { clock } = this.#options
    const late = (): Error => new Error('No answer')
    const done = within(client.ping({ timeoutMs: CHECK_MS, signal: this.life }), {
      ms: CHECK_MS,
      clock,
      late,
    })
      .catch((failed: unknown) => {
        // An error of the protocol is an answer.
        if (!(failed instanceof McpError)) this.lost(client)
      })
      .finally(() => {
        this.#checking = undefined
      })
    this.#checking = { client, done }
    this.#track(done)
    return done
  }

  /** A call that may have run is never sent again by itself: the caller has to know that it may. */
  #said(error: unknown): unknown {
    if (this.life.aborted && error instanceof ConnectionClosedError) return this.life.reason
    if (!(error instanceof ConnectionClosedError) || error.unprocessed) return error
    return new ConnectionClosedError(
      `The server ${shown(this.name)} went away before its answer: what was asked may have been done, and is not asked again`,
      error.close,
    )
  }
}

/** No attempt can change it. */
const isFinal = (error: Error): boolean => error instanceof ClientError && error.code === 'not-approved'

function reasonOf(last: Error | undefined, attempts: number, stableMs: number): string {
  if (last === undefined)
    return attempts === 0
      ? 'It was lost, and is not to be reconnected'
      : `It was reconnected ${attempts} times, and was lost each time in less than ${stableMs} ms`
  if (isFinal(last)) return last.message
  return `It could not be reconnected in ${attempts} attempts: ${last.message}`
}

/** A status of 4xx is an answer, but for the one of a server that is not there any more. */
function mayBeGone(error: unknown): boolean {
  if (!(error instanceof TransportError)) return false
  const { status } = error
  return status === undefined || status >= 500 || status === 404
}
