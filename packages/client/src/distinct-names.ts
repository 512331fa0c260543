/** What wants a name. */
export interface Wish {
  /** The name that it has where that is possible. */
  readonly name: string
  /** What it is and no other: the digest that tells it apart is of this. */
  readonly identity: string
}

/** Hexadecimal digits of a digest: more where fewer were not enough. */
const DIGITS = [8, 16, 24] as const
/** Each may be in the way of the next by the name that it gets: only a server that means harm gets this far. */
const MAX_ROUNDS = 8
const ALIEN = /[^a-zA-Z0-9_-]/g

interface Naming {
  readonly wish: Wish
  name: string
  /** How often it had to make way; its digest has so many digits. */
  step: number
}

/**
 * A name for each, in their order, which no other has. Where its own is none by the limits, or is that of another as well,
 * a digest tells it apart. Which has which depends on the wishes alone, not on their order. Undefined: there is none.
 *
 * @param maxLength where short names are wanted, of letters, digits, `_` and `-` alone
 */
export async function distinctNames(
  wishes: readonly Wish[],
  maxLength: number | undefined,
): Promise<readonly (string | undefined)[]> {
  const namings = wishes.map((wish): Naming => {
    const { name } = wish
    return { wish, name, step: isPossible(name, maxLength) ? 0 : 1 }
  })
  let toName: readonly Naming[] = namings.filter(({ step }) => step > 0)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    await Promise.all(toName.map((naming) => rename(naming, maxLength)))
    toName = inTheWay(namings)
    if (toName.length === 0) break
    for (const naming of toName) naming.step++
  }
  const nameless = new Set(toName)
  return namings.map((naming) =>
    nameless.has(naming) || naming.step > DIGITS.length ? undefined : naming.name,
  )
}

const isPossible = (name: string, maxLength: number | undefined): boolean =>
  maxLength === undefined || (name !== '' && name.length <= maxLength && name.search(ALIEN) === -1)

/**
 * Those that have a name which others have too. One that has a digest already may keep it from one that has not: a server
 * could give a tool the name that another's is going to have.
 */
function inTheWay(namings: readonly Naming[]): readonly Naming[] {
  const byName = new Map<string, Naming[]>()
  for (const naming of namings) {
    if (naming.step > DIGITS.length) continue
    const same = byName.get(naming.name)
    if (same === undefined) byName.set(naming.name, [naming])
    else same.push(naming)
  }
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
  const { name, identity } = naming.wish
  const suffix = `_${await digest(identity, digits)}`
  const start =
    maxLength === undefined ? name : name.replaceAll(ALIEN, '_').slice(0, maxLength - suffix.length)
  naming.name = `${start}${suffix}`
}

async function digest(text: string, digits: number): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return Array.from(bytes.subarray(0, digits / 2), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
