import { McpError } from '@jetway/core/protocol'
import type { Clock } from '@jetway/core/stores'
import type { Client } from '../client.ts'
import { SessionLostError, TransportError } from '../errors.ts'
import { within } from '../waiting.ts'

export interface LookingAfterOptions {
  readonly clock: Clock
  readonly life: AbortSignal
  /** Whether this is the connection that there is. */
  readonly isCurrent: (client: Client) => boolean
  readonly gone: (client: Client) => void
}

/** Ms in which a server of which a request says that it is gone may show that it isn't. */
const CHECK_MS = 5_000

/** Finds out whether a server is still there when a request says that it may not be: over HTTP nothing else tells. */
export class LookingAfter {
  readonly #options: LookingAfterOptions
  #checking: { readonly client: Client; readonly done: Promise<void> } | undefined

  constructor(options: LookingAfterOptions) {
    this.#options = options
  }

  /** Resolves when it is known, after `gone` was called where the server is. Never rejects. */
  after(client: Client, error: unknown): Promise<void> {
    const { isCurrent, gone } = this.#options
    if (!isCurrent(client)) return Promise.resolve()
    // The client has tried to open another one by itself.
    if (error instanceof SessionLostError) gone(client)
    if (!mayBeGone(error)) return Promise.resolve()
    if (this.#checking?.client === client) return this.#checking.done
    const done = this.#ask(client).finally(() => {
      this.#checking = undefined
    })
    this.#checking = { client, done }
    return done
  }

  async #ask(client: Client): Promise<void> {
    const { clock, life, gone } = this.#options
    const late = (): Error => new Error('No answer')
    try {
      await within(client.ping({ timeoutMs: CHECK_MS, signal: life }), { ms: CHECK_MS, clock, late })
    } catch (error) {
      // An error of the protocol is an answer, and so is one of HTTP that is about the caller.
      if (error instanceof McpError || (error instanceof TransportError && !mayBeGone(error))) return
      gone(client)
    }
  }
}

/** A status of 4xx is an answer, but for the one of a server that is not there any more. */
function mayBeGone(error: unknown): boolean {
  if (!(error instanceof TransportError) || error.ofCredentials) return false
  const { status } = error
  return status === undefined || status >= 500 || status === 404
}
