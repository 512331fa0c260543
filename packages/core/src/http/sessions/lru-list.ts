/** What stands in a {@link LruList}, which alone writes its place. */
export interface Ranked<T> {
  lastSeen: number
  /** In use, whatever `lastSeen` says. */
  readonly active: boolean
  order: LruListOf<T> | undefined
  older: T | undefined
  newer: T | undefined
}

/** What a member may ask of the order that it stands in. */
export interface LruListOf<T> {
  remove(member: T): void
  use(member: T, now: number): void
}

/**
 * Sessions by their last use. A linked list through the sessions themselves: every request moves one to the end, which
 * must cost neither a search nor an allocation, and a flood of new sessions takes from the front.
 */
export class LruList<T extends Ranked<T>> implements LruListOf<T> {
  #oldest: T | undefined
  #newest: T | undefined

  add(member: T): void {
    member.older = this.#newest
    member.newer = undefined
    member.order = this
    if (this.#newest === undefined) this.#oldest = member
    else this.#newest.newer = member
    this.#newest = member
  }

  remove(member: T): void {
    const { older, newer } = member
    if (older === undefined) this.#oldest = newer
    else older.newer = newer
    if (newer === undefined) this.#newest = older
    else newer.older = older
    member.older = member.newer = member.order = undefined
  }

  use(member: T, now: number): void {
    member.lastSeen = now
    if (member === this.#newest) return
    this.remove(member)
    this.add(member)
  }

  /** The one idle longest. Active ones on the way there are in use at this very moment, and are not met again soon. */
  oldestIdle(now: number): T | undefined {
    const last = this.#newest
    for (let member = this.#oldest; member !== undefined;) {
      if (!member.active) return member
      if (member === last) return undefined
      const { newer } = member
      this.use(member, now)
      member = newer
    }
    return undefined
  }
}
