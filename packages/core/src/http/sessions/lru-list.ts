/** A member of a {@link LruList}, which sets these properties. */
export interface Ranked<T extends Ranked<T>> {
  lastSeen: number
  /** In use, whatever `lastSeen` says. */
  readonly active: boolean
  order: LruList<T> | undefined
  older: T | undefined
  newer: T | undefined
}

/**
 * Members in the order of their last use. The list is linked through the members: every request moves one to the end, which
 * must cost neither a search nor an allocation.
 */
export class LruList<T extends Ranked<T>> {
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

  /** The member that is idle longest. Active members before it move to the end: they are in use now. */
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
