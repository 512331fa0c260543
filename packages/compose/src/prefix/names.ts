import { UsageError } from '@jetway/core'
import { uniqueNames } from '@jetway/client/unique-names'
import type { Awaitable } from '@jetway/core/compose'

/** Models' APIs accept these characters in names, and not the dot or the slash. */
const PREFIX = /^[A-Za-z0-9_-]{1,64}$/
const SEPARATOR = /^[_-]{1,4}$/
/** The smallest maximum. Shorter names would leave no room for a digest. */
const MIN_LENGTH = 40

interface Naming {
  readonly prefix: string
  readonly separator: string
  readonly maxLength: number | undefined
}

/** @throws `ERR_MCP_INVALID_NAME`, `ERR_MCP_OPTION` */
export function checkNaming({ prefix, separator, maxLength }: Naming): void {
  if (typeof prefix !== 'string' || !PREFIX.test(prefix))
    throw new UsageError(
      'ERR_MCP_INVALID_NAME',
      'prefix needs a name of 1 to 64 of the characters A-Z, a-z, 0-9, "_" and "-"',
    )
  if (typeof separator !== 'string' || !SEPARATOR.test(separator))
    throw new UsageError('ERR_MCP_OPTION', 'The separator of prefix has 1 to 4 of the characters "_" and "-"')
  if (maxLength !== undefined && !(Number.isInteger(maxLength) && maxLength >= MIN_LENGTH))
    throw new UsageError('ERR_MCP_OPTION', `maxNameLength must be a whole number from ${MIN_LENGTH}`)
}

/**
 * Returns a prefixed name for each name. With a maximum length, a name that is too long, or has characters that
 * models' APIs refuse, ends with a digest. Only then the names are a promise.
 */
export function prefixed(names: readonly string[], naming: Naming): Awaitable<readonly string[]> {
  const { prefix, separator, maxLength } = naming
  const plain = names.map((name) => `${prefix}${separator}${name}`)
  if (maxLength === undefined || plain.every((name) => name.length <= maxLength && PREFIX_CHARS.test(name)))
    return plain
  const requests = plain.map((name, index) => ({ name, identity: JSON.stringify([prefix, names[index]]) }))
  // A name that cannot be made unique stays too long, so that the server leaves it out and logs it.
  return uniqueNames(requests, maxLength).then((found) =>
    found.map((name, index) => name ?? (plain[index] as string)),
  )
}

const PREFIX_CHARS = /^[A-Za-z0-9_-]*$/
