/** Values that are shorter occur by chance, such as a port. */
const MIN_LENGTH = 4

/** Variables of the user that probably have a secret. A server that prints its environment prints them. */
const SECRET_NAME = /key|token|secret|passw|credential|auth/i

/** Replaces secrets in a text. */
export type Mask = (text: string) => string

export const secretVariables = (env: Readonly<Record<string, string | undefined>>): readonly string[] =>
  Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && SECRET_NAME.test(name) ? [value] : [],
  )

/** All values of variables and headers count as secrets. */
export function createMask(values: Iterable<string>): Mask {
  const secrets = [...values].filter((value) => value.length >= MIN_LENGTH)
  const forms = new Set(
    secrets.flatMap((value) => [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)]),
  )
  // A long secret may contain a short one.
  const longestFirst = [...forms].toSorted((a, b) => b.length - a.length)
  return (text) => longestFirst.reduce((masked, secret) => masked.replaceAll(secret, '***'), text)
}
