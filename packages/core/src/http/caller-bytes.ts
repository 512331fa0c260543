/** Callers that are remembered without bytes, since most of them call again. */
const KNOWN_CALLERS = 1000

interface HeldReply {
  readonly principal: string
  readonly hasten: () => void
}

/**
 * Bytes that a mount holds for its callers. One caller may have half of the limit, so that none can keep
 * the others out. All anonymous callers count as one.
 */
export class CallerBytes {
  readonly #limit: number
  /** By principal. */
  readonly #held = new Map<string, number>()
  readonly #patient = new Set<HeldReply>()
  #total = 0

  /** @param limit - bytes of all callers together */
  constructor(limit: number) {
    this.#limit = limit
  }

  get total(): number {
    return this.#total
  }

  /**
   * @param bytes - negative when they are no longer held
   * @returns false if the bytes of the caller, or of all, exceed their limit now
   */
  add(principal: string, bytes: number): boolean {
    const held = (this.#held.get(principal) ?? 0) + bytes
    if (held === 0 && this.#held.size > KNOWN_CALLERS) this.#held.delete(principal)
    else this.#held.set(principal, held)
    this.#total += bytes
    // Nearly always the total is small.
    return this.#total <= this.#limit / 2 || !this.exceeded(principal)
  }

  /**
   * Adds the bytes of a reply until the returned function is called.
   *
   * @param hasten - called once if the caller, or all together, hold too much: some replies must end soon,
   *   so that callers are not refused for long
   */
  hold(principal: string, bytes: number, hasten: () => void): () => void {
    const reply = { principal, hasten }
    this.#patient.add(reply)
    if (!this.add(principal, bytes)) this.#hasten(principal)
    return () => {
      this.#patient.delete(reply)
      this.add(principal, -bytes)
    }
  }

  #hasten(principal: string): void {
    const all = this.#total > this.#limit
    for (const reply of this.#patient) {
      if (!all && reply.principal !== principal) continue
      this.#patient.delete(reply)
      reply.hasten()
    }
  }

  /** Whether the bytes of a caller, or of all, exceed their limit. */
  exceeded(principal: string): boolean {
    const ofCaller = this.#limit / 2
    // Nearly always, and costs no look-up.
    if (this.#total <= ofCaller) return false
    return this.#total > this.#limit || (this.#held.get(principal) ?? 0) > ofCaller
  }
}
