import { type HttpReply, type HttpRequest, onDisconnect, type ReplyLimits } from '../types.ts'

/** A web request's connection, if the host provides it. On Node, `@jetway/node/connection` reads it. */
export interface WebConnection {
  readonly peer: HttpRequest['peer']
  /** The HTTP/2 pseudo-header `:authority`, which replaces the `Host` header. */
  readonly authority: string | undefined
  /** Whether the response must wait for earlier responses on the same connection. */
  readonly isQueued: boolean
  /**
   * Calls the listener once, when the response may be written. On Node, the response may have to wait for
   * earlier responses on the same connection. The listener is called with false if the connection has already
   * ended.
   */
  onTurn(listener: (connected: boolean) => void): void
  /** Limits the time that bytes may wait for the client. */
  stallLimit(): { begin(): void; end(): void } | undefined
  /** Watches a reply that is about to be sent, until the client has read it. */
  watch(limits: ReplyLimits, request: HttpRequest, reply: HttpReply): void
}

/** Tracks a web request's connection and detects disconnects, for adapters whose hosts use web requests. */
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

  get isQueued(): boolean | undefined {
    return this.connection?.isQueued
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
   * Aborts the signal, because the client has disconnected. Not every runtime aborts the web request's signal,
   * but all of them cancel the reply's body.
   */
  leave(): void {
    this.#hasLeft = true
    this.#left?.abort()
  }

  /** Calls the function when the response may be written, even if the client has already disconnected. */
  onTurn(open: () => void): void {
    if (this.connection === undefined) return open()
    this.connection.onTurn((connected) => {
      if (!connected) this.leave()
      open()
    })
  }
}
