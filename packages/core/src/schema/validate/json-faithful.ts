/** The maximum depth. Deeper values are checked through `JSON.parse`, which does not recurse on this stack. */
const MAX_DEPTH = 100

/**
 * Returns whether JSON reproduces the value. If so, validating the value is equivalent to validating what the
 * peer will read. May return false for a value that JSON does reproduce, but never true for a value that JSON
 * changes. Getters are assumed to return the same value each time.
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
        // Items are read by index, as in JSON serialisation. A hole reads as undefined, which JSON converts to
        // null.
        for (let i = 0; i < value.length; i++) if (!isJsonFaithful(value[i], depth + 1)) return false
        return true
      }
      const prototype: unknown = Object.getPrototypeOf(value)
      // Instances may have a `toJSON` method, or getters that are visible to a validator but not to JSON.
      if (prototype !== Object.prototype && prototype !== null) return false
      // A plain object has only own keys, so `for...in` is used, because `Object.keys` would create an array.
      for (const key in value)
        if (!isJsonFaithful((value as Record<string, unknown>)[key], depth + 1)) return false
      return true
    }
    default:
      return false
  }
}
