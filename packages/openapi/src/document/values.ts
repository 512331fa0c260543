import type { Json } from './model.ts'

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the value if it is an object, or an empty object. */
export const asJson = (value: unknown): Json => (isJson(value) ? value : {})

/** Returns an own member. A document may have members with names such as `constructor`. */
export const member = (object: unknown, name: string): unknown =>
  isJson(object) && Object.hasOwn(object, name) ? object[name] : undefined

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const textsOf = (value: unknown): readonly string[] =>
  listOf(value).filter((item) => typeof item === 'string')

/** Removes control characters, which could forge lines in what a host shows, and cuts the text. */
export function tidy(text: string, limit: number): string {
  const clean = text
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, '')
    .trim()
  return clean.length <= limit ? clean : `${clean.slice(0, limit - 1).trimEnd()}…`
}

/** The problem of one operation, which is then left out. */
export class OperationFault extends Error {}
