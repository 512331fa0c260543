const MAX_NAMES = 500
/** https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-names */
const MAX_LENGTH = 128

/**
 * The names of tools and prompts that clients have used. A server or a model could invent any number of them,
 * so those beyond the first 500 are not recorded.
 */
export class BoundedNames {
  readonly #names = new Set<string>()

  /** Undefined for a name that is not recorded. */
  check(name: string | undefined): string | undefined {
    if (name === undefined || this.#names.has(name)) return name
    if (this.#names.size >= MAX_NAMES || name.length > MAX_LENGTH) return undefined
    this.#names.add(name)
    return name
  }
}
