import type { ServerResponse } from 'node:http'

/**
 * Node looks this often whether the client has read more, in ms, and acts when it has not:
 * after one to two times this.
 */
const STALLED_MS = 60_000
/** The same while callers are refused because so much waits, in ms. */
const SHORTENED_MS = 5_000

/**
 * Ends a connection whose client has read nothing of the waiting bytes for one to two minutes: otherwise a
 * client that never reads would keep them, and its socket, for ever.
 */
export class StallLimit {
  readonly #response: ServerResponse
  /** The time limit of the app on its sockets; undefined before the first `begin`. */
  #before: number | undefined

  constructor(response: ServerResponse) {
    this.#response = response
  }

  /** Starts the limit. At the end of a response Node sets another time, so `end` need not follow. */
  begin(): void {
    const response = this.#response
    if (this.#before === undefined) response.on('timeout', () => response.destroy())
    this.#before ??= response.socket?.timeout ?? 0
    response.setTimeout(STALLED_MS)
  }

  /** Gives the client less time, because the bytes that it does not read keep others out. */
  shorten(): void {
    this.#response.setTimeout(SHORTENED_MS)
  }

  /** Ends the limit: a stream that sends nothing may stay open. */
  end(): void {
    this.#response.setTimeout(this.#before ?? 0)
  }
}
