/** Replies of fewer bytes are not counted: they fit into the buffers of a socket. */
export const LARGE_REPLY = 65_536

/** Callers that are remembered without bytes. Most of them come back. */
const KNOWN_CALLERS = 1000

/**
 * Bytes that a mount holds for its callers. One caller may have half of the limit, so that none can keep
 * the others out. All anonymous callers count as one.
 */
export class CallerBytes {
  readonly #limit: number
  /** By principal. */
  readonly #held = new Map<string, number>()
  #total = 0

  /** @param limit - bytes of all callers together */
  constructor(limit: number) {
    this.#limit = limit
  }

  get total(): number {
    return this.#total
  }

  /** @param bytes - negative when they are no longer held */
  add(principal: string, bytes: number): void {
    const held = (this.#held.get(principal) ?? 0) + bytes
    if (held === 0 && this.#held.size > KNOWN_CALLERS) this.#held.delete(principal)
    else this.#held.set(principal, held)
    this.#total += bytes
  }

  /** Whether the bytes of a caller, or of all, exceed their limit. */
  exceeded(principal: string): boolean {
    const ofCaller = this.#limit / 2
    // Nearly always, and costs no look-up.
    if (this.#total <= ofCaller) return false
    return this.#total > this.#limit || (this.#held.get(principal) ?? 0) > ofCaller
  }
}
