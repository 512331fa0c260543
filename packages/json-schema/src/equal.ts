/**
 * Returns whether two values are the same JSON, regardless of the order of properties. Used by `const`,
 * `enum` and `uniqueItems`.
 */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null)
    return Number.isNaN(a) && Number.isNaN(b)
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every(
      (key) =>
        Object.hasOwn(b, key) &&
        isEqual((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
    )
  )
}

/**
 * Counts characters as JSON Schema does, in code points. See
 * https://json-schema.org/draft/2020-12/json-schema-validation#section-6.3.
 */
export function textLength(text: string): number {
  let length = 0
  for (let at = 0; at < text.length; at += text.codePointAt(at)! > 0xffff ? 2 : 1) length++
  return length
}

/**
 * Returns the indexes of two equal items in a list, in time that is linear in the length of the list.
 *
 * @returns undefined if all items are different
 */
export function findDuplicates(
  items: readonly unknown[],
): readonly [first: number, second: number] | undefined {
  const plain = new Map<unknown, number>()
  const structured = new Map<string, number>()
  let found: readonly [number, number] | undefined
  for (const [i, item] of items.entries()) {
    const isPlain = typeof item !== 'object' || item === null
    const key = isPlain ? item : canonical(item)
    const latest = isPlain ? plain : (structured as Map<unknown, number>)
    const before = latest.get(key)
    if (before !== undefined) found = [before, i]
    latest.set(key, i)
  }
  return found
}

/** Returns a string that is the same for all equal values. */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`)
  return `{${members.toSorted().join()}}`
}
