import { type Entry, isObject } from '../formats/format.ts'

/** The members of entries whose values may be secrets: variables and headers. */
const SECRET_MEMBER = /^(?:envs?|headers|http_headers|requestInit)$/

/** A reference to a variable. It does not reveal the value. */
const REFERENCE = /^\$(?:\w+|\{[\w:]+\})$/

/** An argument that names a secret, such as `--api-key`. It may also contain the value. */
const SECRET_ARGUMENT = /^(--?[\w-]*(?:key|token|secret|passw|credential|auth)[\w-]*)(?:=(.+))?$/is

/** Returns the strings that must not be printed: variables, headers, and secrets in arguments and URLs. */
export function secretsIn(value: unknown): readonly string[] {
  const secrets: string[] = []
  mapSecrets(value, undefined, (secret) => {
    secrets.push(secret)
    return secret
  })
  return secrets
}

/**
 * Replaces the strings in variables and headers, and the secrets in arguments and URLs, with `***`.
 *
 * @param other - the entry before or after a change
 * @param mark - the replacement for a string that differs from that in the other entry
 */
export const maskEntry = (entry: Entry, other: unknown = entry, mark = '***'): Entry =>
  mapSecrets(entry, other, (secret, counterpart) => {
    if (REFERENCE.test(secret)) return secret
    return secret === counterpart ? '***' : mark
  }) as Entry

type MapSecret = (secret: string, counterpart: unknown) => string

function mapSecrets(value: unknown, other: unknown, map: MapSecret, within = false): unknown {
  if (typeof value === 'string') return within ? map(value, other) : mapParts(value, value === other, map)
  const pick = (name: string | number): unknown =>
    (other as Record<string | number, unknown> | undefined)?.[name]
  if (Array.isArray(value))
    return value.map((each, index) =>
      mapSecrets(each, pick(index), map, within || followsSecretName(value, index)),
    )
  if (!isObject(value)) return value
  const members = Object.entries(value).map(([name, each]) => [
    name,
    mapSecrets(each, pick(name), map, within || SECRET_MEMBER.test(name)),
  ])
  return Object.fromEntries(members) as unknown
}

/** Returns whether an argument is the value of the argument before it, as in `['--token', 'abc']`. */
function followsSecretName(args: readonly unknown[], index: number): boolean {
  const [before, value] = [args[index - 1], args[index]]
  if (typeof before !== 'string' || typeof value !== 'string' || value.startsWith('-')) return false
  const [, name, joined] = SECRET_ARGUMENT.exec(before) ?? []
  return name !== undefined && joined === undefined
}

/** Replaces secrets that are only part of a string. */
function mapParts(text: string, isUnchanged: boolean, map: MapSecret): string {
  const replace = (secret: string): string => map(secret, isUnchanged ? secret : undefined)
  const [, name, value] = SECRET_ARGUMENT.exec(text) ?? []
  if (value !== undefined) return `${name}=${replace(value)}`
  if (!/^[a-z][\w+.-]*:\/\//i.test(text)) return text
  return text
    .replace(/\/\/([^/?#]+)@/, (_, user: string) => `//${replace(user)}@`)
    .replaceAll(/([?&][^=&#]*=)([^&#]+)/g, (_, start: string, secret: string) => start + replace(secret))
}
