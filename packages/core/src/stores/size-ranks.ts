/** A member of {@link SizeRanks}, which sets `rank`. */
export interface Sized {
  readonly bytes: number
  rank: number
}

/**
 * Finds one of the largest members: no other member is more than twice as large. Maintaining an exact order
 * would make every change of a size more expensive.
 */
export class SizeRanks<T extends Sized> {
  /** The members, grouped by the number of bits in their size. */
  readonly #ranks: (Set<T> | undefined)[] = []

  /** Must be called after every change of a member's size. A member without bytes is removed. */
  update(member: T): void {
    const rank = member.bytes === 0 ? 0 : 1 + Math.floor(Math.log2(member.bytes))
    if (rank === member.rank) return
    this.#ranks[member.rank]?.delete(member)
    member.rank = rank
    if (rank > 0) (this.#ranks[rank] ??= new Set()).add(member)
  }

  largest(): T | undefined {
    for (let rank = this.#ranks.length - 1; rank > 0; rank--) {
      const [first] = this.#ranks[rank] ?? []
      if (first !== undefined) return first
    }
    return undefined
  }
}
