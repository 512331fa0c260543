import { usageError } from '../errors.ts'
import { MAX_TIMEOUT_MS } from './clock.ts'

/** Picks the known keys; an option that is given as undefined counts as left out. */
export function withDefaults<T extends object>(defaults: T, given: Partial<T>): T {
  const entries = Object.entries(defaults) as [keyof T, T[keyof T]][]
  return Object.fromEntries(entries.map(([key, fallback]) => [key, given[key] ?? fallback])) as T
}

/** @throws `ERR_MCP_OPTION` for what is no whole number above 0, nor one of milliseconds where the name says so */
export function checkNumber(name: string, value: number): void {
  const fine = Number.isSafeInteger(value) && value > 0 && (!name.endsWith('Ms') || value <= MAX_TIMEOUT_MS)
  check(
    name,
    fine,
    `must be a whole number above 0${name.endsWith('Ms') ? ` and at most ${MAX_TIMEOUT_MS}` : ''}`,
  )
}

/** The same for each of several, below a common name. */
export function checkNumbers(prefix: string, numbers: object): void {
  for (const [name, value] of Object.entries(numbers)) checkNumber(prefix + name, value)
}

/** @throws `ERR_MCP_OPTION`, which says the rule */
export function check(name: string, fine: boolean, rule: string): void {
  if (!fine) throw usageError('ERR_MCP_OPTION', `The option ${name} ${rule}`)
}
