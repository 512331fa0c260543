const MAX_NAMES = 500
/** https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-names */
const MAX_LENGTH = 128

/**
 * Accepts only the first 500 names of tools and prompts, because a server or a model could invent any number
 * of names.
 */
export class BoundedNames {
  readonly #names = new Set<string>()

  /** Returns undefined for a new name once the limit has been reached. */
  check(name: string | undefined): string | undefined {
    if (name === undefined || this.#names.has(name)) return name
    if (this.#names.size >= MAX_NAMES || name.length > MAX_LENGTH) return undefined
    this.#names.add(name)
    return name
  }
}
