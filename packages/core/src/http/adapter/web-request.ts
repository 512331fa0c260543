import { type HttpReply, type HttpRequest, onDisconnect, type ReplyLimits } from '../types.ts'

/** The connection of a web request, where the host passes it along. `@jetway/node/connection` reads it on Node. */
export interface WebConnection {
  readonly peer: HttpRequest['peer']
  /** The pseudo-header `:authority` of HTTP/2, which stands for the header Host. */
  readonly authority: string | undefined
  /**
   * Calls the listener once, when the response may be written: on Node it may wait for those before it on its
   * connection. With false if the connection ended before.
   */
  onTurn(listener: (connected: boolean) => void): void
  /** Limits the time for which bytes wait for the client. */
  stallLimit(): { begin(): void; end(): void } | undefined
  /** Watches a reply that is about to be sent, until the client has read it. */
  watch(limits: ReplyLimits, request: HttpRequest, reply: HttpReply): void
}

/** The connection and the disconnect of a web request, for adapters of hosts with web requests. */
export abstract class WebRequest {
  readonly connection: WebConnection | undefined
  readonly #raw: Request
  #left: AbortController | undefined
  #hasLeft = false

  constructor(raw: Request, connection: WebConnection | undefined) {
    this.#raw = raw
    this.connection = connection
  }

  get peer(): HttpRequest['peer'] {
    return this.connection?.peer
  }

  get signal(): AbortSignal {
    if (this.#left === undefined) {
      this.#left = new AbortController()
      if (this.#hasLeft) this.#left.abort()
      else {
        onDisconnect(this.#raw, () => this.leave())
        this.onTurn(() => {})
      }
    }
    return this.#left.signal
  }

  /**
   * Aborts the signal, because the client has disconnected. Not every runtime aborts the signal of the web request, but
   * all cancel the body of the reply.
   */
  leave(): void {
    this.#hasLeft = true
    this.#left?.abort()
  }

  /** Calls the function when the response may be written, also if the client has disconnected before. */
  onTurn(open: () => void): void {
    if (this.connection === undefined) return open()
    this.connection.onTurn((connected) => {
      if (!connected) this.leave()
      open()
    })
  }
}
