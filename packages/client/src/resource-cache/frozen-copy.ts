export interface FrozenCopy<T> {
  readonly value: T
  /** Bytes that it may take in memory, roughly: two for each character, and some for each value. */
  readonly weight: number
}

const PER_VALUE = 16
const PER_CHARACTER = 2

/** A copy of JSON data that nobody can change, neither whoever gave the original nor whoever gets the copy. */
export function frozenCopy<T>(data: T): FrozenCopy<T> {
  const value = structuredClone(data)
  const left: unknown[] = [value]
  let weight = 0
  // A list instead of recursion: how deep the data of a server goes is the server's choice.
  while (left.length > 0) {
    const each = left.pop()
    weight += PER_VALUE
    if (typeof each === 'string') weight += each.length * PER_CHARACTER
    if (typeof each !== 'object' || each === null) continue
    for (const [key, member] of Object.entries(each)) {
      if (!Array.isArray(each)) weight += key.length * PER_CHARACTER
      left.push(member)
    }
    Object.freeze(each)
  }
  return { value, weight }
}
