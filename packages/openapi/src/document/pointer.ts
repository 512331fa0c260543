import type { Json } from './model.ts'
import { isJson } from './values.ts'

/** References that lead to references. Longer chains are treated as unresolvable. */
const MAX_CHAIN = 32

/** @returns the value at a reference such as `#/components/schemas/Pet`; undefined if there is none */
export function lookUp(root: Json, reference: string): unknown {
  if (reference === '#') return root
  if (!reference.startsWith('#/')) return undefined
  let at: unknown = root
  for (const token of reference.slice(2).split('/')) {
    const key = decode(token)
    if (key === undefined || typeof at !== 'object' || at === null || !Object.hasOwn(at, key))
      return undefined
    at = (at as Json)[key]
  }
  return at
}

function decode(token: string): string | undefined {
  try {
    return decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return undefined
  }
}

/** @returns the object that a value is, or that it refers to; undefined if there is none */
export function resolve(root: Json, value: unknown): Json | undefined {
  let at = value
  for (let steps = 0; steps < MAX_CHAIN; steps++) {
    if (!isJson(at)) return undefined
    const reference = at['$ref']
    if (typeof reference !== 'string') return at
    at = lookUp(root, reference)
  }
  return undefined
}

/** @returns the last part of a reference, as a name */
export const lastName = (reference: string): string => {
  const token = reference.slice(reference.lastIndexOf('/') + 1)
  const name = (decode(token) ?? token).replace(/[^A-Za-z0-9_.-]+/g, '_').slice(0, 64)
  return name === '' || name === '__proto__' ? 'schema' : name
}
