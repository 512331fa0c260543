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
    case 'object': {
      if (value === null) return true
      if (depth >= MAX_DEPTH || (value as { toJSON?: unknown }).toJSON !== undefined) return false
      if (Array.isArray(value)) {
        // By index, as JSON does it: a hole reads as undefined, which JSON turns into null.
        for (let i = 0; i < value.length; i++) if (!isJsonFaithful(value[i], depth + 1)) return false
        return true
      }
      const prototype: unknown = Object.getPrototypeOf(value)
      // Anything with a class may have toJSON, or getters that a validator sees and JSON does not.
      if (prototype !== Object.prototype && prototype !== null) return false
      // A plain object has its own keys only. Object.keys would build an array of them.
      for (const key in value)
        if (!isJsonFaithful((value as Record<string, unknown>)[key], depth + 1)) return false
      return true
    }
    default:
      return false
  }
}
