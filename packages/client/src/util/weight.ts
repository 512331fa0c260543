const PER_VALUE = 16
const PER_CHARACTER = 2

/**
 * Returns the approximate size of parsed JSON, in bytes: two for each character, plus a fixed number for each
 * value.
 *
 * @param visit - called with each object and list
 */
export function weightOf(data: unknown, visit?: (value: object) => void): number {
  const left: unknown[] = [data]
  let weight = 0
  // The function is not recursive, because servers may nest data deeply.
  while (left.length > 0) {
    const each = left.pop()
    weight += PER_VALUE
    if (typeof each === 'string') weight += each.length * PER_CHARACTER
    if (typeof each !== 'object' || each === null) continue
    for (const [key, member] of Object.entries(each)) {
      if (!Array.isArray(each)) weight += key.length * PER_CHARACTER
      left.push(member)
    }
    visit?.(each)
  }
  return weight
}
