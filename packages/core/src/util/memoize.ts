/** Calls a function once per object, and forgets the value with the object. */
export function memoize<Key extends object, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const values = new WeakMap<Key, Value>()
  return (key) => {
    let value = values.get(key)
    if (value === undefined) values.set(key, (value = compute(key)))
    return value
  }
}
