import type { Era } from '@jetway/core/protocol'
import { BoundedMap } from '../util/bounded-map.ts'

/** Remembers the era of each server, by {@link ClientTransport.key}, so that later connections need no probe. */
export interface EraCache {
  get(key: string): Era | undefined
  /** Undefined forgets a wrong entry. */
  set(key: string, era: Era | undefined): void
}

/** An `EraCache` in memory for 1,024 servers. When it is full, the entry written longest ago goes. */
export function createEraCache(): EraCache {
  const eras = new BoundedMap<string, Era>(1_024)
  return {
    get: (key) => eras.get(key),
    set(key, era) {
      if (era === undefined) eras.delete(key)
      else eras.set(key, era)
    },
  }
}

/** The default of all clients. */
export const sharedEras: EraCache = createEraCache()
