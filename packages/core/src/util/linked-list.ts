/** A member of a {@link LinkedList}. The list sets these properties. */
export interface Linked<T extends Linked<T>> {
  list: LinkedList<T> | undefined
  previous: T | undefined
  next: T | undefined
}

/**
 * A list that is linked through its members. Adding or removing a member needs neither a search nor an
 * allocation.
 */
export class LinkedList<T extends Linked<T>> {
  first: T | undefined
  last: T | undefined

  /** Adds a member at the end. The member must not already be in a list. */
  add(member: T): void {
    // The cast is needed because the type of `list` in `T` may be narrower.
    ;(member as Linked<T>).list = this
    member.previous = this.last
    if (this.last === undefined) this.first = member
    else this.last.next = member
    this.last = member
  }

  remove(member: T): void {
    const { previous, next } = member
    if (previous === undefined) this.first = next
    else previous.next = next
    if (next === undefined) this.last = previous
    else next.previous = previous
    member.list = member.previous = member.next = undefined
  }
}
