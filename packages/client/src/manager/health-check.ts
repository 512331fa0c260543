import { McpError } from '@jetway/core/protocol'
import type { Clock } from '@jetway/core/stores'
import type { Client } from '../client/client.ts'
import { SessionLostError, TransportError } from '../errors.ts'
import { withTimeout } from '../util/promises.ts'

interface CheckedServer {
  readonly client: Client | undefined
  readonly life: AbortSignal
  lost(client: Client): void
}

const TIMEOUT_MS = 5_000

/** Pings a server after a request has failed. Over HTTP, nothing else shows that a server is gone. */
export class HealthCheck {
  readonly #server: CheckedServer
  readonly #clock: Clock
  #running: { readonly client: Client; readonly done: Promise<void> } | undefined

  constructor(server: CheckedServer, clock: Clock) {
    this.#server = server
    this.#clock = clock
  }

  /** Resolves when the server has answered, or is reported as lost. Never rejects. */
  async after(client: Client, error: unknown): Promise<void> {
    if (this.#server.client !== client) return
    // The client has tried to open a new session already.
    if (error instanceof SessionLostError) this.#server.lost(client)
    if (!mayBeDead(error)) return
    if (this.#running?.client !== client) {
      const done = this.#ping(client).finally(() => (this.#running = undefined))
      this.#running = { client, done }
    }
    await this.#running.done
  }

  async #ping(client: Client): Promise<void> {
    const late = (): Error => new Error('No response')
    try {
      const pong = client.ping({ timeoutMs: TIMEOUT_MS, signal: this.#server.life })
      await withTimeout(pong, { ms: TIMEOUT_MS, clock: this.#clock, late })
    } catch (error) {
      // An error response is a response.
      if (error instanceof McpError || (error instanceof TransportError && !mayBeDead(error))) return
      this.#server.lost(client)
    }
  }
}

/** A 4xx status shows that the server is there, except for 404. */
function mayBeDead(error: unknown): boolean {
  if (!(error instanceof TransportError) || error.authFailed) return false
  const { status } = error
  return status === undefined || status >= 500 || status === 404
}
