import type { Client } from '../client/client.ts'
import { ClientError } from '../errors.ts'
import { abortable, anySignal, delay, toError } from '../util/promises.ts'
import { waitBefore } from './backoff.ts'
import type { Emit } from './events.ts'
import type { ResolvedManagerOptions } from './options.ts'

export interface ReconnectorOptions {
  readonly name: string
  readonly options: ResolvedManagerOptions
  readonly emit: Emit
  readonly open: (signal: AbortSignal) => Promise<Client>
}

/**
 * When to reconnect. With `immediate`, for the host's `reconnect`, there is at least one attempt, and the
 * first attempt is not delayed.
 */
export type When = 'backoff' | 'immediate'

export type ReconnectResult =
  | { readonly client: Client; readonly attempt: number }
  | { readonly reason: string; readonly last: Error | undefined }

/** Reconnects a server. A connection that does not last long enough does not reset the number of attempts. */
export class Reconnector {
  /** The number of attempts since the last connection that lasted for `stableMs`. */
  attempts = 0
  readonly #server: ReconnectorOptions
  readonly #options: ResolvedManagerOptions
  /** Aborts when the server is closed. */
  readonly #life: AbortSignal
  #connectedAt = 0
  #skipDelay: AbortController | undefined

  constructor(server: ReconnectorOptions, life: AbortSignal) {
    this.#server = server
    this.#options = server.options
    this.#life = life
  }

  connected(): void {
    this.#connectedAt = this.#options.clock.now()
  }

  lost(): void {
    const { clock, reconnect } = this.#options
    if (clock.now() - this.#connectedAt >= reconnect.stableMs) this.attempts = 0
  }

  /** Resets the number of attempts, and ends the delay before the next one. */
  retryNow(): void {
    this.attempts = 0
    this.#skipDelay?.abort()
  }

  /**
   * @param closed - resolves when the old connection is closed. Waiting for it is necessary, because two
   * processes of one server may conflict
   * @throws the abort reason of `life`
   */
  async run(closed: Promise<void>, when: When): Promise<ReconnectResult> {
    const { name: server, emit, open } = this.#server
    const { reconnect } = this.#options
    const life = this.#life
    const maxAttempts = when === 'immediate' ? Math.max(reconnect.maxAttempts, 1) : reconnect.maxAttempts
    let last: Error | undefined
    for (let first = true; this.attempts < maxAttempts && !isFinal(last); first = false) {
      const attempt = ++this.attempts
      emit('reconnecting', { server, attempt, maxAttempts })
      if (!first || when === 'backoff') await this.#wait(attempt)
      await abortable(closed, life)
      try {
        return { client: await open(life), attempt }
      } catch (error) {
        life.throwIfAborted()
        last = toError(error)
        emit('reconnectFailed', { server, attempt, error: last })
        // A listener may have closed the server.
        life.throwIfAborted()
      }
    }
    return { last, reason: this.#reason(last) }
  }

  /** Waits for the delay. Resolves early if the delay is skipped or the server is closed. */
  async #wait(attempt: number): Promise<void> {
    const { clock, random, reconnect } = this.#options
    const skip = (this.#skipDelay = new AbortController())
    const ms = waitBefore(attempt, reconnect, random())
    await delay(ms, clock, anySignal(this.#life, skip.signal)).catch(() => {})
    this.#skipDelay = undefined
  }

  #reason(last: Error | undefined): string {
    const { stableMs } = this.#options.reconnect
    const times = this.attempts
    if (last !== undefined)
      return isFinal(last) ? last.message : `${times} attempts to reconnect have failed: ${last.message}`
    return times === 0
      ? 'The connection was lost, and reconnect.maxAttempts is 0'
      : `It was reconnected ${times} times, and each connection was lost in less than ${stableMs} ms`
  }
}

/** Returns whether to stop after this error, because further attempts would ask the user again. */
const isFinal = (error: Error | undefined) => error instanceof ClientError && error.code === 'not-approved'
