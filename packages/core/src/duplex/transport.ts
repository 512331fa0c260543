/** Why a transport ended. */
export type TransportClose = { readonly kind: 'end' } | { readonly kind: 'error'; readonly error: unknown }

/** What a transport calls, given once to {@link Transport.start}. */
export interface TransportHandlers {
  /**
   * One message as JSON text, without a line end. A promise is backpressure: the transport stops reading
   * until it settles.
   */
  message(text: string): void | Promise<void>
  /** Something arrived that is no text at all: over the line limit, or not UTF-8. */
  malformed(reason: string): void
  /** Called once, however the transport ends. */
  close(reason: TransportClose): void
}

/** What goes beside a frame. */
export interface SendOptions {
  /** Gives up on a message that is not written yet. */
  readonly signal?: AbortSignal
  /** Extra headers, where the transport has any. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A bidirectional connection at the level of raw JSON messages. */
export interface Transport {
  /** Starts delivery. Throws when called twice. */
  start(handlers: TransportHandlers): void | Promise<void>
  /**
   * Writes one message; a promise only while the peer is behind. Framing belongs to the transport.
   * One that throws or rejects has lost a message for good: the connection is then ended.
   */
  send(message: string, options?: SendOptions): void | Promise<void>
  /** What waits for a peer that is behind, in UTF-16 units; for `stats()`. */
  readonly queued?: number
  /** Writes what is queued, then ends. Safe to call again. */
  close(): Promise<void>
}
