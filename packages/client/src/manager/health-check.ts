import { McpError } from '@jetway/core/protocol'
import type { Clock } from '@jetway/core/stores'
import type { Client } from '../client/client.ts'
import { SessionLostError, TransportError } from '../errors.ts'
import { withTimeout } from '../util/promises.ts'

export interface HealthCheckOptions {
  readonly clock: Clock
  /** Aborts when the server is closed. */
  readonly life: AbortSignal
  readonly isCurrent: (client: Client) => boolean
  readonly onDead: (client: Client) => void
}

const TIMEOUT_MS = 5_000

/** Pings a server after a request has failed. Over HTTP, nothing else shows that a server is gone. */
export class HealthCheck {
  readonly #options: HealthCheckOptions
  #running: { readonly client: Client; readonly done: Promise<void> } | undefined

  constructor(options: HealthCheckOptions) {
    this.#options = options
  }

  /** Resolves when the server has answered, or after `onDead` was called. Never rejects. */
  async after(client: Client, error: unknown): Promise<void> {
    const { isCurrent, onDead } = this.#options
    if (!isCurrent(client)) return
    // The client has tried to open a new session already.
    if (error instanceof SessionLostError) onDead(client)
    if (!mayBeDead(error)) return
    if (this.#running?.client !== client) {
      const done = this.#ping(client).finally(() => (this.#running = undefined))
      this.#running = { client, done }
    }
    await this.#running.done
  }

  async #ping(client: Client): Promise<void> {
    const { clock, life, onDead } = this.#options
    const late = (): Error => new Error('No response')
    try {
      const pong = client.ping({ timeoutMs: TIMEOUT_MS, signal: life })
      await withTimeout(pong, { ms: TIMEOUT_MS, clock, late })
    } catch (error) {
      // An error response is a response.
      if (error instanceof McpError || (error instanceof TransportError && !mayBeDead(error))) return
      onDead(client)
    }
  }
}

/** A 4xx status shows that the server is there, except for 404. */
function mayBeDead(error: unknown): boolean {
  if (!(error instanceof TransportError) || error.authFailed) return false
  const { status } = error
  return status === undefined || status >= 500 || status === 404
}
