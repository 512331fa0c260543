import type { ObservedServer } from '@jetway/core/telemetry'

/** The servers that share a telemetry. Held weakly: a server that nobody closes must not stay for ever. */
export class Servers {
  readonly #servers = new Set<WeakRef<ObservedServer>>()

  /** @returns the function that removes it */
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
