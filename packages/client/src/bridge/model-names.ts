import { distinctNames } from '../distinct-names.ts'
import { whole } from './parts.ts'

/** What has a name, and whose it is. */
export interface Named {
  readonly name: string
  readonly server: string
}

/** What OpenAI and Anthropic take for a name: https://platform.openai.com/docs/api-reference/chat/create */
const MAX_LENGTH = 64

/**
 * For each, in their order, a name of at most 64 letters, digits, `_` and `-`, which no other has: its own where that is
 * one, or else what is left of that with a digest of the server and the whole name. Undefined where its server has left no
 * name for it, by calling other tools as this one would have to be called.
 *
 * @throws TypeError where two are the same tool of the same server
 */
export async function modelNames(all: readonly Named[]): Promise<readonly (string | undefined)[]> {
  const wishes = all.map(({ name, server }) => ({ name, identity: JSON.stringify([server, name]) }))
  const seen = new Set<string>()
  for (const { name, identity } of wishes) {
    if (seen.has(identity)) throw new TypeError(`The tool ${name} is there twice: give its clients names`)
    seen.add(identity)
  }
  return distinctNames(wishes, MAX_LENGTH)
}

/** A description that is not longer than an interface takes it, with its end: of which server the tool is. */
export function shortened(description: string, max: number): string {
  if (description.length <= max) return description
  const [source = ''] = / \(MCP server: [^()]*\)$/.exec(description) ?? []
  const end = `…${source}`
  return `${whole(description, Math.max(0, max - end.length))}${end}`
}
