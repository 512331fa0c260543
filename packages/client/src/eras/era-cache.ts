import type { Era } from '@jetway/core/protocol'

/** Remembers which era servers speak, by {@link ClientTransport.key}, so that they are not asked each time. */
export interface EraCache {
  get(key: string): Era | undefined
  /** Undefined: what was remembered has proved wrong. */
  set(key: string, era: Era | undefined): void
}

const MAX_ENTRIES = 1024

/** In memory, for 1,024 servers: the one that was not heard of for longest goes first. */
export function createEraCache(): EraCache {
  const eras = new Map<string, Era>()
  return {
    get: (key) => eras.get(key),
    set(key, era) {
      eras.delete(key)
      if (era === undefined) return
      eras.set(key, era)
      const [oldest] = eras.keys()
      if (eras.size > MAX_ENTRIES && oldest !== undefined) eras.delete(oldest)
    },
  }
}

/** What all clients of the process share. */
export const sharedEras: EraCache = createEraCache()
