/** Deeper values take the way over `JSON.parse`, which does not recurse on this stack. */
const MAX_DEPTH = 100

/**
 * Whether JSON would carry the value as it is, so that validating it is validating what the peer will read.
 * May say no of a value that JSON does carry; never yes of one that it changes. Getters are taken to answer
 * the same twice.
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
  // By index, as JSON does it: a hole reads as undefined, which JSON turns into null.
  for (let i = 0; i < items.length; i++) {
    if (!isJsonFaithful(items[i], depth + 1)) return false
  }
  return true
}

function isFaithfulObject(object: object, depth: number): boolean {
  const prototype: unknown = Object.getPrototypeOf(object)
  // Anything with a class may have toJSON, or getters that a validator sees and JSON does not.
  if (prototype !== Object.prototype && prototype !== null) return false
  if ((object as { toJSON?: unknown }).toJSON !== undefined) return false
  // A plain object has its own keys only. Object.keys would build an array of them.
  for (const key in object) {
    if (!isJsonFaithful((object as Record<string, unknown>)[key], depth + 1)) return false
  }
  return true
}
