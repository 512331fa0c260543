import type { ServerResponse } from 'node:http'

/**
 * The interval at which Node checks whether the client has read more, in ms. The limit takes effect after one to two
 * intervals.
 */
const STALLED_MS = 60_000
/** The interval while callers are refused because too many replies are waiting, in ms. */
const SHORTENED_MS = 5_000

/**
 * Ends a connection whose client has not read any waiting bytes for one to two minutes: otherwise a client that never
 * reads would keep the bytes and the socket forever.
 */
export class StallLimit {
  readonly #response: ServerResponse
  /** The app's own socket timeout; undefined before the first `begin`. */
  #before: number | undefined

  constructor(response: ServerResponse) {
    this.#response = response
  }

  /**
   * Starts the limit. Node sets another timeout at the end of a response, so calling `end` afterwards is
   * optional.
   */
  begin(): void {
    const response = this.#response
    if (this.#before === undefined) response.on('timeout', () => response.destroy())
    this.#before ??= response.socket?.timeout ?? 0
    response.setTimeout(STALLED_MS)
  }

  /** Gives the client less time, because its unread bytes cause other callers to be refused. */
  shorten(): void {
    this.#response.setTimeout(SHORTENED_MS)
  }

  /** Ends the limit: a stream that sends nothing may stay open. */
  end(): void {
    this.#response.setTimeout(this.#before ?? 0)
  }
}
