import { type Linked, LinkedList } from '../../util/linked-list.ts'

/** A member of a {@link LruList}. */
export interface Ranked<T extends Ranked<T>> extends Linked<T> {
  lastSeen: number
  /** In use, whatever `lastSeen` says. */
  readonly active: boolean
  list: LruList<T> | undefined
}

/** Members in the order of their last use. */
export class LruList<T extends Ranked<T>> extends LinkedList<T> {
  use(member: T, now: number): void {
    member.lastSeen = now
    if (member === this.last) return
    this.remove(member)
    this.add(member)
  }

  /** The member that is idle longest. Active members before it move to the end: they are in use now. */
  oldestIdle(now: number): T | undefined {
    const { last } = this
    for (let member = this.first; member !== undefined;) {
      if (!member.active) return member
      if (member === last) return undefined
      const { next } = member
      this.use(member, now)
      member = next
    }
    return undefined
  }
}
