import type { NodeOutgoing } from './node-turn.ts'

/** The members of Node's response that are watched. */
export interface NodeResponse extends NodeOutgoing {
  setTimeout(ms: number): unknown
  on(event: 'timeout', listener: () => void): unknown
  destroy(): unknown
}

/**
 * Node looks this often whether the client has read more, in ms, and acts when it has not:
 * after one to two times this.
 */
const STALLED_MS = 60_000
/** The same while callers are refused because so much waits, in ms. */
const HASTENED_MS = 5_000

/**
 * Ends a connection whose client has read nothing of the waiting bytes for one to two minutes: otherwise a
 * client that never reads would keep them, and its socket, for ever.
 */
export class StallLimit {
  readonly #response: NodeResponse
  /** The time limit of the app on its sockets; undefined before the first `begin`. */
  #before: number | undefined

  constructor(response: NodeResponse) {
    this.#response = response
  }

  /** Bytes wait. At the end of a response Node sets another time, so it need not be followed by `end`. */
  begin(): void {
    const response = this.#response
    if (this.#before === undefined) response.on('timeout', () => response.destroy())
    const { timeout = 0 } = (response.socket ?? {}) as { readonly timeout?: number }
    this.#before ??= timeout
    response.setTimeout(STALLED_MS)
  }

  /** The client gets less time: what it does not read keeps others out. */
  hasten(): void {
    this.#response.setTimeout(HASTENED_MS)
  }

  /** None wait: a silent stream may stay open. */
  end(): void {
    this.#response.setTimeout(this.#before ?? 0)
  }
}
