import { whole } from './host-result.ts'

/** What has a name, and whose it is. */
export interface Named {
  readonly name: string
  readonly server: string
}

/** What OpenAI and Anthropic take for a name: https://platform.openai.com/docs/api-reference/chat/create */
const MAX_LENGTH = 64
const ALIEN = /[^a-zA-Z0-9_-]/g
/** Hexadecimal digits of a digest: more where fewer were not enough. */
const DIGITS = [8, 16, 24] as const

interface Naming {
  readonly named: Named
  name: string
  step: number
}

/**
 * For each, in their order, a name of at most 64 letters, digits, `_` and `-`, which no other has: its own where that is
 * one, or else what is left of that with a digest of the server and the whole name. It depends on what is named alone, not
 * on the order.
 *
 * @throws TypeError where two are the same tool of the same server
 */
export async function modelNames(all: readonly Named[]): Promise<readonly string[]> {
  const namings = all.map((named): Naming => {
    const { name } = named
    const fits = name !== '' && name.length <= MAX_LENGTH && name.search(ALIEN) === -1
    return { named, name, step: fits ? 0 : 1 }
  })
  let toName: readonly Naming[] = namings.filter(({ step }) => step > 0)
  for (;;) {
    await Promise.all(toName.map(rename))
    toName = inTheWay(namings)
    if (toName.length === 0) return namings.map(({ name }) => name)
    for (const naming of toName) {
      if (naming.step++ < DIGITS.length) continue
      const { name, server } = naming.named
      throw new TypeError(
        `The tool ${name} of the server ${JSON.stringify(server)} is there twice: give its clients names`,
      )
    }
  }
}

/**
 * Those that must make way for another of the same name. One whose name has a digest keeps it before one that is called
 * so by its server: that could be chosen in order to be taken for the other.
 */
function inTheWay(namings: readonly Naming[]): readonly Naming[] {
  const byName = new Map<string, Naming[]>()
  for (const naming of namings) byName.set(naming.name, [...(byName.get(naming.name) ?? []), naming])
  return [...byName.values()].flatMap((same) => {
    if (same.length === 1) return []
    const last = Math.max(...same.map(({ step }) => step))
    const before = same.filter(({ step }) => step < last)
    return before.length === same.length - 1 ? before : same
  })
}

async function rename(naming: Naming): Promise<void> {
  const { name, server } = naming.named
  const suffix = `_${await digest(JSON.stringify([server, name]), DIGITS[naming.step - 1] ?? 0)}`
  naming.name = `${name.replaceAll(ALIEN, '_').slice(0, MAX_LENGTH - suffix.length)}${suffix}`
}

async function digest(text: string, digits: number): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return Array.from(bytes.subarray(0, digits / 2), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** A description that is not longer than an interface takes it, with its end: of which server the tool is. */
export function shortened(description: string, max: number): string {
  if (description.length <= max) return description
  const [source = ''] = / \(MCP server: [^()]*\)$/.exec(description) ?? []
  const end = `…${source}`
  return `${whole(description, Math.max(0, max - end.length))}${end}`
}
