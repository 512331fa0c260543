/** A request for a unique name. */
export interface NameRequest {
  readonly name: string
  /** Identifies the object that needs a name. The digest is computed from this string. */
  readonly identity: string
}

/** The possible lengths of a digest, in hexadecimal digits. If digests collide, longer ones are used. */
const DIGITS = [8, 16, 24] as const
/** The maximum number of rounds. Only names that were chosen in order to collide need more. */
const MAX_ROUNDS = 8
const DISALLOWED = /[^a-zA-Z0-9_-]/g

interface Naming {
  readonly request: NameRequest
  name: string
  /** The index of the digest's length in DIGITS, counted from 1; 0 without a digest. */
  step: number
}

/**
 * Returns unique names, in the order of the requests. A digest is added to a name that exceeds the limit or
 * that several requests share. A name does not depend on the order of the requests. It is undefined if no
 * unique name was found.
 *
 * @param maxLength - if set, names contain only letters, digits, `_` and `-`
 */
export async function uniqueNames(
  requests: readonly NameRequest[],
  maxLength: number | undefined,
): Promise<readonly (string | undefined)[]> {
  const namings = requests.map((request): Naming => {
    const { name } = request
    return { request, name, step: isAllowed(name, maxLength) ? 0 : 1 }
  })
  let pending: readonly Naming[] = namings.filter(({ step }) => step > 0)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    await Promise.all(pending.map((naming) => rename(naming, maxLength)))
    pending = colliding(namings)
    if (pending.length === 0) break
    for (const naming of pending) naming.step++
  }
  const failed = new Set(pending)
  return namings.map((naming) =>
    failed.has(naming) || naming.step > DIGITS.length ? undefined : naming.name,
  )
}

const isAllowed = (name: string, maxLength: number | undefined): boolean =>
  maxLength === undefined || (name !== '' && name.length <= maxLength && name.search(DISALLOWED) === -1)

/**
 * Returns the colliding names, except a name with a longer digest, because otherwise a server could take that
 * name.
 */
function colliding(namings: readonly Naming[]): readonly Naming[] {
  const byName = new Map<string, Naming[]>()
  for (const naming of namings)
    if (naming.step <= DIGITS.length) byName.set(naming.name, [...(byName.get(naming.name) ?? []), naming])
  return [...byName.values()].flatMap((same) => {
    if (same.length === 1) return []
    const last = Math.max(...same.map(({ step }) => step))
    const before = same.filter(({ step }) => step < last)
    return before.length === same.length - 1 ? before : same
  })
}

async function rename(naming: Naming, maxLength: number | undefined): Promise<void> {
  const digits = DIGITS[naming.step - 1]
  if (digits === undefined) return
  const { name, identity } = naming.request
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(identity)))
  const suffix = `_${Array.from(hash.subarray(0, digits / 2), (byte) => byte.toString(16).padStart(2, '0')).join('')}`
  const start =
    maxLength === undefined ? name : name.replaceAll(DISALLOWED, '_').slice(0, maxLength - suffix.length)
  naming.name = `${start}${suffix}`
}
