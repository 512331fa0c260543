import type { Clock } from '@jetway/core/stores'
import type { Client } from '../client.ts'
import { ClientError } from '../errors.ts'
import { orAborted, pause, toError } from '../waiting.ts'
import { type ReconnectOptions, waitBefore } from './backoff.ts'
import type { Emit } from './events.ts'

export interface ReconnectingOptions {
  readonly server: string
  readonly clock: Clock
  /** From 0 to 1. */
  readonly random: () => number
  readonly reconnect: Required<ReconnectOptions>
  readonly emit: Emit
  /** Aborts when nobody wants the server any more. */
  readonly life: AbortSignal
  readonly open: (signal: AbortSignal) => Promise<Client>
}

/** `at once` is by hand: the first attempt does not wait, and there is one at least. */
export type When = 'in time' | 'at once'

/** The connection of an attempt that has worked; or why there are no more attempts. */
export type Reconnected =
  | { readonly client: Client; readonly attempt: number }
  | { readonly reason: string; readonly last: Error | undefined }

/** The attempts to connect one server again, counted over connections that do not last. */
export class Reconnecting {
  readonly #options: ReconnectingOptions
  #attempts = 0
  #since = 0
  #hurry: AbortController | undefined

  constructor(options: ReconnectingOptions) {
    this.#options = options
  }

  /** Attempts since a connection has lasted. */
  get attempts(): number {
    return this.#attempts
  }

  /** A connection begins. */
  connected(): void {
    this.#since = this.#options.clock.now()
  }

  /** A connection has ended by itself. */
  lost(): void {
    const { clock, reconnect } = this.#options
    if (clock.now() - this.#since >= reconnect.stableMs) this.#attempts = 0
  }

  /** Counts anew; an attempt that waits begins now. */
  hurry(): void {
    this.#attempts = 0
    this.#hurry?.abort()
  }

  /**
   * Tries until an attempt works, or there are no more.
   *
   * @param closed what is left of the old connection: two processes of a server may not bear each other
   * @throws the reason of `life`
   */
  async run(closed: Promise<void>, when: When): Promise<Reconnected> {
    const { reconnect, server, emit, life } = this.#options
    const max = when === 'at once' ? Math.max(reconnect.maxAttempts, 1) : reconnect.maxAttempts
    let last: Error | undefined
    for (let first = true; this.#attempts < max && !isFinal(last); first = false) {
      const attempt = ++this.#attempts
      emit('mcp_reconnecting', { server, attempt, max_attempts: max })
      if (!first || when === 'in time') await this.#wait(attempt)
      await orAborted(closed, life)
      try {
        return { client: await this.#options.open(life), attempt }
      } catch (error) {
        life.throwIfAborted()
        last = toError(error)
        emit('mcp_reconnect_failed', { server, attempt, error: last })
        life.throwIfAborted()
      }
    }
    return { last, reason: this.#reason(last) }
  }

  async #wait(attempt: number): Promise<void> {
    const { clock, random, reconnect, life } = this.#options
    const hurry = new AbortController()
    this.#hurry = hurry
    try {
      await pause(waitBefore(attempt, reconnect, random()), clock, AbortSignal.any([life, hurry.signal]))
    } catch (error) {
      if (!hurry.signal.aborted) throw error
    } finally {
      this.#hurry = undefined
    }
  }

  #reason(last: Error | undefined): string {
    const times = this.#attempts
    if (last !== undefined)
      return isFinal(last)
        ? last.message
        : `It could not be reconnected in ${times} attempts: ${last.message}`
    return times === 0
      ? 'It was lost, and is not to be reconnected'
      : `It was reconnected ${times} times, and was lost each time in less than ${this.#options.reconnect.stableMs} ms`
  }
}

/** No attempt can change it. */
const isFinal = (error: Error | undefined): boolean =>
  error instanceof ClientError && error.code === 'not-approved'
