import { usageError } from '../errors.ts'
import { MAX_TIMEOUT_MS } from './clock.ts'

/**
 * The names of all options. An object stands for a group of options, and `null` for an option that is only
 * for tests, which error messages do not list. All other values are equivalent. The type ensures that no name
 * is missing.
 */
export type OptionNames<T> = { readonly [K in keyof T]-?: unknown }

/** Hints for names that are not options, such as names from other frameworks. */
export type NameHints = Readonly<Record<string, string>>

/**
 * Checks the names of options, including those in groups. Undefined options count as absent.
 *
 * @throws `ERR_MCP_OPTION` if the options are not an object, or for an unknown name; the error suggests the
 * most similar known name
 */
export function checkNames(given: unknown, names: object, hints: NameHints = {}): void {
  if (!isGroup(given)) throw usageError('ERR_MCP_OPTION', `Options must be an object, not ${typeName(given)}`)
  checkGroup(given, { names, hints, all: names, prefix: '' })
}

interface Group {
  readonly names: object
  readonly hints: NameHints
  /** All names in the tree, for suggestions, because an option may have been passed in the wrong group. */
  readonly all: object
  readonly prefix: string
}

function checkGroup(given: object, group: Group): void {
  const names = group.names as Readonly<Record<string, unknown>>
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue
    const path = group.prefix + name
    if (!Object.hasOwn(names, name)) throw usageError('ERR_MCP_OPTION', unknownName(name, group))
    const inner = names[name]
    if (!isGroup(inner)) continue
    // Some groups may also be set to a boolean. The group's own check handles that case.
    if (isGroup(value)) checkGroup(value, { ...group, names: inner, prefix: `${path}.` })
    else check(path, typeof value === 'boolean', 'must be an object')
  }
}

function unknownName(name: string, { names, hints, all, prefix }: Group): string {
  const problem = `The option ${prefix}${name} is unknown`
  if (Object.hasOwn(hints, name)) return `${problem}: ${hints[name]}`
  const here = listed(names)
  const paths = pathsIn(all)
  // Someone who writes `sessionTtlMs` more likely means `sessions.ttlMs` than `sessions`.
  const known = new Map([...paths.map(withoutDots), ...here.map((near) => [near, prefix + near] as const)])
  const elsewhere = new Map(paths.map((path) => [path.slice(path.lastIndexOf('.') + 1), path]))
  const meant = nearestIn(known, name) ?? nearestIn(elsewhere, name)
  return meant === undefined
    ? `${problem}. Use one of ${here.join(', ')}`
    : `${problem}. Did you mean ${meant}?`
}

const withoutDots = (path: string): readonly [string, string] => [path.replaceAll('.', ''), path]

const nearestIn = (paths: ReadonlyMap<string, string>, name: string): string | undefined =>
  paths.get(nearestName(name, [...paths.keys()]) ?? '')

const isGroup = (value: unknown): value is object => typeof value === 'object' && value !== null

const listed = (names: object): string[] =>
  Object.entries(names).flatMap(([name, value]) => (value === null ? [] : [name]))

const pathsIn = (names: object, prefix = ''): string[] =>
  listed(names).flatMap((name) => {
    const value = (names as Readonly<Record<string, unknown>>)[name]
    return [prefix + name, ...(isGroup(value) ? pathsIn(value, `${prefix}${name}.`) : [])]
  })

export const typeName = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value

/** Returns only the known options, with a default for each undefined one. */
export function withDefaults<T extends object>(defaults: T, given: Partial<T>): T {
  const entries = Object.entries(defaults) as [keyof T, T[keyof T]][]
  return Object.fromEntries(entries.map(([key, fallback]) => [key, given[key] ?? fallback])) as T
}

/**
 * @throws `ERR_MCP_OPTION` unless the value is a whole number above 0; a number whose name ends in `Ms` also
 * has a maximum
 */
export function checkNumber(name: string, value: number): void {
  const valid = Number.isSafeInteger(value) && value > 0 && (!name.endsWith('Ms') || value <= MAX_TIMEOUT_MS)
  check(
    name,
    valid,
    `must be a whole number above 0${name.endsWith('Ms') ? ` and at most ${MAX_TIMEOUT_MS}` : ''}`,
  )
}

/** Checks several numbers that have the same prefix in their names. */
export function checkNumbers(prefix: string, numbers: object): void {
  for (const [name, value] of Object.entries(numbers)) checkNumber(prefix + name, value)
}

/** @throws `ERR_MCP_OPTION` for a value that is neither undefined nor an array */
export function checkArray(name: string, value: unknown, example: string): void {
  check(name, value === undefined || Array.isArray(value), `must be an array, such as ${example}`)
}

/** @throws `ERR_MCP_OPTION` with a rule such as `must be an https: URL` if the option is invalid */
export function check(name: string, valid: boolean, rule: string): void {
  if (!valid) throw usageError('ERR_MCP_OPTION', `The option ${name} ${rule}`)
}

/** The minimum length of a prefix that counts as a match. */
const MIN_BEGINNING = 3

/**
 * Returns the known name that a misspelt name most likely stands for. As in TypeScript's "did you mean", at
 * most 40 % of the characters may differ. If no name is that similar, returns a known name that starts with
 * the misspelt one, such as `ttlMs` for `ttl`, or undefined.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const wanted = fold(name)
  return similar(wanted, known) ?? (wanted.length < MIN_BEGINNING ? undefined : beginning(wanted, known))
}

const beginning = (wanted: string, known: readonly string[]): string | undefined =>
  known.find((candidate) => fold(candidate).startsWith(wanted))

function similar(wanted: string, known: readonly string[]): string | undefined {
  let least = Math.floor(wanted.length * 0.4) + 1
  let best: string | undefined
  for (const candidate of known) {
    const distance = editDistance(wanted, fold(candidate))
    if (distance >= least) continue
    least = distance
    best = candidate
  }
  return best
}

const fold = (name: string): string => name.toLowerCase().replace(/[_-]/g, '')

/** Returns the Levenshtein distance: the number of characters to add, remove or replace. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (let line = 0; line < from.length; line++) {
    const next = [line + 1]
    for (let at = 0; at < to.length; at++) {
      const replaced = (row[at] as number) + (from[line] === to[at] ? 0 : 1)
      next.push(Math.min(replaced, (row[at + 1] as number) + 1, (next[at] as number) + 1))
    }
    row = next
  }
  return row[to.length] as number
}
