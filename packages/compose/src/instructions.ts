import type { ClientView } from '@jetway/core'
import type { Described } from './types.ts'

/** The maximum length of one part, in characters. */
const MAX_LENGTH = 4_096

/**
 * Joins a server's own instructions with those of its sources, each under the title of its source, for the option
 * `instructions`. Each part has at most 4,096 characters. Sources without instructions are left out.
 *
 * @param own - the server's own instructions, which come first
 */
export const joinInstructions =
  (
    own: string | undefined,
    sources: readonly Described[],
  ): ((client: ClientView) => Promise<string | undefined>) =>
  async (client) => {
    const parts = await Promise.all(sources.map((source) => partOf(source, client)))
    const all = [own, ...parts].filter((part) => part !== undefined && part !== '')
    return all.length === 0 ? undefined : all.join('\n\n')
  }

async function partOf(
  { title = 'Untitled', instructions }: Described,
  client: ClientView,
): Promise<string | undefined> {
  const text = (await instructions?.(client))?.trim()
  return text === undefined || text === '' ? undefined : `# ${title}\n\n${shortened(text)}`
}

function shortened(text: string): string {
  if (text.length <= MAX_LENGTH) return text
  // A pair of surrogates is not cut in two.
  return `${text.slice(0, MAX_LENGTH - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
