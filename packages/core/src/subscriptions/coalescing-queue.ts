import { utf8Length } from '../util/bytes.ts'

/** Notices for a client that reads too slowly: in order, each once, however often it was added. */
export class CoalescingQueue {
  readonly #limit: number
  readonly #frames = new Map<string, object | undefined>()
  bytes = 0

  /** @param limit - bytes of UTF-8 that may wait */
  constructor(limit: number) {
    this.#limit = limit
  }

  get isEmpty(): boolean {
    return this.#frames.size === 0
  }

  /**
   * @param queued - bytes that wait outside of this queue and count too
   * @returns false if there is no room; a first frame always has room
   */
  add(frame: string, owner?: object, queued = 0): boolean {
    if (this.#frames.has(frame)) return true
    const bytes = utf8Length(frame)
    if (this.#frames.size > 0 && this.bytes + queued + bytes > this.#limit) return false
    this.#frames.set(frame, owner)
    this.bytes += bytes
    return true
  }

  /** Removes the notices of one owner. */
  discard(owner: object): void {
    for (const [frame, own] of this.#frames) {
      if (own !== owner) continue
      this.#frames.delete(frame)
      this.bytes -= utf8Length(frame)
    }
  }

  /** Empties the queue. */
  take(): readonly (readonly [frame: string, owner: object | undefined])[] {
    const all = [...this.#frames]
    this.#frames.clear()
    this.bytes = 0
    return all
  }
}
