/** Ids that are remembered. The oldest goes first: what waits for it then hears nothing, and ends by its own limit. */
const MAX_KNOWN = 1_024

/** The addresses that a person was asked to open, until the server says that what happens there is finished. */
export class OpenedUrls {
  readonly #known = new Map<string, Set<() => void>>()

  /** From now on the server may say it of this one, which `heard` is told, once. Returns what ends the waiting for it. */
  note(elicitationId: string, heard?: () => void): () => void {
    const waiting = this.#known.get(elicitationId) ?? new Set()
    if (heard !== undefined) waiting.add(heard)
    this.#known.set(elicitationId, waiting)
    const [oldest] = this.#known.keys()
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest)
    return () => {
      if (heard !== undefined) waiting.delete(heard)
    }
  }

  /**
   * Whether this is news. Other ids are none that anybody was asked about, or were finished before:
   * https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#completion-notifications-for-url-mode-elicitation
   */
  finish(elicitationId: string): boolean {
    const waiting = this.#known.get(elicitationId)
    this.#known.delete(elicitationId)
    for (const heard of waiting ?? []) heard()
    return waiting !== undefined
  }
}
