/** UTF-16 units that may wait. */
const MAX_LENGTH = 1_048_576

/** What has to be said once a slow peer has caught up: in order, and each frame once however often it was to be said. */
export class CoalescingQueue {
  readonly #frames = new Map<string, object | undefined>()
  #length = 0

  /** @returns false where there is no room for the frame; a first one always has some */
  add(frame: string, owner: object | undefined): boolean {
    if (this.#frames.has(frame)) return true
    if (this.#frames.size > 0 && this.#length + frame.length > MAX_LENGTH) return false
    this.#frames.set(frame, owner)
    this.#length += frame.length
    return true
  }

  /** Leaves unsaid what was to be said for an owner. */
  discard(owner: object): void {
    for (const [frame, own] of this.#frames) {
      if (own !== owner) continue
      this.#frames.delete(frame)
      this.#length -= frame.length
    }
  }

  /** Empties it. */
  take(): readonly (readonly [frame: string, owner: object | undefined])[] {
    const all = [...this.#frames]
    this.#frames.clear()
    this.#length = 0
    return all
  }
}
