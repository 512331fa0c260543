import type { ServerResponse } from 'node:http'

/**
 * The interval at which Node checks whether the client has read more, in ms. A stall is therefore detected
 * after one to two intervals.
 */
const STALLED_MS = 60_000
/** The interval while callers are being refused because too many replies are waiting, in ms. */
const SHORTENED_MS = 5_000

/**
 * Closes a connection whose client has not read any waiting bytes for one to two minutes. Otherwise, a client
 * that never reads would make the server keep the bytes and the socket forever.
 */
export class StallLimit {
  readonly #response: ServerResponse
  /** The app's own socket timeout. Undefined before the first `begin`. */
  #before: number | undefined

  constructor(response: ServerResponse) {
    this.#response = response
  }

  /** Starts the limit. Calling `end` is optional, because Node resets the timeout at the end of a response. */
  begin(): void {
    const response = this.#response
    if (this.#before === undefined) response.on('timeout', () => response.destroy())
    this.#before ??= response.socket?.timeout ?? 0
    response.setTimeout(STALLED_MS)
  }

  /** Shortens the client's time, or ends it at once, because its unread bytes cause other callers to be refused. */
  shorten(atOnce: boolean): void {
    const response = this.#response
    if (!atOnce) response.setTimeout(SHORTENED_MS)
    // A queued response has no socket yet.
    else if (response.socket === null) response.req.socket.destroy()
    else response.destroy()
  }

  /** Ends the limit, because a stream that sends nothing may stay open. */
  end(): void {
    this.#response.setTimeout(this.#before ?? 0)
  }
}
