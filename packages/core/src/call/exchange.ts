/** The way back of one request: an HTTP POST and its reply, or one request on a duplex transport. */
export interface Exchange {
  /**
   * Sends a frame that belongs to the request, on the request's own stream. A promise only while the peer is behind.
   * After the answer, or once the peer is gone, it does nothing: a late notification must never crash a handler.
   */
  send(frame: string): void | Promise<void>
  /** The peer can be asked something on this exchange, and the answer will find its way back. */
  readonly duplex: boolean
  /** The peer can be told of changes until it has heard enough, in place of an answer. */
  readonly subscribable?: boolean
  /** Sends a request to the client. Unlike a notification it must not be lost while the peer is behind. */
  request?(frame: string): void | Promise<void>
  /** Hears, once at the most, that the peer has gone before its answer; at once if it has gone already. */
  onDisconnect?(listener: () => void): void
  /**
   * Closes the connection under the request's stream, if the client knows how to come back for the rest.
   *
   * @param retryMs - when it should; the door's own default if undefined
   */
  closeConnection?(retryMs: number | undefined): void
  /** All values of a header, by its lower-case name, where requests have headers. */
  headers?(name: string): readonly string[]
  /** Hears that the request is answered with a refusal before its handler runs: a key of the table of statuses. */
  refused?(reason: 'busy' | 'initializedAlready' | 'headerMismatch'): void
}
