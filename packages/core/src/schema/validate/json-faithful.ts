/** Deeper values are checked through `JSON.parse`, which does not recurse on this stack. */
const MAX_DEPTH = 100

/**
 * Whether JSON reproduces the value, so that validating it validates what the peer will read. May return false
 * for a value that JSON does reproduce, but never true for one that it changes. Getters are assumed to return
 * the same value twice.
 */
export function isJsonFaithful(value: unknown, depth = 0): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true
    case 'number':
      return Number.isFinite(value)
    case 'object':
      if (value === null) return true
      if (depth >= MAX_DEPTH) return false
      return Array.isArray(value) ? isFaithfulArray(value, depth) : isFaithfulObject(value, depth)
    default:
      return false
  }
}

function isFaithfulArray(items: readonly unknown[], depth: number): boolean {
  if ((items as { toJSON?: unknown }).toJSON !== undefined) return false
  // By index, like JSON: a hole reads as undefined, which JSON turns into null.
  for (let i = 0; i < items.length; i++) {
    if (!isJsonFaithful(items[i], depth + 1)) return false
  }
  return true
}

function isFaithfulObject(object: object, depth: number): boolean {
  const prototype: unknown = Object.getPrototypeOf(object)
  // Instances may have toJSON, or getters that a validator sees and JSON does not.
  if (prototype !== Object.prototype && prototype !== null) return false
  if ((object as { toJSON?: unknown }).toJSON !== undefined) return false
  // A plain object has only own keys. Object.keys would create an array of them.
  for (const key in object) {
    if (!isJsonFaithful((object as Record<string, unknown>)[key], depth + 1)) return false
  }
  return true
}
