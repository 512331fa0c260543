/** The minimum length of a secret. Shorter values, such as a port, may also occur by chance. */
const MIN_LENGTH = 4

/**
 * Matches names of the user's variables that probably contain secrets. A server may print them together with
 * its other variables.
 */
const SECRET_NAME = /key|token|secret|passw|credential|auth/i

/** Replaces the secrets in a string. */
export type Mask = (text: string) => string

export const secretVariables = (env: Readonly<Record<string, string | undefined>>): readonly string[] =>
  Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && SECRET_NAME.test(name) ? [value] : [],
  )

/** Creates a mask that treats all values of variables and headers as secrets. */
export function createMask(values: Iterable<string>): Mask {
  // A server may print a multi-line key one line at a time.
  const secrets = [...values]
    .flatMap((value) => [value, ...value.split(/\r?\n/)])
    .filter((value) => value.length >= MIN_LENGTH)
  const forms = new Set(
    secrets.flatMap((value) => [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)]),
  )
  // Long secrets are replaced first, because they may contain shorter ones.
  const longestFirst = [...forms].toSorted((a, b) => b.length - a.length)
  return (text) => longestFirst.reduce((masked, secret) => masked.replaceAll(secret, '***'), text)
}
