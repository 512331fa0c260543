const PER_VALUE = 16
const PER_CHARACTER = 2

/**
 * Returns a frozen copy. `weight` is its approximate size in bytes: two for each character, plus a fixed
 * amount for each value.
 */
export function frozenCopy<T>(data: T): { readonly value: T; readonly weight: number } {
  const value = structuredClone(data)
  const left: unknown[] = [value]
  let weight = 0
  // Not recursive, because servers may nest data deeply.
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
