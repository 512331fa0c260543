import type { AnyPrompt, AnyResource, AnyResourceTemplate, AnyTool, Source } from '@jetway/core'

export type Tool = AnyTool
export type Resource = AnyResource
export type Template = AnyResourceTemplate
export type Prompt = AnyPrompt
export type AnySource = Source<never, never>

/**
 * Returns a copy of a definition with other members. The prototype is kept, because a definition may be an
 * instance of a class with the handler as a method.
 */
export function derive<Definition extends object>(
  definition: Definition,
  changes: { readonly [Member in keyof Definition]?: Definition[Member] | undefined },
): Definition {
  const copy = Object.create(Object.getPrototypeOf(definition) as object) as Definition
  return Object.defineProperties(Object.assign(copy, definition), Object.getOwnPropertyDescriptors(changes))
}

/** Like `memoize`, for values that also depend on plain data. Keeps the last value of each object. */
export function cached<Key extends object, Data, Value>(
  compute: (key: Key, data: Data) => Value,
): (key: Key, data: Data) => Value {
  const values = new WeakMap<Key, { readonly data: string; readonly value: Value }>()
  return (key, data) => {
    const text = JSON.stringify(data)
    const known = values.get(key)
    if (known?.data === text) return known.value
    const value = compute(key, data)
    values.set(key, { data: text, value })
    return value
  }
}
