/** Why a transport ended. */
export type TransportClose = { readonly kind: 'end' } | { readonly kind: 'error'; readonly error: unknown }

/** The functions that a transport calls, given once to {@link Transport.start}. */
export interface TransportHandlers {
  /**
   * Receives one message as JSON text, without a newline. If it returns a promise, the transport stops reading
   * until the promise settles.
   */
  message(text: string): void | Promise<void>
  /** Reports input that exceeds the line limit or is not UTF-8. */
  malformed(reason: string): void
  /** Called once, when the transport ends for any reason. */
  close(reason: TransportClose): void
}

/** Options of {@link Transport.send}. */
export interface SendOptions {
  /** Drops the message if it aborts before the message is written. */
  readonly signal?: AbortSignal
  /** Extra headers, for transports that have headers. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A bidirectional connection at the level of raw JSON messages. */
export interface Transport {
  /** Starts delivery. Throws when called twice. */
  start(handlers: TransportHandlers): void | Promise<void>
  /**
   * Frames and writes one message. Returns a promise only while the peer reads slowly. If it throws or rejects,
   * the message is lost and the connection ends.
   */
  send(message: string, options?: SendOptions): void | Promise<void>
  /** Whether messages are sent as bytes, so that the peer may read several at once. @default false */
  readonly byteStream?: boolean
  /** UTF-16 units that are queued for a slow reader, for `stats()`. */
  readonly queued?: number
  /** Writes the queue, then ends. May be called repeatedly. */
  close(): Promise<void>
}
