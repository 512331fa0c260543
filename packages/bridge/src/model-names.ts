import { uniqueNames } from '@jetway/client/unique-names'
import { whole } from './parts.ts'

export interface Named {
  readonly name: string
  readonly server: string
}

/**
 * The maximum length of names at OpenAI and Anthropic. See
 * https://platform.openai.com/docs/api-reference/chat/create.
 */
const MAX_LENGTH = 64

/**
 * Returns names for models. A digest is added to a name that is too long. A name is undefined if every
 * candidate is already used.
 *
 * @throws TypeError for duplicate tools
 */
export async function modelNames(all: readonly Named[]): Promise<readonly (string | undefined)[]> {
  const wishes = all.map(({ name, server }) => ({ name, identity: JSON.stringify([server, name]) }))
  const seen = new Set<string>()
  for (const { name, identity } of wishes) {
    if (seen.has(identity))
      throw new TypeError(`The tool ${name} appears twice: set the option name of each client`)
    seen.add(identity)
  }
  return uniqueNames(wishes, MAX_LENGTH)
}

/** Shortens a description, but keeps the server's name at its end. */
export function shortened(description: string, max: number): string {
  if (description.length <= max) return description
  const [source = ''] = / \(MCP server: [^()]*\)$/.exec(description) ?? []
  const end = `…${source}`
  return `${whole(description, Math.max(0, max - end.length))}${end}`
}
