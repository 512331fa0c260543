/** The connection that carries a request, as the OpenTelemetry conventions describe it. */
export interface Network {
  readonly transport: 'tcp' | 'pipe'
  readonly protocol?: 'http'
}

export const HTTP_NETWORK: Network = { transport: 'tcp', protocol: 'http' }
export const PIPE_NETWORK: Network = { transport: 'pipe' }

/** The origin of a request. */
export interface RequestOrigin {
  /** The transport's network; undefined in memory. */
  readonly network?: Network | undefined
  /** Returns all values of a header, given its lower-case name. Only transports with headers have this method. */
  headers?(name: string): readonly string[]
}

/**
 * Carries the messages of one request to its client: an HTTP POST and its reply, or one request on a duplex
 * transport.
 */
export interface Exchange extends RequestOrigin {
  /**
   * Sends a frame on the request's stream. Returns a promise only while the client is reading slowly. Does
   * nothing after the response or a disconnect, because a late notification must never crash a handler.
   */
  send(frame: string): void | Promise<void>
  /** The batch that the request is part of, with the remaining space for responses. */
  readonly batch?: { room: number; readonly problem: string } | undefined
  /** Whether requests can be sent to the client on this exchange. */
  readonly duplex: boolean
  /** Whether the request can start a subscription. */
  readonly subscribable?: boolean
  /** Sends a request to the client. Unlike a notification, it must not be dropped if the client reads slowly. */
  request?(frame: string): void | Promise<void>
  /**
   * Calls the listener at most once: when the client disconnects before the response, or immediately if the
   * client has already disconnected.
   */
  onDisconnect?(listener: () => void): void
  /**
   * Set if a client may read a notification and the response at the same time. Returns the frame of the
   * response as soon as the client has read the call's progress.
   */
  separate?(frame: string): string | Promise<string>
  /**
   * Closes the connection of the request's stream if the client can resume the stream.
   *
   * @param retryMs - how long the client should wait; the transport's default if undefined
   */
  closeConnection?(retryMs: number | undefined): void
  /** Reports that the request was refused before its handler ran. */
  refused?(reason: 'busy' | 'headerMismatch'): void
}
