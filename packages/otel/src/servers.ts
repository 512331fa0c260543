import type { ObservedServer } from '@jetway/core/telemetry'

/**
 * Refers weakly to the servers of one telemetry object, so that a server that is never closed can be
 * garbage-collected.
 */
export class Servers {
  readonly #servers = new Set<WeakRef<ObservedServer>>()

  /** @returns a function that removes the server */
  add(server: ObservedServer): () => void {
    const ref = new WeakRef(server)
    this.#servers.add(ref)
    return () => void this.#servers.delete(ref)
  }

  get empty(): boolean {
    return this.#servers.size === 0
  }

  *[Symbol.iterator](): Generator<ObservedServer> {
    for (const ref of this.#servers) {
      const server = ref.deref()
      if (server === undefined) this.#servers.delete(ref)
      else yield server
    }
  }
}
