import { BoundedMap } from '../util/bounded-map.ts'

/** The limits on stored ids. If an id is dropped, a call that waits for it still ends at its own time limit. */
const LIMITS = { maxEntries: 1_024, maxWeight: 1_048_576, weigh: (id: string): number => id.length }

/** The open URL elicitations, and the listeners that wait for their completion. */
export class UrlCompletions {
  readonly #listeners = new BoundedMap<string, Set<() => void>>(LIMITS)

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
   * Calls the listeners. Returns false for an unknown or completed id. The client must ignore such ids. See
   * https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#completion-notifications-for-url-mode-elicitation.
   */
  complete(elicitationId: string): boolean {
    const listeners = this.#listeners.get(elicitationId)
    this.#listeners.delete(elicitationId)
    for (const listener of listeners ?? []) listener()
    return listeners !== undefined
  }
}
