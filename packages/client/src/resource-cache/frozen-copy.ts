import { weightOf } from '../util/weight.ts'

/** Returns a frozen copy, and its approximate size in bytes. */
export function frozenCopy<T>(data: T): { readonly value: T; readonly weight: number } {
  const value = structuredClone(data)
  return { value, weight: weightOf(value, Object.freeze) }
}
