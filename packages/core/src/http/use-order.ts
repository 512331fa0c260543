import type { LiveSession } from './live-session.ts'

/**
 * Sessions by their last use. A linked list through the sessions themselves: every request moves one to the end, which
 * must cost neither a search nor an allocation, and a flood of new sessions takes from the front.
 */
export class UseOrder {
  #oldest: LiveSession | undefined
  #newest: LiveSession | undefined

  add(live: LiveSession): void {
    live.older = this.#newest
    live.newer = undefined
    live.order = this
    if (this.#newest === undefined) this.#oldest = live
    else this.#newest.newer = live
    this.#newest = live
  }

  remove(live: LiveSession): void {
    const { older, newer } = live
    if (older === undefined) this.#oldest = newer
    else older.newer = newer
    if (newer === undefined) this.#newest = older
    else newer.older = older
    live.older = live.newer = live.order = undefined
  }

  use(live: LiveSession, now: number): void {
    live.lastSeen = now
    if (live === this.#newest) return
    this.remove(live)
    this.add(live)
  }

  /** The one idle longest. Active ones on the way there are in use at this very moment, and are not met again soon. */
  oldestIdle(now: number): LiveSession | undefined {
    const last = this.#newest
    for (let live = this.#oldest; live !== undefined;) {
      if (!live.active) return live
      if (live === last) return undefined
      const { newer } = live
      this.use(live, now)
      live = newer
    }
    return undefined
  }
}

/** Which of two to close first: one that never was initialized, then the one idle longer. */
export function closesBefore(a: LiveSession, b: LiveSession): boolean {
  const first = a.session.record.initialized
  return first === b.session.record.initialized ? a.lastSeen < b.lastSeen : !first
}
