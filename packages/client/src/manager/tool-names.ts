import type { Tool } from '@jetway/core/protocol'

/** A tool of one of the servers. */
export interface NamedTool {
  readonly server: string
  /** By which it is called. */
  readonly name: string
  readonly tool: Tool
}

const PREFIX = 'mcp__'
const BETWEEN = '__'
/** Hexadecimal digits of a digest: more where fewer were not enough. */
const DIGITS = [8, 16, 24] as const
/** Shorter names have no room for what tells them apart. */
const LEAST_LENGTH = 40
/** Each tool may be in the way of the next by the name that it gets: only a server that means harm gets this far. */
const MAX_ROUNDS = 8
const ALIEN = /[^a-zA-Z0-9_-]/g

export const plainName = (server: string, tool: string): string => `${PREFIX}${server}${BETWEEN}${tool}`

export const isFullName = (name: string): boolean => name.startsWith(PREFIX)

/** The tool that a full name would be, if it were one of this server. */
export function toolIn(name: string, server: string): string | undefined {
  const start = `${PREFIX}${server}${BETWEEN}`
  return name.startsWith(start) ? name.slice(start.length) : undefined
}

/** @throws RangeError */
export function checkNameLength(max: number | undefined): void {
  if (max !== undefined && !(Number.isInteger(max) && max >= LEAST_LENGTH))
    throw new RangeError(`maxNameLength is a whole number from ${LEAST_LENGTH}, not ${max}`)
}

interface Naming {
  readonly server: string
  readonly tool: Tool
  name: string
  /** How often it had to make way; its digest has so many digits. */
  step: number
}

/**
 * Names for the tools of all servers: `mcp__server__tool`. Where that is no name by the host's limits, or is that of
 * another tool as well (`a__b` has `c`, and `a` has `b__c`), a digest of both tells them apart. Which tool has which name
 * depends on the tools alone, and no two have the same. Those for which there is no name are left out.
 *
 * @param maxLength where a host wants short names, of letters, digits, `_` and `-` alone
 */
export async function nameTools(
  tools: readonly Omit<NamedTool, 'name'>[],
  maxLength: number | undefined,
): Promise<readonly NamedTool[]> {
  const namings = tools.map(({ server, tool }): Naming => {
    const name = plainName(server, tool.name)
    const fits = maxLength === undefined || (name.length <= maxLength && name.search(ALIEN) === -1)
    return { server, tool, name, step: fits ? 0 : 1 }
  })
  let toName: readonly Naming[] = namings.filter(({ step }) => step > 0)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    await Promise.all(toName.map((naming) => rename(naming, maxLength)))
    toName = inTheWay(namings)
    if (toName.length === 0) break
    for (const naming of toName) naming.step++
  }
  const nameless = new Set(toName)
  return namings.flatMap((naming) => {
    const { server, tool, name, step } = naming
    return nameless.has(naming) || step > DIGITS.length ? [] : [{ server, name, tool }]
  })
}

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
    const [only] = same.filter(({ step }) => step === last)
    return same.length - before.length === 1 && only !== undefined ? before : same
  })
}

async function rename(naming: Naming, maxLength: number | undefined): Promise<void> {
  const digits = DIGITS[naming.step - 1]
  if (digits === undefined) return
  const { server, tool } = naming
  const suffix = `_${await digest(JSON.stringify([server, tool.name]), digits)}`
  const plain = plainName(server, tool.name)
  const start =
    maxLength === undefined ? plain : plain.replaceAll(ALIEN, '_').slice(0, maxLength - suffix.length)
  naming.name = `${start}${suffix}`
}

async function digest(text: string, digits: number): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return Array.from(bytes.subarray(0, digits / 2), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
