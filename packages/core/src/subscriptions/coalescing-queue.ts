import { utf8Length } from '../util/bytes.ts'

/**
 * Queues notifications, in order, for a client that reads too slowly. Identical notifications are queued only
 * once.
 */
export class CoalescingQueue {
  readonly #limit: number
  readonly #frames = new Map<string, object | undefined>()
  bytes = 0

  /** @param limit - the maximum size of the queue, in UTF-8 bytes */
  constructor(limit: number) {
    this.#limit = limit
  }

  get isEmpty(): boolean {
    return this.#frames.size === 0
  }

  /**
   * @param queued - the number of bytes queued elsewhere; these also count towards the limit
   * @returns false if the queue is full; the first frame is always accepted
   */
  add(frame: string, owner?: object, queued = 0): boolean {
    if (this.#frames.has(frame)) return true
    const bytes = utf8Length(frame)
    if (this.#frames.size > 0 && this.bytes + queued + bytes > this.#limit) return false
    this.#frames.set(frame, owner)
    this.bytes += bytes
    return true
  }

  /** Removes the notifications of one owner. */
  discard(owner: object): void {
    for (const [frame, own] of this.#frames) {
      if (own !== owner) continue
      this.#frames.delete(frame)
      this.bytes -= utf8Length(frame)
    }
  }

  /** Empties the queue and returns its content. */
  take(): readonly (readonly [frame: string, owner: object | undefined])[] {
    const all = [...this.#frames]
    this.#frames.clear()
    this.bytes = 0
    return all
  }
}
