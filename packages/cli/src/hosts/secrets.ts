import { type Entry, isObject } from '../formats/format.ts'

/** The members of entries whose values may be secrets: variables and headers. */
const SECRET_MEMBER = /^(?:envs?|headers|http_headers|requestInit)$/

/** A reference to a variable, which shows no value. */
const REFERENCE = /^\$(?:\w+|\{[\w:]+\})$/

/** Returns all strings in variables and headers, which must not be printed. */
export function secretsIn(value: unknown): readonly string[] {
  const secrets: string[] = []
  mapSecrets(value, undefined, (secret) => {
    secrets.push(secret)
    return secret
  })
  return secrets
}

/**
 * Replaces the strings in variables and headers by `***`.
 *
 * @param other - the entry before or after a change
 * @param mark - the replacement of a string that is different there
 */
export const maskEntry = (entry: Entry, other: unknown = entry, mark = '***'): Entry =>
  mapSecrets(entry, other, (secret, counterpart) => {
    if (REFERENCE.test(secret)) return secret
    return secret === counterpart ? '***' : mark
  }) as Entry

type MapSecret = (secret: string, counterpart: unknown) => string

function mapSecrets(value: unknown, other: unknown, map: MapSecret, within = false): unknown {
  if (typeof value === 'string') return within ? map(value, other) : value
  const pick = (name: string | number): unknown =>
    (other as Record<string | number, unknown> | undefined)?.[name]
  if (Array.isArray(value)) return value.map((each, index) => mapSecrets(each, pick(index), map, within))
  if (!isObject(value)) return value
  const members = Object.entries(value).map(([name, each]) => [
    name,
    mapSecrets(each, pick(name), map, within || SECRET_MEMBER.test(name)),
  ])
  return Object.fromEntries(members) as unknown
}
