import { BoundedMap } from '../util/bounded-map.ts'

/** The maximum number of remembered ids. A wait for an id that was dropped ends at its own time limit. */
const MAX_IDS = 1_024

/** The open URL elicitations, and the listeners for their completion. */
export class UrlCompletions {
  readonly #listeners = new BoundedMap<string, Set<() => void>>(MAX_IDS)

  /** Adds an id and a listener. @returns a function that removes the listener */
  add(elicitationId: string, listener?: () => void): () => void {
    const listeners = this.#listeners.get(elicitationId) ?? new Set()
    if (listener !== undefined) listeners.add(listener)
    this.#listeners.set(elicitationId, listeners)
    return () => {
      if (listener !== undefined) listeners.delete(listener)
    }
  }

  /**
   * Calls the listeners. Returns false for an unknown or completed id, which the client has to ignore:
   * https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#completion-notifications-for-url-mode-elicitation
   */
  complete(elicitationId: string): boolean {
    const listeners = this.#listeners.get(elicitationId)
    this.#listeners.delete(elicitationId)
    for (const listener of listeners ?? []) listener()
    return listeners !== undefined
  }
}
