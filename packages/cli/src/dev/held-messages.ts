/** How long messages may wait for a process, in ms. */
export const WAIT_MS = 10_000
/** The maximum number of held messages, and their maximum total size in UTF-16 code units. */
const MAX_MESSAGES = 1_024
const MAX_LENGTH = 4 * 1024 * 1024

interface Held {
  readonly text: string
  readonly message: unknown
  readonly timer: NodeJS.Timeout
}

/** Messages that are waiting for a process, in order. */
export class HeldMessages {
  readonly #onTimeout: (message: unknown) => void
  #held: Held[] = []
  #length = 0

  /** @param onTimeout - called with each message that has waited for 10 s without reaching a process */
  constructor(onTimeout: (message: unknown) => void) {
    this.#onTimeout = onTimeout
  }

  /** Holds a message. Returns false if too many are held. */
  add(text: string, message: unknown): boolean {
    if (this.#held.length >= MAX_MESSAGES || this.#length + text.length > MAX_LENGTH) return false
    const held: Held = { text, message, timer: setTimeout(() => this.#giveUp(held), WAIT_MS) }
    this.#held.push(held)
    this.#length += text.length
    return true
  }

  takeAll(): readonly { readonly text: string; readonly message: unknown }[] {
    const held = this.#held
    this.#held = []
    this.#length = 0
    for (const { timer } of held) clearTimeout(timer)
    return held
  }

  #giveUp(held: Held): void {
    this.#held = this.#held.filter((it) => it !== held)
    this.#length -= held.text.length
    this.#onTimeout(held.message)
  }
}
