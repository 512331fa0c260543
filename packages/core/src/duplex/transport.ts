/** Why a transport ended. */
export type TransportClose = { readonly kind: 'end' } | { readonly kind: 'error'; readonly error: unknown }

/** The functions that a transport calls, given once to {@link Transport.start}. */
export interface TransportHandlers {
  /**
   * One message as JSON text, without a line end. If it returns a promise, the transport
   * stops reading until it settles.
   */
  message(text: string): void | Promise<void>
  /** The input is over the line limit or not UTF-8. */
  malformed(reason: string): void
  /** Called once, when the transport ends for any reason. */
  close(reason: TransportClose): void
}

/** Options of {@link Transport.send}. */
export interface SendOptions {
  /** Drops the message if it is not written yet. */
  readonly signal?: AbortSignal
  /** Extra headers, for transports that have headers. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A bidirectional connection at the level of raw JSON messages. */
export interface Transport {
  /** Starts delivery. Throws when called twice. */
  start(handlers: TransportHandlers): void | Promise<void>
  /**
   * Writes one message, and frames it. Returns a promise only while the peer reads slowly. If it throws or
   * rejects, the message is lost and the connection ends.
   */
  send(message: string, options?: SendOptions): void | Promise<void>
  /** Whether messages travel as bytes, so that the peer may read several in one piece. @default false */
  readonly byteStream?: boolean
  /** UTF-16 units that wait for a slow peer, for `stats()`. */
  readonly queued?: number
  /** Writes the queue, then ends. Safe to call again. */
  close(): Promise<void>
}
