import { usageError } from '../errors.ts'
import { MAX_TIMEOUT_MS } from './clock.ts'

/** Picks the known keys. An option that is undefined gets its default. */
export function withDefaults<T extends object>(defaults: T, given: Partial<T>): T {
  const entries = Object.entries(defaults) as [keyof T, T[keyof T]][]
  return Object.fromEntries(entries.map(([key, fallback]) => [key, given[key] ?? fallback])) as T
}

/** @throws `ERR_MCP_OPTION` unless the value is a whole number above 0; names that end in `Ms` have a maximum */
export function checkNumber(name: string, value: number): void {
  const valid = Number.isSafeInteger(value) && value > 0 && (!name.endsWith('Ms') || value <= MAX_TIMEOUT_MS)
  check(
    name,
    valid,
    `must be a whole number above 0${name.endsWith('Ms') ? ` and at most ${MAX_TIMEOUT_MS}` : ''}`,
  )
}

/** Checks several numbers whose names have a common prefix. */
export function checkNumbers(prefix: string, numbers: object): void {
  for (const [name, value] of Object.entries(numbers)) checkNumber(prefix + name, value)
}

/** @throws `ERR_MCP_OPTION` with the rule */
export function check(name: string, valid: boolean, rule: string): void {
  if (!valid) throw usageError('ERR_MCP_OPTION', `The option ${name} ${rule}`)
}
